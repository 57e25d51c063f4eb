"""A few numbers by which to see whether an array has the values that another one had."""

from __future__ import annotations

from typing import Any

import numpy as np

# How many entries are sampled, evenly over the array.
_ENTRIES = 64
# How many units in the last place rounding may add up to.
_NOISE = 1000


class Sketch:
    """Entries of an array and the sum of all, to compare with a later one of the same shape and dtype.

    >>> import numpy as np
    >>> sketch = Sketch(np.arange(1000.0))
    >>> sketch.fits(np.arange(1000.0) * (1 + 1e-15)), sketch.fits(np.arange(1000.0) + 1e-3)
    (True, False)
    """

    __slots__ = ("_entries", "_sum")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._entries = _entries(array)
        self._sum = _sum(array)

    @property
    def largest(self) -> float:
        """The largest finite magnitude among the sampled entries."""
        return float(np.max(np.abs(self._entries), initial=0, where=np.isfinite(self._entries)))

    def fits(self, array: np.ndarray[Any, Any], scale: float = 0.0) -> bool:
        """True where these may be the same values up to rounding: half of the digits of a float dtype.

        scale  magnitude of what they were computed of: where that cancels, rounding is all that is left
        """
        if array.dtype.kind not in "fc":
            return bool(np.array_equal(self._entries, _entries(array)) and self._sum == _sum(array))
        eps = float(np.finfo(array.dtype).eps)
        half = eps**0.5
        noise = max(half * self.largest, _NOISE * eps * scale)
        return bool(
            np.allclose(_entries(array), self._entries, half, noise, equal_nan=True)
            and np.allclose(_sum(array), self._sum, half, noise * array.size, equal_nan=True)
        )


def _entries(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Up to `_ENTRIES` entries, copied."""
    if array.size <= _ENTRIES:
        return array.flatten()
    return array.flat[:: array.size // _ENTRIES + 1]


def _sum(array: np.ndarray[Any, Any]) -> Any:
    """The sum of all entries, in a wide dtype."""
    with np.errstate(all="ignore"):
        wide = np.complex128 if array.dtype.kind == "c" else np.float64 if array.dtype.kind == "f" else None
        return np.sum(array, dtype=wide)
