"""Formulas as JAX functions: emitted Python over `jax.numpy`."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from functools import update_wrapper
from importlib import import_module
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

import jax
import jax.numpy as jnp

import pullback
from pullback import Formula
from pullback.engine.core.registry import FORMULAS
from pullback.transpile.ir import Param
from pullback.transpile.operators import OPERATORS

from .operator import JaxOperator
from .rules import Mode, Rules
from .values import is_array
from .vocabulary import NUMPY, PRIMITIVES, SPECIAL


def function(formula: Formula, mode: Mode | None = None) -> Function:
    """The formula as a function of JAX arrays, differentiable to every order.

    formula  an operator with its derivative, as `pb.formula` and `pb.derive_pullback` make it
    mode     "both": a primitive whose rule for tangents is the closure transposed. The rule is linear in the
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
    __qualname__: str

    def __init__(self, formula: Formula, mode: Mode | None) -> None:
        self._operator = JaxOperator(formula.operator.formula, namespace(formula))
        self._operator.check()
        self._rules = Rules(self._operator)
        self._asked = mode
        if mode == "both" and self._rules.refusal is not None:
            raise self._rules.refusal
        self.mode: Mode = mode or ("both" if self._rules.refusal is None else "reverse")
        update_wrapper(self, formula.__wrapped__)

    def __repr__(self) -> str:
        return f"<pullback.jax.function {self.__name__}, mode={self.mode!r}>"

    def __copy__(self) -> Function:
        return self

    def __deepcopy__(self, seen: dict[int, Any]) -> Function:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """By the name that the formula, or this function, has in its module."""
        module, name = self.__module__, self.__qualname__
        try:
            found = _loaded(module, name, self._asked)
        except (ImportError, AttributeError, TypeError):
            found = None
        if found is not self:
            raise pickle.PicklingError(f"{module}.{name} is not the formula: one is pickled by its name")
        return _loaded, (module, name, self._asked)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The formula's results."""
        outputs = self.promoted(*args, **kwargs)[: self._operator.n_results]
        return outputs if self._operator.result_is_tuple else outputs[0]

    def promoted(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Like a call, but the hidden outputs come after the results."""
        operator = self._operator
        given, attributes = operator.bind(args, kwargs)
        inputs = as_inputs(operator.name, operator.inputs, given)
        return self._rules.call(inputs, attributes, self.mode)


def as_inputs(name: str, params: Sequence[Param], given: Sequence[Any]) -> list[Any]:
    """The inputs of a call as JAX's arrays. Raises TypeError for tensors of pullback."""
    return [_as_input(name, param, value) for param, value in zip(params, given, strict=True)]


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


def _loaded(module: str, name: str, mode: Mode | None) -> Function:
    """The function that was pickled by this name."""
    found = attrgetter(name)(import_module(module))
    return found if isinstance(found, Function) else function(found, mode)


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


def namespace(formula: Formula) -> dict[str, Any]:
    """The names of a formula's emitted Python, over JAX."""
    promoted = formula.operator.formula
    names = formula.namespace(promoted)
    called = {eqn.op for eqn in promoted.every() if eqn.op not in OPERATORS}
    found = {
        name: _Called(entry) for name, entry in names.items() if name in called and isinstance(entry, Formula)
    }
    own = {"np": NUMPY, "special": SPECIAL, "primitives": PRIMITIVES, "pb": _Pullback(), "math": math}
    return names | found | own
