"""Calling an operator: run it on arrays, wrap the results, record a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...transpile.ir import Param
from ..calls.lists import joined
from ..core import dispatch, grad_mode, saved_hooks
from ..core.callsite import caller
from ..core.complex_values import not_complex
from ..core.errors import NotDifferentiableError
from ..core.operator import Operator
from ..debugging import anomaly
from ..mutation.views import BY_FORMULA, PLAIN, UNRECORDED, overlaps
from ..tensor.leaf_values import KINDS
from ..transforms import forward_ad
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
    given, attributes = operator.bind(args, kwargs)
    mode = grad_mode.ENABLED.get()
    inputs: list[Any] = []
    arrays: list[Any] = []
    edges: list[Edges] = []
    for param, value in zip(operator.inputs, given, strict=True):
        if type(value) not in _SINGLE or param.var.kind == "list":
            value = _input(operator, param, value)
        inputs.append(value)
        wanted = mode is True and param.differentiable
        if type(value) is Tensor:
            arrays.append(value._array)
            edge = value.edge() if wanted else None
            edges.append(() if edge is None else (edge,))
        elif type(value) is list:
            arrays.append([item._array if type(item) is Tensor else item for item in value])
            edges.append(_edges_of(value) if wanted else ())
        else:
            arrays.append(value)
            edges.append(())
    if isinstance(operator, Operator):
        operator = operator.for_dtypes(inputs)
    constants = attributes and {key: _attribute(operator, key, value) for key, value in attributes.items()}
    computed = operator.forward(arrays, constants)
    visible = operator.n_results + operator.n_hidden
    outputs = [None if value is None else _result(operator, value) for value in computed[:visible]]
    storages, views = _shared(operator, inputs, outputs, isinstance(mode, grad_mode.Inference))
    needed = tuple(map(bool, edges))
    node = None
    if True in needed:
        node = _record(operator, inputs, needed, tuple(edges), outputs, storages, computed[visible:])
    results = []
    for i, array in enumerate(outputs[: operator.n_results]):
        if array is not None:
            maker = node if node is not None and node.outputs[i].differentiable else None
            results.append(Tensor(array, storages[i], node=maker, output=i, view=views[i]))
    if _observer is not None:
        _observer(operator, inputs, attributes, tuple(results))
    return tuple(results) if operator.result_is_tuple else results[0]


# Types of inputs that are no list and of no other engine.
_SINGLE = frozenset({Tensor, np.ndarray, float, int, bool, complex, type(None)})


def _result(operator: Any, value: Any) -> Array:
    """An operator's result as an array of numbers or bools."""
    array = value if type(value) is np.ndarray else np.asarray(value)
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
    edges: tuple[Edges, ...],
    arrays: Sequence[Array | None],
    storages: Sequence[Storage],
    plain: Sequence[Any],
) -> OperatorNode | None:
    """The node of this call, with the values that its derivative reads.

    None where no result can have a gradient.
    """
    if not operator.complex and any(map(_is_complex, edges)):
        raise NotDifferentiableError(not_complex(operator))
    outputs = tuple([_output(operator, index, array) for index, array in enumerate(arrays)])
    # Other patterns of gradients read no more than this one: what a branch that was not taken leaves out
    # counts as defined, for it may be filled with zeros.
    defined = tuple([o.differentiable or array is None for o, array in zip(outputs, arrays, strict=True)])
    if True not in [output.differentiable for output in outputs[: operator.n_results]]:
        return None
    node = OperatorNode(operator, outputs, edges, caller())
    if anomaly.is_anomaly_enabled():
        node.forward_stack = anomaly.stack()
    saved: list[Any] = [None] * len(operator.saved)
    for index in operator.backward(defined, needed).reads:
        source, position, name = operator.saved[index]
        if source == "input":
            saved[index] = _keep_input(name, inputs[position])
        elif source == "plain":
            saved[index] = plain[position] if _pack is None else _keep_plain(plain[position])
        elif (array := arrays[position]) is not None:
            saved[index] = _keep_output(name, array, storages[position], position)
        node.keeps_arrays = node.keeps_arrays or holds_array(saved[index])
    node.saved = saved
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


def _attribute(operator: Any, name: str, value: Any) -> Any:
    """Attributes are constants: an index may be a tensor, but not one that wants a gradient."""
    if isinstance(value, Tensor):
        if name == "dtype":
            raise TypeError("Cannot construct a dtype from a tensor; pass its dtype")
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


def _is_complex(edges: Edges) -> bool:
    """True where a gradient that goes along one of the edges is complex."""
    return any(edge is not None and edge.node.outputs[edge.output].dtype.kind == "c" for edge in edges)


def _edges_of(values: list[Any]) -> Edges:
    """An edge per item of a list; none where no item requires a gradient."""
    edges = [item.edge() if type(item) is Tensor else None for item in values]
    return tuple(edges) if any(edges) else ()


def _output(operator: Any, index: int, array: Array | None) -> Output:
    """Facts of an output for the backward; a hidden one of a branch not taken has no gradient."""
    if array is None:
        return Output((), np.dtype(float), False)
    dtype = array.dtype
    kind = dtype.kind
    if kind == "c" and not operator.complex:
        raise NotDifferentiableError(not_complex(operator))
    differentiable = kind in "fc" and index not in operator.nondifferentiable
    return tuple.__new__(Output, (array.shape, dtype, differentiable))


def _keep_input(name: str, value: Any) -> Any:
    if type(value) is list:
        return [_keep_input(name, item) for item in value]
    if type(value) is not Tensor:
        return _keep_plain(value)
    node = value._node
    # A constant's tangent hangs on the tensor itself.
    leaf = value if node is None and (value._requires or forward_ad.is_active()) else None
    saved = SavedInput(name, value._array, value._storage, value._output, node, leaf, value._name)
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
    operator: Any, inputs: Sequence[Any], arrays: Sequence[Array | None], inference: bool
) -> tuple[list[Storage], list[View | None]]:
    """A storage for each output, an input's where they share memory; and the view that it then is of it."""
    if len(arrays) == 1 and (array := arrays[0]) is not None and _is_new(array, inputs):
        return [Storage(inference)], [None]
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
            storages.append(own.setdefault(key, Storage(inference)))
            views.append(None)
        else:
            storages.append(source._storage)
            views.append(_view(operator, source, array))
    return storages, views


def _is_new(array: Array, inputs: Sequence[Any]) -> bool:
    """True for an array that owns its memory and is none of the inputs."""
    if array.base is not None:
        return False
    for value in inputs:
        if type(value) is list or (type(value) is Tensor and value._array is array):
            return False
    return True


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
