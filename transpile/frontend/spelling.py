"""One spelling per function, and the constants that modules hold."""

from __future__ import annotations

from ..ir import Literal
from ..vocabulary import CONSTANTS, DTYPES

# Ways to write a module that mean the canonical one.
_ALIASES = {"pullback.numpy": "numpy", "pullback.special": "scipy.special", "autograd.numpy": "numpy"}


def canonical(dotted: str) -> str:
    """One spelling per function.

    >>> canonical("pullback.numpy.exp")
    'numpy.exp'
    """
    for alias, module in _ALIASES.items():
        if dotted == alias or dotted.startswith(alias + "."):
            return module + dotted[len(alias) :]
    return dotted


def constant_of(dotted: str) -> Literal | None:
    """The literal for a number or dtype of a module ("numpy.pi", "numpy.float32"), or None."""
    if dotted in CONSTANTS:
        return Literal(CONSTANTS[dotted])
    if dotted in DTYPES:
        return Literal(dotted.removeprefix("numpy.").replace("bool_", "bool"))
    if dotted == "numpy.newaxis":
        return Literal(None)
    return None
