"""Calling an operator: run it on arrays, wrap the results, record a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...transpile.ir import Param
from ..calls.lists import joined
from ..core import dispatch, grad_mode, saved_hooks
from ..core.callsite import callsite
from ..core.complex_values import not_complex
from ..core.errors import NotDifferentiableError
from ..core.operator import Operator
from ..debugging import anomaly
from ..mutation.views import BY_FORMULA, PLAIN, UNRECORDED, overlaps
from ..tensor.leaf_values import KINDS
from .node import Edges, OperatorNode, Output
from .saved import SavedInput, SavedOutput, SavedPacked, holds_array
from .storage import Array, Storage, owner
from .tensor import Tensor, View

_observer: dispatch.Observer | None = None


def set_observer(observer: dispatch.Observer | None) -> None:
    """Have this called after each `apply` with operator, inputs, attributes and results."""
    global _observer
    _observer = observer


_pack: Callable[[Tensor], saved_hooks.Packed | None] | None = None


def set_packing(pack: Callable[[Tensor], saved_hooks.Packed | None] | None) -> None:
    """Keep ``pack(x)`` of what is saved, unless it gives None; see `saved_hooks`."""
    global _pack
    _pack = pack


def set_anomaly(enabled: bool, check_nan: bool) -> None:
    """This engine asks `anomaly` itself."""


def apply(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call an operator with tensors among its arguments; see `dispatch.Engine.apply`."""
    inputs, attributes = operator.bind(args, kwargs)
    inputs = [_input(operator, param, value) for param, value in zip(operator.inputs, inputs, strict=True)]
    if isinstance(operator, Operator):
        operator = operator.for_dtypes(inputs)
    computed = operator.forward(
        list(map(_array, inputs)),
        {key: _attribute(operator, key, value) for key, value in attributes.items()},
    )
    visible = operator.n_results + operator.n_hidden
    arrays = [None if value is None else _result(operator, value) for value in computed[:visible]]
    storages, views = _shared(operator, inputs, arrays)
    needed = tuple(
        [
            param.differentiable and _requires_grad(value)
            for param, value in zip(operator.inputs, inputs, strict=True)
        ]
    )
    node = None
    if True in needed and grad_mode.is_recording():
        node = _record(operator, inputs, needed, arrays, storages, computed[visible:])
    results = tuple(
        Tensor(
            array,
            storages[i],
            node=node if node and node.outputs[i].differentiable else None,
            output=i,
            view=views[i],
        )
        for i, array in enumerate(arrays[: operator.n_results])
        if array is not None
    )
    if _observer is not None:
        _observer(operator, inputs, attributes, results)
    return results if operator.result_is_tuple else results[0]


def _result(operator: Any, value: Any) -> Array:
    """An operator's result as an array of numbers or bools."""
    array = np.asarray(value)
    if array.dtype.kind not in KINDS:
        raise TypeError(
            f"{operator.name}: a tensor holds numbers or bools, not {array.dtype}; of other numbers, as "
            "Fraction, write float(number)"
        )
    return array


def _record(
    operator: Any,
    inputs: Sequence[Any],
    needed: tuple[bool, ...],
    arrays: Sequence[Array | None],
    storages: Sequence[Storage],
    plain: Sequence[Any],
) -> OperatorNode | None:
    """The node of this call, with the values that its derivative reads.

    None where no result can have a gradient.
    """
    if not operator.complex and any(
        wanted and _is_complex(value) for value, wanted in zip(inputs, needed, strict=True)
    ):
        raise NotDifferentiableError(not_complex(operator))
    outputs = tuple([_output(operator, i, array) for i, array in enumerate(arrays)])
    if not any(output.differentiable for output in outputs[: operator.n_results]):
        return None
    edges = tuple([_edges(value) if wanted else () for value, wanted in zip(inputs, needed, strict=True)])
    node = OperatorNode(operator, outputs, edges, callsite())
    if anomaly.is_anomaly_enabled():
        node.forward_stack = anomaly.stack()
    # Other patterns of gradients read no more than this one: what a branch that was not taken leaves out
    # counts as defined, for it may be filled with zeros.
    defined = [o.differentiable or array is None for o, array in zip(outputs, arrays, strict=True)]
    reads = operator.backward(tuple(defined), needed).reads

    def save_at(index: int) -> Any:
        source, position, name = operator.saved[index]
        if index not in reads:
            return None
        if source == "input":
            return _keep_input(name, inputs[position])
        if source == "output":
            array = arrays[position]
            return None if array is None else _keep_output(name, array, storages[position], position)
        return _keep_plain(plain[position])

    node.saved = [save_at(index) for index in range(len(operator.saved))]
    node.keeps_arrays = any(map(holds_array, node.saved))
    return node


