"""Writes into a tensor's memory: ``x += y``, ``x[i] = v``, ``out=x``, ``x.mul_(y)``.

Where nothing requires grad, or recording is off, the memory is written and the
version counts it. Else the new values have a history: the operator's result is
computed beside, written into the memory, and the tensor takes over its place in
the graph; the base of a view gets a new history too, see `views`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..calls.call import arrays, call, function_of, wrapped
from ..calls.indexing import is_basic, part_of
from ..core.dispatch import engine_of, tensors_in
from ..core.errors import InferenceTensorError, MutationError
from ..core.grad_mode import is_inference_mode_enabled, is_recording
from ..core.registry import FORMULAS
from ..debugging.tape import observe_write
from ..formula.formula import Composite, Formula
from ..primitives.regions import inside, region_at, region_of
from ..transforms.forward_ad import has_tangent
from .views import PLAIN, WHY_NOT_WRITTEN, described, overlaps, overwritten, overwritten_by, root_of


def operator(op: str, sign: str) -> Callable[[Any, Any], Any]:
    """The method for ``x += value`` and its like."""

    def method(self: Any, value: Any) -> Any:
        return update(self, op, value, what=f"x {sign}= value")

    return method


def update(self: Any, op: str, *operands: Any, what: str, **attributes: Any) -> Any:
    """The tensor becomes ``op(self, *operands, **attributes)``; returns it."""
    engine_of(self, *operands)
    if op == "matmul" and (self.ndim < 1 or np.ndim(operands[0]) < 2):
        raise ValueError(
            "inplace matrix multiplication requires the first operand to have at least one and the second at "
            "least two dimensions."
        )
    if not permitted(self, operands, what):
        function = function_of(op)
        if isinstance(function, np.ufunc):
            function(self._array, *map(arrays, operands), out=self._array, **attributes)
        else:
            result = call(op, self._array, *map(arrays, operands), **attributes)
            refuse_cast(np.asarray(result).dtype, self, what)
            self._array[...] = _fitting(result, self, what)
        self._bump_version(what)
        observe_write(self)
        return self
    inputs = unaliased(self, FORMULAS.of_operator(op), (self, *operands))
    return store(self, call(op, *inputs, **attributes), what)


def store(self: Any, result: Any, what: str) -> Any:
    """The tensor becomes a recorded result, which has memory of its own; returns it."""
    refuse_cast(result.dtype, self, what)
    result = fitted(_fitting(result, self, what), self.shape, self.dtype)
    root = root_of(self)
    self._array[...] = result._array
    self._bump_version(what)
    if root is not self:
        root._rebase(overwritten_by(root, result, self))
    self._rebase(result)
    observe_write(self, result)
    return self


def setitem(self: Any, index: Any, value: Any, *, what: str = "x[index] = value") -> None:
    """``x[index] = value``. `what`: the write's name in a message."""
    engine = engine_of(self, value)
    assert engine is not None
    value = _joined(value)
    index = arrays(index)
    part = part_of(self._array, index) if is_basic(index) else None
    if part is not None and _is_part(self, part, value):
        return  # the end of x[i] += v, which has written already
    if not permitted(self, (value,), what):
        self._array[index] = arrays(value)
        self._bump_version(what)
        observe_write(self)
        return
    root = root_of(self)
    if root is self and part is not None and _same_memory(part, self._array):
        whole = value if engine_of(value) is not None else wrapped(engine, np.asarray(value, self.dtype))
        store(self, call("positive", fitted(whole, self.shape, self.dtype)), what)
        return
    if part is not None:
        region = region_of(root._array, part)
    else:
        region = region_at(self._array, index)
        if root is not self:
            region = inside(region_of(root._array, self._array), region)
    if engine_of(value) is not None:
        value = _cast_and_squeezed(value, len(region.shape), self.dtype)
    self._array[index] = arrays(value)
    self._bump_version(what)
    root._rebase(overwritten(root, value, region))


def permitted(self: Any, others: Sequence[Any], what: str) -> bool:
    """True where a write is to be recorded. Raises MutationError where it can't be done at all."""
    array = self._array
    if not array.flags.writeable:
        raise MutationError(
            f"{what}: the memory of this {described(self)} is read-only, as that of a broadcast array and of "
            "a gradient inside a hook is; write into x.copy()"
        )
    if overlaps(array):
        raise MutationError(
            f"{what}: several entries of this {described(self)} are the same memory; write into x.copy()"
        )
    if self.is_inference() and not is_inference_mode_enabled():
        raise InferenceTensorError(
            f"{what}: this {described(self)} was made in inference mode and can't be written to outside of "
            "it; write into x.copy()"
        )
    recorded = _recorded(self, others, what)
    if not recorded and any(map(has_tangent, tensors_in((self, *others)))):
        raise MutationError(
            f"{what}: this {described(self)} or the value carries a tangent, and no graph would tell its new "
            "one; write x = x + y for x += y"
        )
    return recorded


