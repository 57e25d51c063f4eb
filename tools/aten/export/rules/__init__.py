"""The rules that write Python expressions as C++ of the table, a family per file."""

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
from .rule import Rule

# The first rule that gives an expression is taken, so what is narrower comes first.
_FAMILIES: Sequence[Mapping[str, tuple[Rule, ...]]] = (
    undefined.RULES,
    optionals.RULES,
    modes.RULES,
    options.RULES,
    sizes.RULES,
    kinds.RULES,
    literals.RULES,
    names.RULES,
    containers.RULES,
    arithmetic.RULES,
    functions.RULES,
)
RULES: dict[str, tuple[Rule, ...]] = {
    kind: tuple(rule for family in _FAMILIES for rule in family.get(kind, ()))
    for kind in {kind for family in _FAMILIES for kind in family}
}
