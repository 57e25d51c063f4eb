"""Operators and methods of tensors, written once for both engines.

The reference engine's type inherits them; a type made in C++ receives them by
`install`, and keeps what it defines itself.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self, TypeVar

import numpy as np

from . import copying, functional, inplace
from .call import call
from .errors import GradientLostWarning, NotDifferentiableError
from .grad_mode import is_grad_enabled
from .numpy_protocol import array_function, array_ufunc
from .representation import representation

Axis = int | tuple[int, ...] | None


T = TypeVar("T")


def _unary(word: str) -> Callable[[T], T]:
    def method(self: Any) -> Any:
        return call(word, self)

    return method


def _binary(word: str) -> Callable[[T, Any], T]:
    def method(self: Any, other: Any) -> Any:
        return call(word, self, other)

    return method


def _reflected(word: str) -> Callable[[T, Any], T]:
    def method(self: Any, other: Any) -> Any:
        return call(word, other, self)

    return method


class TensorMethods:
    """What a tensor does besides being an array with a place in a graph."""

    __slots__ = ()

    _array: np.ndarray[Any, Any]

    __array_priority__ = 1000
    __array_ufunc__ = array_ufunc
    __array_function__ = array_function
    __repr__ = representation
    __hash__ = object.__hash__
    __reduce__ = copying.reduce
    __copy__ = copying.shallow
    __deepcopy__ = copying.deep

    __add__ = _binary("add")
    __radd__ = _reflected("add")
    __sub__ = _binary("subtract")
    __rsub__ = _reflected("subtract")
    __mul__ = _binary("multiply")
    __rmul__ = _reflected("multiply")
    __truediv__ = _binary("divide")
    __rtruediv__ = _reflected("divide")
    __floordiv__ = _binary("floor_divide")
    __rfloordiv__ = _reflected("floor_divide")
    __mod__ = _binary("remainder")
    __rmod__ = _reflected("remainder")
    __pow__ = _binary("power")
    __rpow__ = _reflected("power")
    __matmul__ = _binary("matmul")
    __rmatmul__ = _reflected("matmul")
    __and__ = _binary("bitwise_and")
    __rand__ = _reflected("bitwise_and")
    __or__ = _binary("bitwise_or")
    __ror__ = _reflected("bitwise_or")
    __neg__ = _unary("negative")
    __pos__ = _unary("positive")
    __abs__ = _unary("abs")
    __invert__ = _unary("invert")
    __lt__ = _binary("less")
    __le__ = _binary("less_equal")
    __gt__ = _binary("greater")
    __ge__ = _binary("greater_equal")
    __eq__ = _binary("equal")  # type: ignore[assignment]
    __ne__ = _binary("not_equal")  # type: ignore[assignment]

    __iadd__ = inplace.operator("add")
    __isub__ = inplace.operator("subtract")
    __imul__ = inplace.operator("multiply")
    __itruediv__ = inplace.operator("divide")
    __ifloordiv__ = inplace.operator("floor_divide")
    __imod__ = inplace.operator("remainder")
    __ipow__ = inplace.operator("power")
    __iand__ = inplace.operator("bitwise_and")
    __ior__ = inplace.operator("bitwise_or")
    __setitem__ = inplace.setitem

    # as a sequence and as a number

    def __getitem__(self, index: Any) -> Self:
        return call("getitem", self, index)  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self._array)

    def __float__(self: Any) -> float:
        if self.requires_grad and is_grad_enabled():
            warnings.warn(
                "a number has no gradient, and this tensor requires grad; use NumPy's functions instead of "
                "math's, "
                "or x.item() where the number is meant",
                GradientLostWarning,
                stacklevel=2,
            )
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        return operator.index(self._array)

    def item(self) -> Any:
        """The only value, as a Python number. ValueError where there are several."""
        return self._array.item()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self._array.tolist()

    def numpy(self: Any) -> np.ndarray[Any, Any]:
        """An array over the same memory, read-only while a backward needs the values.

        A write through it is not seen by the version counter. Raises
        NotDifferentiableError for a tensor that requires grad: what NumPy computes
        with the array would silently have no gradient.
        """
        if self.requires_grad:
            raise NotDifferentiableError(
                "this tensor requires grad, and an array has no gradient; x.detach().numpy() says that "
                "this is meant"
            )
        exported: np.ndarray[Any, Any] = self._exported()
        return exported

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self.requires_grad:
            raise NotDifferentiableError(
                "NumPy asked for a plain array of a tensor that requires grad, and its gradient would be "
                "lost: "
                "call the function of pullback.numpy, or use x.detach()"
            )
        return np.array(self._exported(), dtype=dtype, copy=copy)

    # reductions

    def sum(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """As `np.sum`."""
        return call("sum", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """As `np.mean`."""
        return call("mean", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def max(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """As `np.max`."""
        return call("max", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def min(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """As `np.min`."""
        return call("min", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def prod(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """As `np.prod`."""
        return call("prod", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def var(self, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Self:
        """As `np.var`."""
        return call("var", self, axis=axis, ddof=ddof, keepdims=keepdims)  # type: ignore[no-any-return]

    def std(self, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Self:
        """As `np.std`."""
        return call("std", self, axis=axis, ddof=ddof, keepdims=keepdims)  # type: ignore[no-any-return]

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """As `np.trace`."""
        return call("trace", self, offset=offset, axis1=axis1, axis2=axis2)  # type: ignore[no-any-return]

    def dot(self, other: Any) -> Self:
        """As `np.dot`."""
        return call("dot", self, other)  # type: ignore[no-any-return]

    def cumsum(self, axis: int | None = None) -> Self:
        """As `np.cumsum`."""
        return call("cumsum", self, axis=axis)  # type: ignore[no-any-return]

    def cumprod(self, axis: int | None = None) -> Self:
        """As `np.cumprod`."""
        return call("cumprod", self, axis=axis)  # type: ignore[no-any-return]

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Self:
        """As `np.argmax`; no gradient."""
        return call("argmax", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Self:
        """As `np.argmin`; no gradient."""
        return call("argmin", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def all(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """As `np.all`; no gradient."""
        return call("all", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def any(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """As `np.any`; no gradient."""
        return call("any", self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    # elementwise and shape

    def round(self, decimals: int = 0) -> Self:
        """As `np.round`; its derivative is zero."""
        return call("round", self, decimals=decimals)  # type: ignore[no-any-return]

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """As `np.clip`."""
        return call("clip", self, min, max)  # type: ignore[no-any-return]

    def astype(self, dtype: Any) -> Self:
        """As the method of arrays; the gradient returns in the old dtype."""
        return call("astype", self, dtype=np.dtype(dtype))  # type: ignore[no-any-return]

    def copy(self) -> Self:
        """The same values in new memory, with the same history."""
        return call("positive", self)  # type: ignore[no-any-return]

    def reshape(self, *shape: int | Sequence[int]) -> Self:
        """As the method of arrays: lengths one by one or as a tuple."""
        return call("reshape", self, shape=_lengths(shape))  # type: ignore[no-any-return]

    def flatten(self) -> Self:
        """All values along one axis."""
        return self.reshape(-1)

    ravel = flatten

    def transpose(self, *axes: int | Sequence[int] | None) -> Self:
        """As the method of arrays: axes one by one, as a tuple, or reversed without any."""
        order = None if axes in ((), (None,)) else _lengths(axes)
        return call("transpose", self, axes=order)  # type: ignore[no-any-return]

    @property
    def T(self) -> Self:
        """The axes reversed."""
        return self.transpose()

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """As `np.diagonal`."""
        return call("diagonal", self, offset=offset, axis1=axis1, axis2=axis2)  # type: ignore[no-any-return]

    def repeat(self, repeats: Any, axis: int | None = None) -> Self:
        """As `np.repeat`."""
        return call("repeat", self, repeats=repeats, axis=axis)  # type: ignore[no-any-return]

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """As `np.swapaxes`."""
        return call("swapaxes", self, axis1=axis1, axis2=axis2)  # type: ignore[no-any-return]

    def squeeze(self, axis: Axis = None) -> Self:
        """As `np.squeeze`."""
        return call("squeeze", self, axis=axis)  # type: ignore[no-any-return]

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradients of this tensor to the `grad` of the leaves that it depends on.

        gradient      of this tensor; may be left out for a single value
        retain_graph  keep what the graph saved for another backward (default: as create_graph)
        create_graph  record the backward, for higher derivatives
        inputs        tensors that get a gradient, instead of all leaves
        """
        functional.backward(self, gradient, retain_graph, create_graph, inputs)


def _lengths(parts: Sequence[Any]) -> tuple[int, ...]:
    if len(parts) == 1 and isinstance(parts[0], (tuple, list)):
        parts = parts[0]
    return tuple(int(part) for part in parts)


def install(kind: type) -> None:
    """Give a tensor type all of these that it doesn't define itself."""
    own = vars(kind)
    for name, method in vars(TensorMethods).items():
        if name not in ("__slots__", "__module__", "__doc__", "__dict__", "__weakref__") and name not in own:
            setattr(kind, name, method)
