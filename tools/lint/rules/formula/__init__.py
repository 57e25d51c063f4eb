"""Rules about formulas, a file each. `FORMULA_RULES` holds them by code."""

from __future__ import annotations

from ..rule import Rule
from . import (
    alias_mutated,
    captured_intermediate,
    captures,
    cotangent_count,
    foreign_capture,
    gradient_count,
    gradient_mutated,
    independent_gradient,
    loop_variable,
    lost_gradient_path,
    mutated_after_capture,
    no_derivative,
    nonlinear_pullback,
    opaque_capture,
    recomputed_in_closure,
    recursion,
    unknown_rule,
    widening_scalar,
)

_MODULES = (
    alias_mutated,
    captured_intermediate,
    captures,
    cotangent_count,
    foreign_capture,
    gradient_count,
    gradient_mutated,
    independent_gradient,
    loop_variable,
    lost_gradient_path,
    mutated_after_capture,
    no_derivative,
    nonlinear_pullback,
    opaque_capture,
    recomputed_in_closure,
    recursion,
    unknown_rule,
    widening_scalar,
)

FORMULA_RULES: dict[str, Rule] = {module.RULE.code: module.RULE for module in _MODULES}
