"""Forward-mode rules of operators: from tangents of inputs to tangents of outputs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...transpile.emit.python import forward_function
from ...transpile.passes.variants.transpose import transpose
from ..core.errors import NotDifferentiableError


class TangentRule(NamedTuple):
    """``call(inputs, attributes, results, tangents)`` gives a tangent per result and hidden output.

    `tangents` has an entry per input of the operator, None where that has none; a
    list of tensors has a list without None. A tangent that is zero comes as None.
    """

    call: Callable[[Sequence[Any], Mapping[str, Any], Sequence[Any], Sequence[Any]], Sequence[Any]]


def tangent_rule(operator: Any, present: tuple[bool, ...]) -> TangentRule:
    """The rule of an operator for the inputs that have a tangent; made when the pattern is first seen.

    Raises FormulaError where the closure can't be transposed, which `jvp=` of the
    decorator helps, NotDifferentiableError for an operator without a formula.
    """
    rules: dict[tuple[bool, ...], TangentRule] | None = getattr(operator, "tangent_rules", None)
    if rules is None:
        raise NotDifferentiableError(f"{operator.name} has no formula, and so no forward-mode rule")
    if present not in rules:
        rules[present] = (
            _by_hand(operator) if operator.jvp is not None else transposed_rule(operator, present)
        )
    return rules[present]


def _by_hand(operator: Any) -> TangentRule:
    """The author's ``jvp(*inputs, *tangents, **attributes)``."""

    def call(
        inputs: Sequence[Any], attributes: Mapping[str, Any], results: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        found = operator.jvp(*inputs, *tangents, **attributes)
        several = found if isinstance(found, (tuple, list)) else (found,)
        if len(several) != operator.n_results:
            raise ValueError(
                f"{operator.span}: jvp of {operator.name} returned {len(several)} tangents for "
                f"{operator.n_results} results"
            )
        return several

    return TangentRule(call)


def transposed_rule(operator: Any, present: tuple[bool, ...]) -> TangentRule:
    """The rule that comes of the operator's closure, transposed. Raises FormulaError where it has none."""
    from ..formula.formula import LIBRARY_OF_PROCESS

    formula = operator.formula
    differentiable = [i for i, param in enumerate(operator.inputs) if param.differentiable]
    made = transpose(formula, [present[i] for i in differentiable], LIBRARY_OF_PROCESS)
    function: ast.FunctionDef = forward_function(made.formula, f"{operator.name}_jvp")
    compiled = operator.compile(function)
    chosen = [differentiable[i] for i in made.tangents]

    def call(
        inputs: Sequence[Any], attributes: Mapping[str, Any], results: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        values = iter(inputs)
        primals = [attributes[p.var.name] if p.attribute else next(values) for p in formula.params]
        given = [results[i] for i in made.given]
        found: Sequence[Any] = compiled(*primals, *given, *(tangents[i] for i in chosen))
        return found

    return TangentRule(call)