def _recorded(self: Any, others: Sequence[Any], what: str) -> bool:
    """True where a write is to be recorded. Raises MutationError where that can't be done."""
    if not is_recording():
        return False
    if self.dtype.kind not in "fc":
        return False
    root = root_of(self)
    if self.requires_grad and self.is_leaf:
        raise MutationError(
            f"{what}: this {described(self)} is a leaf that requires grad, and its gradient is that of its "
            "value: write under pb.no_grad(), as an optimizer does, or into x.copy()"
        )
    if root.requires_grad and root.is_leaf:
        raise MutationError(
            f"{what}: this {described(self)} is a view of a leaf that requires grad "
            f"({described(root)}), whose gradient is that of its value: write under pb.no_grad(), or into a "
            "view of x.copy()"
        )
    if not (root.requires_grad or any(tensor.requires_grad for tensor in tensors_in(others))):
        return False
    if root is not self and self._made != PLAIN:
        raise MutationError(f"{what}: this {described(self)} is a view that {WHY_NOT_WRITTEN[self._made]}")
    return True


def unaliased(self: Any, entry: Any, inputs: Sequence[Any]) -> list[Any]:
    """The inputs of an operator whose result will be written into `self`.

    Those that its derivative reads are copied where the write would change them.
    """
    reads = _read_inputs(entry, inputs)
    return [_copied(self, value) if position in reads else value for position, value in enumerate(inputs)]


def _copied(self: Any, value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(_copied(self, item) for item in value)
    shared = engine_of(value) is not None and value._storage is self._storage
    return call("positive", value) if shared else value


def _read_inputs(entry: Any, inputs: Sequence[Any]) -> set[int]:
    """The inputs that the derivative reads; all of them where that isn't known."""
    if not isinstance(entry, Formula) or isinstance(entry, Composite):
        return set(range(len(inputs)))
    operator = entry.operator
    needed = tuple(any(t.requires_grad for t in tensors_in((value,))) for value in inputs)
    needed += (False,) * (len(operator.inputs) - len(needed))
    defined = (True,) * (operator.n_results + operator.n_hidden)
    reads = operator.backward(defined, needed).reads
    return {operator.saved[i].position for i in reads if operator.saved[i].source == "input"}


def fitted(value: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A tensor broadcast to a shape and cast, recorded; leading axes of length one may be left out."""
    value = _cast_and_squeezed(value, len(shape), dtype)
    return value if value.shape == shape else call("broadcast_to", value, shape=shape)


def _cast_and_squeezed(value: Any, ndim: int, dtype: Any) -> Any:
    """A tensor cast, recorded, without those leading axes of length one that `ndim` axes don't have."""
    if value.dtype != dtype:
        value = value.astype(dtype)
    extra = value.ndim - ndim
    if extra > 0 and all(n == 1 for n in value.shape[:extra]):
        return value.reshape(value.shape[extra:])
    return value


def _is_part(self: Any, part: Any, value: Any) -> bool:
    """True where the value is this part of the tensor already, with its gradient."""
    if engine_of(value) is None or root_of(value) is not root_of(self) or value._made not in (None, PLAIN):
        return False
    return _same_memory(part, value._array)


def _same_memory(x: Any, y: Any) -> bool:
    """True where two arrays are the same entries of the same memory."""
    same = x.shape == y.shape and x.strides == y.strides
    return bool(same and x.__array_interface__["data"][0] == y.__array_interface__["data"][0])


def _joined(value: Any) -> Any:
    """Tensors in a list as one tensor."""
    if isinstance(value, (list, tuple)) and engine_of(value) is not None:
        return call("stack", [_joined(item) for item in value])
    return value


def _fitting(result: Any, self: Any, what: str) -> Any:
    """The result; ValueError where the tensor is smaller."""
    shape = np.shape(result)
    if np.broadcast_shapes(shape, self.shape) != self.shape:
        raise ValueError(f"{what}: a result of shape {shape} does not fit into {described(self)}")
    return result


def refuse_cast(dtype: Any, self: Any, what: str) -> None:
    """Raise TypeError where NumPy does not cast values of a dtype to the tensor's."""
    if not np.can_cast(dtype, self.dtype, "same_kind"):
        raise TypeError(f"{what}: a result of dtype {dtype} does not go into {described(self)}")
