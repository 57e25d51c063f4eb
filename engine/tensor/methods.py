"""Operators and methods of tensors, written once for both engines.

The reference engine's type inherits them; a type made in C++ receives them by
`install`, and keeps what it defines itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

import numpy as np

from ..calls.call import arrays, call, operator_function, operators, unrecorded
from ..calls.indexing import is_basic, owned
from ..core.dispatch import engine_of
from ..core.errors import NotDifferentiableError
from ..core.grad_mode import is_recording
from ..exchange import copying, dlpack
from ..mutation import inplace
from ..mutation.inplace_methods import InPlaceMethods
from ..numpy.protocol import array_function, array_ufunc
from ..transforms import functional
from ..transforms.forward_ad import has_tangent, lost_outside
from .array_methods import ArrayMethods
from .representation import representation

T = TypeVar("T")


def _unary(op: str) -> Callable[[T], T]:
    def method(self: Any) -> Any:
        return operator_function(op)(self)

    return method


def _has_own_operators(value: Any) -> bool:
    """True for a value whose type says by ``__array_ufunc__ = None`` that operators are its own."""
    return getattr(type(value), "__array_ufunc__", True) is None


def _binary(op: str) -> Callable[[T, Any], T]:
    def method(self: Any, other: Any) -> Any:
        return NotImplemented if _has_own_operators(other) else operator_function(op)(self, other)

    return method


def _reflected(op: str) -> Callable[[T, Any], T]:
    def method(self: Any, other: Any) -> Any:
        return NotImplemented if _has_own_operators(other) else operator_function(op)(other, self)

    return method


def _equality(op: str, of_arrays: Callable[[Any, Any], Any]) -> Callable[[T, Any], T]:
    def method(self: Any, other: Any) -> Any:
        if isinstance(other, (str, bytes)):  # equal to no number, as in NumPy, whose ufuncs refuse text
            engine = engine_of(self)
            assert engine is not None
            return unrecorded(engine, of_arrays, (self, other), {})
        return NotImplemented if _has_own_operators(other) else call(op, self, other)

    return method


_POWERS = {2: "square", 0.5: "sqrt", -1: "reciprocal"}


def _power(self: Any, exponent: Any) -> Any:
    """As NumPy, which calls another function where there is one: that needs no logarithm, forth or back."""
    if type(exponent) in (int, float) and self.dtype.kind in "fc":
        if exponent == 3:
            return operators.multiply(operators.square(self), self)
        if exponent in _POWERS:
            return call(_POWERS[exponent], self)
    return NotImplemented if _has_own_operators(exponent) else operators.power(self, exponent)


class TensorMethods(ArrayMethods, InPlaceMethods):
    """Methods of a tensor beside those of an array and of a graph's node."""

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
    __dlpack__ = dlpack.export
    __dlpack_device__ = dlpack.device

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
    __pow__ = _power
    __rpow__ = _reflected("power")
    __matmul__ = _binary("matmul")
    __rmatmul__ = _reflected("matmul")
    __and__ = _binary("bitwise_and")
    __rand__ = _reflected("bitwise_and")
    __or__ = _binary("bitwise_or")
    __ror__ = _reflected("bitwise_or")
    __xor__ = _binary("bitwise_xor")
    __rxor__ = _reflected("bitwise_xor")
    __lshift__ = _binary("left_shift")
    __rlshift__ = _reflected("left_shift")
    __rshift__ = _binary("right_shift")
    __rrshift__ = _reflected("right_shift")
    __neg__ = _unary("negative")
    __pos__ = _unary("positive")
    __abs__ = _unary("abs")
    __invert__ = _unary("invert")
    __lt__ = _binary("less")
    __le__ = _binary("less_equal")
    __gt__ = _binary("greater")
    __ge__ = _binary("greater_equal")
    __eq__ = _equality("equal", operator.eq)  # type: ignore[assignment]
    __ne__ = _equality("not_equal", operator.ne)  # type: ignore[assignment]

    __iadd__ = inplace.operator("add", "+")
    __isub__ = inplace.operator("subtract", "-")
    __imul__ = inplace.operator("multiply", "*")
    __itruediv__ = inplace.operator("divide", "/")
    __ifloordiv__ = inplace.operator("floor_divide", "//")
    __imod__ = inplace.operator("remainder", "%")
    __ipow__ = inplace.operator("power", "**")
    __iand__ = inplace.operator("bitwise_and", "&")
    __imatmul__ = inplace.operator("matmul", "@")
    __ior__ = inplace.operator("bitwise_or", "|")
    __ixor__ = inplace.operator("bitwise_xor", "^")
    __ilshift__ = inplace.operator("left_shift", "<<")
    __irshift__ = inplace.operator("right_shift", ">>")
    __setitem__ = inplace.setitem

    # as a sequence and as a number

    def __getitem__(self, index: Any) -> Self:
        if not is_basic(index):
            index = owned(index)
        return operators.getitem(self, index)  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Self]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self._array)

    def __float__(self: Any) -> float:
        _refuse_loss(self, "float()")
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __format__(self, spec: str) -> str:
        if spec and self._array.ndim:
            raise TypeError(
                f"a tensor of {self._array.ndim} axes takes no format ({spec!r}), only a number does"
            )
        return format(self._array.item(), spec) if spec else str(self)

    def __complex__(self: Any) -> complex:
        _refuse_loss(self, "complex()")
        return complex(self.item())

    def __contains__(self, value: Any) -> bool:
        return bool((self._array == arrays(value)).any())

    def __divmod__(self, other: Any) -> Any:
        if _has_own_operators(other):
            return NotImplemented
        return operators.floor_divide(self, other), operators.remainder(self, other)

    def __rdivmod__(self, other: Any) -> Any:
        if _has_own_operators(other):
            return NotImplemented
        return operators.floor_divide(other, self), operators.remainder(other, self)

    def __index__(self) -> int:
        return operator.index(self._array)

    def item(self, *place: Any) -> Any:
        """A value as a Python number: the only one, or the one at a place, as of arrays.

        ValueError where there are several and no place is named.
        """
        return self._array.item(*place)

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self._array.tolist()

    def numpy(self: Any) -> np.ndarray[Any, Any]:
        """An array over the same memory, read-only while a backward needs the values.

        A write through it is not seen by the version counter. Raises
        NotDifferentiableError for a tensor that requires grad or carries a tangent:
        what NumPy computes with the array would silently have none.
        """
        if lost := lost_outside(self):
            raise NotDifferentiableError(
                f"this tensor {lost} would be lost in an array; x.detach().numpy() says that this is meant"
            )
        exported: np.ndarray[Any, Any] = self._exported()
        return exported

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if lost := lost_outside(self):
            raise NotDifferentiableError(
                f"NumPy asked for a plain array of a tensor that {lost} would be lost: write np.stack([...]) "
                "or pullback.numpy.array([...]) in the place of np.array([...]), write to "
                "pullback.numpy.zeros(3) and not to an array, call the function of pullback.numpy, or use "
                "x.detach()"
            )
        return np.array(self._exported(), dtype=dtype, copy=copy)

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


def _refuse_loss(tensor: Any, what: str) -> None:
    """Raise NotDifferentiableError where a tensor with a gradient or tangent becomes a Python number."""
    if (tensor.requires_grad and is_recording()) or has_tangent(tensor):
        raise NotDifferentiableError(
            f"{what} of a tensor that {lost_outside(tensor)} would be lost: a Python number and an entry of "
            "an array have none. Compute with tensors (np.exp(x) in the place of math.exp(x); a = "
            "pullback.numpy.zeros(3) before a[0] = x, or np.stack([...])), or write x.item() where the "
            "number is meant"
        )


def install(kind: type) -> None:
    """Give a tensor type all of these that it doesn't define itself."""
    own = vars(kind)
    for name, method in (vars(ArrayMethods) | vars(TensorMethods)).items():
        if name not in ("__slots__", "__module__", "__doc__", "__dict__", "__weakref__") and name not in own:
            setattr(kind, name, method)
