"""In-place methods of tensors under PyTorch's names: a small set, each a write as `inplace` says.

`add_ sub_ mul_ div_ pow_ neg_ abs_ exp_ log_ sqrt_ tanh_ sigmoid_ relu_ clamp_
zero_ fill_ copy_ masked_fill_ addcmul_ addcdiv_ lerp_`. Each returns the tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np

from ..calls.call import call
from ..core.dispatch import engine_of
from .inplace import setitem, update

T = TypeVar("T")


def _unary(name: str, op: str) -> Callable[[T], T]:
    def method(self: Any) -> Any:
        return update(self, op, what=f"x.{name}()")

    method.__name__ = name
    method.__doc__ = f"`{op}` of this tensor takes its place."
    return method


def _binary(name: str, op: str) -> Callable[[T, Any], T]:
    def method(self: Any, other: Any) -> Any:
        return update(self, op, other, what=f"x.{name}(other)")

    method.__name__ = name
    method.__doc__ = f"`{op}` of this tensor and another, or a number, takes its place."
    return method


def _scaled(other: Any, alpha: Any) -> Any:
    return other if isinstance(alpha, int) and alpha == 1 else call("multiply", other, alpha)


class InPlaceMethods:
    """The method ``x.mul_(y)``, or another one for a binary operator."""

    __slots__ = ()

    mul_ = _binary("mul_", "multiply")
    div_ = _binary("div_", "divide")
    pow_ = _binary("pow_", "power")
    neg_ = _unary("neg_", "negative")
    abs_ = _unary("abs_", "abs")
    exp_ = _unary("exp_", "exp")
    log_ = _unary("log_", "log")
    sqrt_ = _unary("sqrt_", "sqrt")
    tanh_ = _unary("tanh_", "tanh")
    sigmoid_ = _unary("sigmoid_", "sigmoid")
    relu_ = _unary("relu_", "relu")

    def add_(self, other: Any, *, alpha: Any = 1) -> Self:
        """``self += alpha * other``."""
        return update(self, "add", _scaled(other, alpha), what="x.add_(other)")  # type: ignore[no-any-return]

    def sub_(self, other: Any, *, alpha: Any = 1) -> Self:
        """``self -= alpha * other``."""
        scaled = _scaled(other, alpha)
        return update(self, "subtract", scaled, what="x.sub_(other)")  # type: ignore[no-any-return]

    def clamp_(self, min: Any = None, max: Any = None) -> Self:
        """Values below `min` become `min`, values above `max` become `max`; None is no bound."""
        return update(self, "clip", min, max, what="x.clamp_(min, max)")  # type: ignore[no-any-return]

    def zero_(self) -> Self:
        """All values become zero; a gradient of what was there before is zero."""
        return self.fill_(0)

    def fill_(self, value: Any) -> Self:
        """All values become this one: a number, or a tensor of no axes."""
        setitem(self, Ellipsis, value)
        return self

    def copy_(self, source: Any) -> Self:
        """The values of a tensor or array that broadcasts to this one's shape, in this one's dtype."""
        setitem(self, Ellipsis, source)
        return self

    def masked_fill_(self, mask: Any, value: Any) -> Self:
        """Write this value where `mask` is True: a number, or a tensor of no axes."""
        setitem(self, _mask(mask, self), value)
        return self

    def addcmul_(self, first: Any, second: Any, *, value: Any = 1) -> Self:
        """``self += value * first * second``."""
        product = call("multiply", _scaled(first, value), second)
        return update(self, "add", product, what="x.addcmul_(a, b)")  # type: ignore[no-any-return]

    def addcdiv_(self, first: Any, second: Any, *, value: Any = 1) -> Self:
        """``self += value * first / second``."""
        quotient = call("divide", _scaled(first, value), second)
        return update(self, "add", quotient, what="x.addcdiv_(a, b)")  # type: ignore[no-any-return]

    def lerp_(self, end: Any, weight: Any) -> Self:
        """``self += weight * (end - self)``."""
        step = call("multiply", weight, call("subtract", end, self))
        return update(self, "add", step, what="x.lerp_(end, weight)")  # type: ignore[no-any-return]


def _mask(mask: Any, tensor: Any) -> Any:
    array = mask._array if engine_of(mask) is not None else np.asarray(mask)
    if array.dtype != bool:
        raise TypeError(f"masked_fill_ takes a mask of bools, not of {array.dtype}")
    return np.broadcast_to(array, tensor.shape)
