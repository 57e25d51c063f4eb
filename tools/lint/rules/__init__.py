"""The lint rules, a file each. `RULES` holds them by code."""

from __future__ import annotations

from .formula import FORMULA_RULES
from .language import LANGUAGE_RULES
from .rule import Rule
from .torch import TORCH_RULES

# A rule about formulas comes before one of the same code about classes.
RULES: dict[str, Rule] = dict(sorted({**TORCH_RULES, **FORMULA_RULES, **LANGUAGE_RULES}.items()))

__all__ = ["RULES", "TORCH_RULES", "Rule"]