def _input(operator: Any, param: Param, value: Any) -> Any:
    """An input in one of four forms: tensor, array, list of these, or Python number or None."""
    if param.var.kind == "list":
        if isinstance(value, (Tensor, np.ndarray)):
            value = list(value)  # its parts along the first axis
        if isinstance(value, (list, tuple)):
            return [_item(operator, param, joined(item)) for item in value]
    return _item(operator, param, value)


def _item(operator: Any, param: Param, value: Any) -> Any:
    """An input that is no list."""
    if isinstance(value, (Tensor, np.ndarray)):
        return value
    if isinstance(value, (list, tuple)):
        return _item(operator, param, joined(value))
    engine = dispatch.engine_of(value)
    if engine is not None:
        raise dispatch.mismatch("reference", engine.name)
    return value


def _array(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value._array
    return [_array(item) for item in value] if isinstance(value, list) else value


def _attribute(operator: Any, name: str, value: Any) -> Any:
    """Attributes are constants: an index may be a tensor, but not one that wants a gradient."""
    if isinstance(value, Tensor):
        if value.requires_grad and grad_mode.is_recording():
            raise NotDifferentiableError(
                f"{operator.name}: {name!r} is an attribute, no gradient flows into it, and it got a "
                "tensor that "
                f"requires grad; pass {name}.detach()"
            )
        return value._array
    if type(value) in (list, tuple):
        return type(value)(_attribute(operator, name, item) for item in value)
    return value


def _requires_grad(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_requires_grad, value))
    return isinstance(value, Tensor) and value.requires_grad


def _is_complex(value: Any) -> bool:
    """True for a complex tensor that requires grad, or a list with one."""
    if isinstance(value, list):
        return any(map(_is_complex, value))
    return isinstance(value, Tensor) and value.requires_grad and value.dtype.kind == "c"


def _edges(value: Any) -> Edges:
    if isinstance(value, list):
        return tuple(item.edge() if isinstance(item, Tensor) else None for item in value)
    return (value.edge(),)


def _output(operator: Any, index: int, array: Array | None) -> Output:
    """Facts of an output for the backward; a hidden one of a branch not taken has no gradient."""
    if array is None:
        return Output((), np.dtype(float), False)
    if array.dtype.kind == "c" and not operator.complex:
        raise NotDifferentiableError(not_complex(operator))
    differentiable = array.dtype.kind in "fc" and index not in operator.nondifferentiable
    return Output(array.shape, array.dtype, differentiable)


def _keep_input(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_keep_input(name, item) for item in value]
    if not isinstance(value, Tensor):
        return _keep_plain(value)
    saved = SavedInput(name, value)
    if _pack is not None and (packed := _pack(value.detach())) is not None:
        return SavedPacked(packed, edge=value.edge())
    return saved


def _keep_output(name: str, array: Array, storage: Storage, output: int) -> SavedOutput | SavedPacked:
    saved = SavedOutput(name, array, storage, output)
    if _pack is not None and (packed := _pack(Tensor(array, storage))) is not None:
        return SavedPacked(packed, output=output)
    return saved


def _keep_plain(value: Any) -> Any:
    """A value as it is; hooks get the arrays among them, a mask for instance."""
    if _pack is not None and holds_array(value):
        if isinstance(value, list):
            return [_keep_plain(item) for item in value]
        if (packed := _pack(Tensor(value))) is not None:
            return SavedPacked(packed, tensor=False)
    return value


def _shared(
    operator: Any, inputs: Sequence[Any], arrays: Sequence[Array | None]
) -> tuple[list[Storage], list[View | None]]:
    """A storage for each output, an input's where they share memory; and the view that it then is of it."""
    tensors = {
        id(owner(item._array)): item
        for value in inputs
        for item in (value if isinstance(value, list) else (value,))
        if isinstance(item, Tensor)
    }
    own: dict[int, Storage] = {}
    storages: list[Storage] = []
    views: list[View | None] = []
    for array in arrays:
        key = id(owner(array)) if array is not None else 0
        source = tensors.get(key)
        if array is None or source is None:
            storages.append(own.setdefault(key, Storage()))
            views.append(None)
        else:
            storages.append(source._storage)
            views.append(_view(operator, source, array))
    return storages, views


def _view(operator: Any, source: Tensor, array: Array) -> View:
    """A result over memory of an input. It may be written, unless entries share memory."""
    if not array.flags.writeable and source._array.flags.writeable and not overlaps(array):
        array.flags.writeable = True  # NumPy's diagonals are read-only
    made = PLAIN if operator.plain_views else BY_FORMULA
    if not grad_mode.is_recording():
        made = UNRECORDED
    if source._view is not None and made == PLAIN:
        made = source._view.made
    return View(source._view.base if source._view is not None else source, made)
