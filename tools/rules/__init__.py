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

RULES: dict[str, Rule] = {
    rule.code: rule for rule in sorted((m.RULE for m in _MODULES), key=lambda rule: rule.code)
}

__all__ = ["RULES", "Rule"]
