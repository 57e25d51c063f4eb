"""The rules that rewrite C++ of the table to Python, a family per file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import (
    arithmetic,
    containers,
    functions,
    kinds,
    literals,
    modes,
    names,
    optionals,
    options,
    sizes,
    undefined,
)
from .calls import CallRule
from .rule import Rule

# The first rule that gives an expression is taken, so what is narrower comes first.
_FAMILIES: Sequence[Mapping[str, tuple[Rule, ...]]] = (
    undefined.RULES,
    optionals.RULES,
    modes.RULES,
    kinds.RULES,
    literals.RULES,
    names.RULES,
    containers.RULES,
    arithmetic.RULES,
)
RULES: dict[str, tuple[Rule, ...]] = {
    kind: tuple(rule for family in _FAMILIES for rule in family.get(kind, ()))
    for kind in {kind for family in _FAMILIES for kind in family}
}
CALLS: tuple[CallRule, ...] = (
    *undefined.CALLS,
    *literals.CALLS,
    *optionals.CALLS,
    *modes.CALLS,
    *options.CALLS,
    *sizes.CALLS,
    *kinds.CALLS,
    *containers.CALLS,
    *functions.CALLS,
)
