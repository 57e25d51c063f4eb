"""One spelling per function, and the constants that modules hold."""

from __future__ import annotations

from ...ir import Literal
from ...operators import CONSTANTS, DTYPES

# This module has names that NumPy lacks: ours, and SciPy's.
_WIDER = "pullback.numpy"
_OURS = ("sigmoid", "relu", "gelu", "softplus")
_SPECIAL = ("erf", "logsumexp", "softmax", "log_softmax")
# Ways to write a module, or one of its names, that mean the canonical one.
_ALIASES = {
    **{f"{_WIDER}.{name}": f"pullback.{name}" for name in _OURS},
    **{f"{_WIDER}.{name}": f"scipy.special.{name}" for name in _SPECIAL},
    _WIDER: "numpy",
    "pullback.special": "scipy.special",
    "autograd.numpy": "numpy",
}


def canonical(dotted: str) -> str:
    """One spelling per function. A module that has more than NumPy's keeps its name.

    >>> canonical("pullback.numpy.exp"), canonical("pullback.numpy.softmax")
    ('numpy.exp', 'scipy.special.softmax')
    """
    for alias, module in _ALIASES.items():
        if (dotted == alias and dotted != _WIDER) or dotted.startswith(alias + "."):
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
