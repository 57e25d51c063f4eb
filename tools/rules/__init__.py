"""The lint rules, a file each. `RULES` holds them by code."""

from __future__ import annotations

from . import (
    alias_mutated,
    call_arguments,
    captured_intermediate,
    captures,
    cotangent_count,
    decorator_option,
    foreign_capture,
    gradient_count,
    gradient_mutated,
    impossible_shape,
    independent_gradient,
    lost_gradient_path,
    mutated_after_capture,
    no_closure,
    no_derivative,
    nonlinear_pullback,
    not_compiled,
    opaque_call,
    opaque_capture,
    recomputed_in_closure,
    recursion,
    unknown_name,
    unknown_rule,
    unreadable,
    unsupported_expression,
    unsupported_parameter,
    unsupported_statement,
    widening_scalar,
)
from .rule import Rule
from .torch import TORCH_RULES

_MODULES = (
    alias_mutated,
    call_arguments,
    captured_intermediate,
    captures,
    cotangent_count,
    decorator_option,
    foreign_capture,
    gradient_count,
    gradient_mutated,
    impossible_shape,
    independent_gradient,
    lost_gradient_path,
    mutated_after_capture,
    no_closure,
    no_derivative,
    nonlinear_pullback,
    not_compiled,
    opaque_call,
    opaque_capture,
    recomputed_in_closure,
    recursion,
    unknown_name,
    unknown_rule,
    unreadable,
    unsupported_expression,
    unsupported_parameter,
    unsupported_statement,
    widening_scalar,
)

_FORMULA_RULES: dict[str, Rule] = {module.RULE.code: module.RULE for module in _MODULES}

# A rule about formulas comes before one of the same code about classes.
RULES: dict[str, Rule] = dict(sorted({**TORCH_RULES, **_FORMULA_RULES}.items()))

__all__ = ["RULES", "TORCH_RULES", "Rule"]
