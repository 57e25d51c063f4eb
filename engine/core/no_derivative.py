"""The functions without a derivative, each with its reason: one table.

CONSTANT ones run on tensors that require grad, and their results don't: nothing
that could flow is lost. REFUSED ones raise NotDifferentiableError there, for a
gradient would be lost; on other tensors they run. What writes into its operand
is refused on every tensor, for nobody would count the write. A function of NumPy
that is in none of them has a formula, or is written with operators: a test sees
to it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from ...transpile.operators.constant import CONSTANT as CONSTANT
from ...transpile.operators.constant import QUESTION as QUESTION
from ...transpile.operators.constant import because

FILE = "it writes a file"
_COMPLEX = "the result is complex, and complex values have no gradients here"
_FOURIER = "Fourier transforms are complex, and complex values have no gradients here"

REFUSED: dict[str, str] = {
    **because(_COMPLEX, "roots sort_complex linalg.eig linalg.eigvals"),
    **because(
        _FOURIER,
        """fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft""",
        "numpy.fft",
    ),
    **because(FILE, "save savez savez_compressed savetxt"),
    **because("of dates only", "busday_count busday_offset is_busday datetime_as_string"),
    **because("multiply (x - root) with np.convolve", "poly"),
    **because("the length of the result depends on the values", "polydiv"),
    **because("solve with np.linalg.lstsq of np.vander(x, degree + 1)", "polyfit"),
    **because("the dtype of the result depends on the values", "real_if_close"),
}

WRITES: dict[str, str] = because(
    "writes into its operand", "copyto fill_diagonal place put put_along_axis putmask"
)


def why(function: Callable[..., Any], table: dict[str, str] = CONSTANT) -> str | None:
    """The reason that a table gives for a function, or None.

    >>> import numpy as np
    >>> why(np.floor)
    'constant between its jumps'
    """
    try:
        return _by_function()[id(table)].get(function)
    except TypeError:
        return None


@cache
def _by_function() -> dict[int, dict[Any, str]]:
    """The tables by function instead of by name, without those that this NumPy lacks."""
    return {
        id(table): {found: table[name] for name in table if (found := _function(name)) is not None}
        for table in (CONSTANT, REFUSED, WRITES)
    }


def _function(name: str) -> Any:
    module, *path = name.split(".")
    found: Any = importlib.import_module(module)
    for attribute in path:
        found = getattr(found, attribute, None)
    return found
