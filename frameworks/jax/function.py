"""Formulas as JAX functions: emitted Python over `jax.numpy`, inside `jax.custom_jvp` or `jax.custom_vjp`.

The function that JAX sees returns the hidden outputs beside the results, and its rule calls that function
again for its primal outputs. So each level of differentiation meets the formula, never the text of its
forward: a straight-through `round` has slope 1 at every level, and what flows into a captured intermediate
takes the author's way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, update_wrapper
from typing import Any, Literal
from weakref import WeakKeyDictionary

import jax
import jax.numpy as jnp
from jax.custom_derivatives import CustomVJPPrimal

import pullback
from pullback import Formula
from pullback.engine.core.registry import FORMULAS
from pullback.engine.transforms.tangents import transposed_rule
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.ir import Param
from pullback.transpile.operators import OPERATORS

from .operator import JaxOperator
from .values import (
    Static,
    barrier,
    filled,
    is_array,
    is_zero,
    packed,
    result,
    tangent_like,
    unpacked,
    zero_tangent,
)
from .vocabulary import NUMPY, PRIMITIVES, SPECIAL

Mode = Literal["both", "reverse"]


def function(formula: Formula, mode: Mode | None = None) -> Function:
    """The formula as a function of JAX arrays, differentiable to every order.

    formula  an operator with its derivative, as `pb.formula` and `pb.derive_pullback` make it
    mode     "both": a `jax.custom_jvp` whose rule is the closure transposed. The rule is linear in the
             tangents, so JAX transposes it again for reverse mode, and everything works: `jvp`, `grad`,
             `jacfwd` over `jacrev`, `hessian`. FormulaError where the closure is not linear.
             "reverse": a `jax.custom_vjp` that runs the closure as it is written and keeps what the closure
             captures. Forward mode over it works, as in `jax.hessian`; forward mode of it does not.
             None: "both" where the closure has a transpose, "reverse" where it has none

    It runs under `jit`, `vmap` and every other transformation. Attributes are static, or arrays without a
    derivative. Raises FormulaError, with the line, for what JAX has no counterpart of, and at a call for
    what depends on a value that is being traced.

    >>> import jax, numpy as np, pullback as pb
    >>> @pb.formula
    ... def straight_through(x):
    ...     return np.round(x), lambda grad: grad
    >>> jax.grad(jax.grad(lambda x: function(straight_through)(x) ** 2))(0.7).item()
    2.0
    """
    if not isinstance(formula, Formula):
        raise TypeError(
            f"pullback.jax.function takes a formula, not {type(formula).__name__}: "
            "decorate it with @pb.formula, or let pb.derive_pullback derive its closure"
        )
    if mode not in (None, "both", "reverse"):
        raise ValueError(f"mode={mode!r}: there are 'both', 'reverse' and None")
    known = _FUNCTIONS.setdefault(formula, {})
    if mode not in known:
        known[mode] = Function(formula, mode)
    return known[mode]


_FUNCTIONS: WeakKeyDictionary[Formula, dict[Mode | None, Function]] = WeakKeyDictionary()


class Function:
    """A formula as a function of JAX arrays; `function` makes it."""

    __name__: str

    def __init__(self, formula: Formula, mode: Mode | None) -> None:
        self._formula = formula
        self._operator = JaxOperator(formula.operator.formula, _namespace(formula))
        self._operator.check()
        self.transposes, refusal = self._transpose()
        if mode == "both" and refusal is not None:
            raise refusal
        self.mode: Mode = mode or ("both" if self.transposes else "reverse")
        update_wrapper(self, formula.__wrapped__)

    def __repr__(self) -> str:
        return f"<pullback.jax.function {self.__name__}, mode={self.mode!r}>"

    def _transpose(self) -> tuple[bool, Exception | None]:
        """True where the closure has a transpose, else why it has none."""
        operator = self._operator
        if operator.barrier is not None:
            return False, ValueError(
                f"{operator.span}: {operator.name} has no forward mode: {operator.barrier}"
            )
        try:
            self._tangent_rule(tuple(param.differentiable for param in operator.inputs))
        except FormulaError as error:
            return False, error
        return True, None

    @cached_property
    def _barrier(self) -> Callable[[Any], Any]:
        assert self._operator.barrier is not None
        return barrier(f"{self._operator.span}: {self._operator.barrier}")

    def _tangent_rule(self, present: tuple[bool, ...]) -> Any:
        rules = self._operator.tangent_rules
        if present not in rules:
            rules[present] = transposed_rule(self._all_outputs, present)
        return rules[present]

    @cached_property
    def _all_outputs(self) -> JaxOperator:
        """The operator with hidden outputs among its results, of which a rule is given all."""
        formula = self._operator.formula
        exposed = formula.evolve(
            results=formula.results + len(formula.hidden), hidden=(), result_is_tuple=True
        )
        return JaxOperator(exposed, self._operator.namespace)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The formula's results."""
        outputs = self.promoted(*args, **kwargs)[: self._operator.n_results]
        return outputs if self._operator.result_is_tuple else outputs[0]

    def promoted(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Like a call, but the hidden outputs come after the results."""
        operator = self._operator
        given, attributes = operator.bind(args, kwargs)
        inputs = [_as_input(operator.name, p, value) for p, value in zip(operator.inputs, given, strict=True)]
        leaves, structure = jax.tree.flatten(attributes, is_leaf=lambda value: value is None)
        arrays = [jnp.asarray(leaf) for leaf in leaves if is_array(leaf)]
        fixed = [None if is_array(leaf) else Static(leaf) for leaf in leaves]
        call = _Call(self, fixed, structure)
        outputs = call.both(inputs, arrays) if self.mode == "both" else call.reverse(inputs, arrays)
        return tuple(outputs[: operator.n_results + operator.n_hidden])


class _Call:
    """A call with these attributes: the functions that JAX transforms, and their rules."""

    def __init__(self, function: Function, fixed: Sequence[Static | None], structure: Any) -> None:
        self._function = function
        self._operator = function._operator
        self._fixed = fixed
        self._structure = structure

    def _attributes(self, arrays: Sequence[Any]) -> Any:
        rest = iter(arrays)
        leaves = [next(rest) if leaf is None else leaf.value for leaf in self._fixed]
        return jax.tree.unflatten(self._structure, leaves)

    def _forward(self, inputs: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """Results, hidden outputs and plain values as a pytree."""
        operator = self._operator
        outputs = operator.forward(inputs, self._attributes(arrays))
        count = operator.n_results + operator.n_hidden
        return [*map(result, outputs[:count]), *map(packed, outputs[count:])]

    def both(self, inputs: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """The outputs, with a rule for tangents."""
        run = jax.custom_jvp(self._forward)
        run.defjvp(self._tangents, symbolic_zeros=True)
        outputs: list[Any] = run(inputs, arrays)
        return outputs

    def _tangents(self, primals: Any, moved: Any) -> tuple[list[Any], list[Any]]:
        operator = self._operator
        inputs, arrays = primals
        tangents, tangents_of_arrays = moved
        _refuse_moving_attributes(operator, tangents_of_arrays)
        outputs = self.both(inputs, arrays)
        present = tuple(
            param.differentiable and not is_zero(tangent)
            for param, tangent in zip(operator.inputs, tangents, strict=True)
        )
        count = operator.n_results + operator.n_hidden
        found: Sequence[Any] = [None] * count
        if any(present):
            rule = self._function._tangent_rule(present)
            given = [filled(t) if here else None for t, here in zip(tangents, present, strict=True)]
            found = rule.call(inputs, self._attributes(arrays), outputs[:count], given)
        found = [None if i in operator.nondifferentiable else tangent for i, tangent in enumerate(found)]
        plain = [jax.tree.map(zero_tangent, output) for output in outputs[count:]]
        return outputs, [*map(tangent_like, found, outputs), *plain]

    def reverse(self, inputs: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """The outputs, with the author's closure for cotangents."""
        run = jax.custom_vjp(self._forward)
        run.defvjp(self._saving, self._pulled_back, symbolic_zeros=True)
        outputs: list[Any] = run(inputs, arrays)
        return outputs

    def _saving(self, inputs: Any, arrays: Any) -> tuple[list[Any], Any]:
        operator = self._operator
        perturbed = jax.tree.map(lambda primal: primal.perturbed, (inputs, arrays), is_leaf=_is_primal)
        inputs, arrays = jax.tree.map(lambda primal: primal.value, (inputs, arrays), is_leaf=_is_primal)
        if any(jax.tree.leaves(perturbed[1])):
            _refuse_attributes(operator)
        needed = tuple(
            param.differentiable and any(jax.tree.leaves(moved))
            for param, moved in zip(operator.inputs, perturbed[0], strict=True)
        )
        again = self.both if self._function.transposes else self.reverse
        outputs = again(inputs, arrays)
        plain = operator.n_results + operator.n_hidden
        places = {"input": (inputs, 0), "output": (outputs, 0), "plain": (outputs, plain)}
        saved = []
        for one in operator.saved:
            values, start = places[one.source]
            saved.append(values[start + one.position])
        if operator.barrier is not None:
            saved = self._function._barrier(saved)
        return outputs, (saved, arrays, inputs, Static(needed))

    def _pulled_back(self, residuals: Any, cotangents: Any) -> tuple[Any, Any]:
        operator = self._operator
        saved, arrays, inputs, held = residuals
        count = operator.n_results + operator.n_hidden
        cotangents = cotangents[:count]
        defined = tuple(
            index not in operator.nondifferentiable and not is_zero(cotangent)
            for index, cotangent in enumerate(cotangents)
        )
        gradients: Sequence[Any] = [None] * len(operator.inputs)
        if any(defined):
            variant = operator.backward(defined, held.value)
            wanted = [here or i in variant.materialize for i, here in enumerate(defined)]
            given = [filled(c) if here else None for c, here in zip(cotangents, wanted, strict=True)]
            if operator.barrier is not None:
                given = self._function._barrier(given)
            gradients = variant.call(list(map(unpacked, saved)), given)
        return list(map(_gradient_like, gradients, inputs)), [None] * len(arrays)


def _is_primal(value: Any) -> bool:
    return isinstance(value, CustomVJPPrimal)


def _as_input(name: str, param: Param, value: Any) -> Any:
    """An input as JAX's array: a list of tensors is a list of them, None stays None."""
    if value is None:
        return None
    if param.var.kind == "list":
        parts = list(value) if is_array(value) else value
        if isinstance(parts, (list, tuple)):
            return [None if item is None else _as_array(name, param, item) for item in parts]
    return _as_array(name, param, value)


def _as_array(name: str, param: Param, value: Any) -> Any:
    if isinstance(value, pullback.Tensor):
        raise TypeError(
            f"{name}: {param.var.name} is a tensor of pullback, whose gradients JAX does not see: "
            f"call the formula itself, or give x.numpy()"
        )
    return jnp.asarray(value)


def _gradient_like(gradient: Any, value: Any) -> Any:
    """The gradient of an input as JAX takes it: None for zero, in the structure of the input."""
    if isinstance(value, list) and gradient is not None:
        return [
            None if part is None else _gradient_like(part, v) for part, v in zip(gradient, value, strict=True)
        ]
    if gradient is None or value is None:
        return None
    if not jnp.issubdtype(value.dtype, jnp.inexact):
        return None
    return jnp.broadcast_to(jax.lax.convert_element_type(gradient, value.dtype), value.shape)


def _refuse_moving_attributes(operator: JaxOperator, tangents: Any) -> None:
    if not is_zero(tangents):
        _refuse_attributes(operator)


def _refuse_attributes(operator: JaxOperator) -> None:
    names = ", ".join(param.var.name for param in operator.attributes)
    raise TypeError(
        f"{operator.span}: {operator.name} has no derivative by its attributes ({names}): "
        "stop_gradient what is given there, or make it an input"
    )


class _Pullback:
    """`pb` of emitted Python over JAX."""

    stop_gradient = staticmethod(jax.lax.stop_gradient)

    def __getattr__(self, name: str) -> Any:
        return self.operator(name)

    def formulas(self) -> _Pullback:
        """The table of formulas, of which `operator` is asked for."""
        return self

    def operator(self, name: str) -> Function:
        """A formula of the process by its operator's name."""
        entry = FORMULAS.operator(name)
        if not isinstance(entry, Formula):
            raise AttributeError(f"there is no formula {name!r}")
        return function(entry)


class _Called:
    """A formula that another calls; its function is made when it is first called."""

    def __init__(self, formula: Formula) -> None:
        self._formula = formula

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return function(self._formula)(*args, **kwargs)


def _namespace(formula: Formula) -> dict[str, Any]:
    """The names of a formula's emitted Python, over JAX."""
    promoted = formula.operator.formula
    names = formula.namespace(promoted)
    called = {eqn.op for eqn in promoted.every() if eqn.op not in OPERATORS}
    found = {
        name: _Called(entry) for name, entry in names.items() if name in called and isinstance(entry, Formula)
    }
    own = {"np": NUMPY, "special": SPECIAL, "primitives": PRIMITIVES, "pb": _Pullback(), "math": math}
    return names | found | own
