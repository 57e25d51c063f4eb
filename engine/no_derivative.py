"""Which functions have no derivative, and why: one table.

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

FILE = "it writes a file"
QUESTION = "answers a question about shapes, dtypes or values"


def _because(reason: str, names: str, module: str = "numpy") -> dict[str, str]:
    """A reason for each of the names, which stand one after the other."""
    return {f"{module}.{name}": reason for name in names.split()}


CONSTANT: dict[str, str] = {
    **_because("of kernels: sizes and numbers that a forward saves, as a row", "packed unpacked", "pullback"),
    **_because(
        "constant between its jumps",
        "floor ceil trunc fix round around sign floor_divide heaviside nextafter spacing angle",
    ),
    **_because(
        "the result is bool",
        """less less_equal greater greater_equal equal not_equal logical_and logical_or logical_not
        logical_xor all any isnan isinf isfinite signbit
        isneginf isposinf isclose isreal iscomplex isin isnat""",
    ),
    **_because(
        "of whole numbers and bools only",
        """bitwise_and bitwise_or bitwise_xor invert left_shift right_shift bitwise_count gcd lcm packbits
        unpackbits""",
    ),
    **_because(
        "the result is made of indexes or counts",
        """argmax argmin argsort argpartition argwhere nanargmax nanargmin nonzero flatnonzero count_nonzero
        searchsorted digitize lexsort histogram histogram2d histogramdd histogram_bin_edges ravel_multi_index
        unravel_index ix_ tril_indices_from triu_indices_from diag_indices_from linalg.matrix_rank""",
    ),
    **_because("takes shape and dtype of its operand only", "zeros_like ones_like full_like empty_like"),
    **_because(
        "made of numbers, without an operand that a gradient could reach", "zeros ones full arange eye tri"
    ),
    **_because(
        QUESTION,
        """shape ndim size result_type can_cast iscomplexobj isrealobj common_type min_scalar_type array_equal
        array_equiv allclose may_share_memory shares_memory array_repr array_str array2string einsum_path""",
    ),
    "pullback.stop_gradient": "it is what it is for",
    "pullback.last_written": "the result is bool",
}

_COMPLEX = "the result is complex, and complex values have no gradients here"
_FOURIER = "Fourier transforms are complex, and complex values have no gradients here"

REFUSED: dict[str, str] = {
    **_because(_COMPLEX, "roots sort_complex linalg.eig linalg.eigvals"),
    **_because(
        _FOURIER,
        """fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft""",
        "numpy.fft",
    ),
    **_because(FILE, "save savez savez_compressed savetxt"),
    **_because("of dates only", "busday_count busday_offset is_busday datetime_as_string"),
    **_because("multiply (x - root) with np.convolve", "poly"),
    **_because("the length of the result depends on the values", "polydiv"),
    **_because("solve with np.linalg.lstsq of np.vander(x, degree + 1)", "polyfit"),
    **_because("the dtype of the result depends on the values", "real_if_close"),
}

WRITES: dict[str, str] = _because(
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
