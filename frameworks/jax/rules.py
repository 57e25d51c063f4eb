"""The rules by which JAX differentiates an operator: for tangents, and by `jax.custom_vjp`.

The function that JAX sees returns the hidden outputs beside the results, and its rule calls that function
again for its primal outputs. So each level of differentiation meets the formula, never the text of its
forward: a straight-through `round` has slope 1 at every level, and what flows into a captured intermediate
takes the author's way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jax.custom_derivatives import CustomVJPPrimal

from pullback.engine.core.complex_values import not_complex
from pullback.engine.core.operator import Operator
from pullback.engine.transforms.tangents import TangentRule, transposed_rule
from pullback.transpile.diagnostics import FormulaError

from .operator import JaxOperator
from .ruled import Ruled
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

Mode = Literal["both", "reverse"]


class Rules:
    """An operator with what JAX needs to differentiate it.

    `refusal` says why its closure has no transpose; None where it has one.
    """

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.refusal = self._transpose()

    def _transpose(self) -> Exception | None:
        operator = self.operator
        if operator.barrier is not None:
            return ValueError(f"{operator.span}: {operator.name} has no forward mode: {operator.barrier}")
        try:
            self.tangent_rule(tuple(param.differentiable for param in operator.inputs))
        except FormulaError as error:
            return error
        return None

    def tangent_rule(self, present: tuple[bool, ...]) -> TangentRule:
        """The rule for tangents of these inputs. Raises FormulaError where the closure has no transpose."""
        rules: dict[tuple[bool, ...], TangentRule] = self.operator.tangent_rules
        if present not in rules:
            rules[present] = transposed_rule(self._all_outputs, present)
        return rules[present]

    @cached_property
    def _all_outputs(self) -> JaxOperator:
        """The operator with hidden outputs among its results, of which a rule is given all."""
        formula = self.operator.formula
        exposed = formula.evolve(
            results=formula.results + len(formula.hidden), hidden=(), result_is_tuple=True
        )
        return JaxOperator(exposed, self.operator.namespace)

    @cached_property
    def barrier(self) -> Callable[[Any], Any]:
        """The identity, which refuses to be differentiated."""
        return barrier(f"{self.operator.span}: {self.operator.barrier}")

    def call(self, inputs: Sequence[Any], attributes: Mapping[str, Any], mode: Mode) -> tuple[Any, ...]:
        """Results and hidden outputs."""
        leaves, structure = jax.tree.flatten(dict(attributes), is_leaf=lambda value: value is None)
        arrays = [jnp.asarray(leaf) for leaf in leaves if is_array(leaf)]
        fixed = [None if is_array(leaf) else Static(leaf) for leaf in leaves]
        call = _Call(self, fixed, structure)
        outputs = call.both(inputs, arrays) if mode == "both" else call.reverse(inputs, arrays)
        return tuple(outputs[: self.operator.n_results + self.operator.n_hidden])


class _Call:
    """A call with these attributes: the functions that JAX transforms, and their rules."""

    def __init__(self, rules: Rules, fixed: Sequence[Static | None], structure: Any) -> None:
        self._rules = rules
        self._operator = rules.operator
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
        outputs: list[Any] = Ruled(self._forward, self._tangents)(inputs, arrays)
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
        _refuse_complex(operator, inputs, present, outputs[:count])
        found: Sequence[Any] = [None] * count
        if any(present):
            rule = self._rules.tangent_rule(present)
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
        again = self.both if self._rules.refusal is None else self.reverse
        outputs = again(inputs, arrays)
        plain = operator.n_results + operator.n_hidden
        _refuse_complex(operator, inputs, needed, outputs[:plain])
        places = {"input": (inputs, 0), "output": (outputs, 0), "plain": (outputs, plain)}
        saved = []
        for one in operator.saved:
            values, start = places[one.source]
            saved.append(values[start + one.position])
        if operator.barrier is not None:
            saved = self._rules.barrier(saved)
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
                given = self._rules.barrier(given)
            # A cotangent of JAX is the conjugate of one here, and so is a gradient.
            if operator.complex:
                given = jax.tree.map(jnp.conj, given)
            gradients = variant.call(list(map(unpacked, saved)), given)
            if operator.complex:
                gradients = jax.tree.map(jnp.conj, gradients)
        return list(map(_gradient_like, gradients, inputs)), [None] * len(arrays)


def _is_primal(value: Any) -> bool:
    return isinstance(value, CustomVJPPrimal)


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


def _refuse_complex(
    operator: Operator, inputs: Sequence[Any], moved: Sequence[bool], outputs: Sequence[Any]
) -> None:
    """Raise TypeError where a closure that holds for real values is asked about complex ones."""
    if operator.complex or not any(moved):
        return
    found = [value for value, here in zip(inputs, moved, strict=True) if here]
    found += [value for i, value in enumerate(outputs) if i not in operator.nondifferentiable]
    if any(map(jnp.iscomplexobj, jax.tree.leaves(found))):
        raise TypeError(not_complex(operator))


def _refuse_moving_attributes(operator: Operator, tangents: Any) -> None:
    if not is_zero(tangents):
        _refuse_attributes(operator)


def _refuse_attributes(operator: Operator) -> None:
    names = ", ".join(param.var.name for param in operator.attributes)
    raise TypeError(
        f"{operator.span}: {operator.name} has no derivative by its attributes ({names}): "
        "stop_gradient what is given there, or make it an input"
    )
