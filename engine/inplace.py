"""Writes into a tensor's memory: where nothing is recorded, counted by the version.

A write into a tensor that requires grad is allowed under `pb.no_grad()` (an
optimizer's step on a leaf). Recorded in-place operators are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .call import arrays, function_of
from .dispatch import tensors_in
from .errors import MutationError
from .grad_mode import is_grad_enabled


def setitem(self: Any, index: Any, value: Any) -> None:
    """``x[index] = value``."""
    _check(self, value, "x[index] = value", "np.where(mask, value, x)")
    self._array[arrays(index)] = arrays(value)
    self._bump_version()


def operator(word: str) -> Callable[[Any, Any], Any]:
    """The method for ``x += value`` and its like."""

    def method(self: Any, value: Any) -> Any:
        _check(self, value, f"in-place {word}", f"x = np.{word}(x, value)")
        function = function_of(word)
        assert function is not None
        function(self._array, arrays(value), out=self._array)
        self._bump_version()
        return self

    return method


def _check(self: Any, value: Any, what: str, instead: str) -> None:
    if not self._array.flags.writeable:
        raise MutationError(
            f"{what}: the memory of this tensor is read-only, as that of a gradient inside a hook or of a "
            "broadcast "
            f"array is; write {instead}, or change x.copy()"
        )
    if not is_grad_enabled():
        return
    if self.requires_grad:
        leaf = "a leaf that requires grad" if self.is_leaf else "a tensor with a history"
        raise MutationError(
            f"{what} on {leaf} would make its gradient wrong; write {instead}, or do it under pb.no_grad()"
        )
    if any(tensor.requires_grad for tensor in tensors_in((value,))):
        raise MutationError(
            f"{what} with a value that requires grad on a tensor that doesn't: the gradient would be lost; "
            f"write {instead}"
        )
