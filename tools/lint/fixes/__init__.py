"""Fixes for what lint finds, a file each. `FIXES` holds them by the code of the rule."""

from __future__ import annotations

from . import (
    attribute_to_saved,
    copied_gradient,
    copied_saved,
    inner_gradient,
    recomputed,
    recorded,
    refused,
    returned,
    undetached,
    viewed_input,
)
from .fix import Fix

_MODULES = (
    attribute_to_saved,
    copied_gradient,
    copied_saved,
    undetached,
    returned,
    recomputed,
    recorded,
    inner_gradient,
    refused,
    viewed_input,
)

FIXES: dict[str, tuple[Fix, ...]] = {}
for _module in _MODULES:
    for _code in _module.CODES:
        FIXES[_code] = (*FIXES.get(_code, ()), _module.FIX)

__all__ = ["FIXES", "Fix"]
