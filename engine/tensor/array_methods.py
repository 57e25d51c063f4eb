"""The methods and attributes of NumPy's arrays, on tensors: each is the function of the same name.

Signatures are those of the methods of `numpy.ndarray`. What an operator does not
take itself (``dtype=``, ``where=``) is written with operators in `signatures/`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from ..calls.call import operator_function, operators
from ..core.typed import Tensor
from ..exchange.copying import duplicate
from ..numpy.signatures.arguments import dtype_of
from ..numpy.written.table import WRITTEN_WITH_OPERATORS

VERSIONS = (None, "2021.12", "2022.12", "2023.12", "2024.12")


_OF_OPERATORS: dict[str, Callable[..., Any]] = {}


def _method(op: str, what: str = "") -> Callable[..., Tensor]:
    """The method that calls a op of the vocabulary, with NumPy's arguments."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return operator_function(op)(self, *args, **kwargs)

    method.__name__ = op
    method.__doc__ = f"As `np.{op}`{what}."
    _OF_OPERATORS[op] = method
    return method


def _written(name: str) -> Callable[..., Tensor]:
    """The method that is a function written with operators."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return WRITTEN_WITH_OPERATORS[getattr(np, name)](self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"As `np.{name}`."
    return method


class ArrayMethods:
    """Attributes and methods that a tensor shares with NumPy's arrays."""

    __slots__ = ()

    _array: np.ndarray[Any, Any]

    # reductions

    sum = _method("sum")
    mean = _method("mean")
    max = _method("max")
    min = _method("min")
    prod = _method("prod")
    var = _method("var")
    std = _method("std")
    trace = _method("trace")
    dot = _method("dot")
    cumsum = _method("cumsum")
    cumprod = _method("cumprod")
    argmax = _method("argmax", "; no gradient")
    argmin = _method("argmin", "; no gradient")
    all = _method("all", "; no gradient")
    any = _method("any", "; no gradient")

    # entries

    round = _method("round", "; its derivative is zero")
    clip = _method("clip")
    argsort = _method("argsort", "; no gradient")
    argpartition = _method("argpartition", "; no gradient")
    searchsorted = _method("searchsorted", "; no gradient")
    repeat = _method("repeat")
    diagonal = _method("diagonal")
    squeeze = _method("squeeze")

    take = _written("take")
    choose = _written("choose")
    conj = _written("conj")
    conjugate = conj

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """As `np.swapaxes`."""
        return operators.swapaxes(self, axis1, axis2)  # type: ignore[no-any-return]

    def compress(self, condition: Any, axis: int | None = None) -> Self:
        """As `np.compress`: the slices along an axis for which the condition holds."""
        return WRITTEN_WITH_OPERATORS[np.compress](condition, self, axis)  # type: ignore[no-any-return]

    @property
    def real(self) -> Self:
        """The tensor itself, or the real part of complex values."""
        return np.real(self)  # type: ignore[return-value]

    @property
    def imag(self) -> Self:
        """Zeros, or the imaginary part of complex values."""
        return np.imag(self)  # type: ignore[return-value]

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Self:
        """As the method of arrays; the gradient returns in the old dtype."""
        if (order, casting, subok, copy) == ("K", "unsafe", True, True):
            return operators.astype(self, dtype=dtype_of(dtype))  # type: ignore[no-any-return]
        return operators.astype(self, dtype, order, casting, subok, copy)  # type: ignore[no-any-return]

    def copy(self, order: str = "C") -> Self:
        """The same values in new memory, with the same history."""
        return duplicate(self)  # type: ignore[no-any-return]

    def nonzero(self) -> tuple[Self, ...]:
        """As `np.nonzero`: indexes, which have no gradient."""
        return np.nonzero(self)  # type: ignore[arg-type, return-value]

    # shape

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Self:
        """As the method of arrays: lengths one by one or as a tuple."""
        lengths = _lengths(shape)
        if order == "C" and copy is None:
            return operators.reshape(self, shape=lengths)  # type: ignore[no-any-return]
        return operators.reshape(self, lengths, order, copy=copy)  # type: ignore[no-any-return]

    def flatten(self, order: str = "C") -> Self:
        """All values along one axis, copied."""
        flat = self.ravel(order)
        return flat.copy() if flat._base is not None else flat  # type: ignore[attr-defined]

    def ravel(self, order: str = "C") -> Self:
        """All values along one axis: a view where they follow each other in memory."""
        return self.reshape(-1, order=order)

    def transpose(self, *axes: int | Sequence[int] | None) -> Self:
        """As the method of arrays: axes one by one, as a tuple, or reversed without any."""
        order = None if axes in ((), (None,)) else _lengths(axes)
        return operators.transpose(self, axes=order)  # type: ignore[no-any-return]

    @property
    def T(self) -> Self:
        """The axes reversed."""
        return self.transpose()

    @property
    def mT(self) -> Self:
        """The last two axes exchanged. ValueError for fewer than two."""
        if self._array.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.swapaxes(-1, -2)

    # memory

    @property
    def itemsize(self) -> int:
        """Bytes per value."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all values."""
        return self._array.nbytes

    @property
    def device(self) -> str:
        """The device of the values: always "cpu"."""
        return "cpu"

    def to_device(self, device: str, /, *, stream: Any = None) -> Self:
        """The tensor itself: there is no device but the processor. ValueError for another one."""
        if device != "cpu" or stream is not None:
            raise ValueError(f"tensors are on 'cpu', without streams; not on {device!r}")
        return self

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """`pullback.numpy`, which follows the array API standard. ValueError for an unknown version."""
        if api_version not in VERSIONS:
            raise ValueError(f"Version {api_version!r} of the Array API Standard is not supported.")
        return importlib.import_module("pullback.numpy")


def call_methods_directly() -> None:
    """Have the native engine take methods that are operators without Python, once it is imported."""
    from ..calls.direct import OperatorMethod  # it has tensors before it has functions

    for op, method in _OF_OPERATORS.items():
        setattr(ArrayMethods, op, OperatorMethod(op, method))


def _lengths(parts: Sequence[Any]) -> tuple[int, ...]:
    if len(parts) == 1 and isinstance(parts[0], (tuple, list)):
        parts = parts[0]
    return tuple(int(part) for part in parts)
