"""Batching rules: an operator on one example, done on all examples at once.

A rule takes the operator as `run`, the level of the batch, and the arguments as they are for one example. It
runs the operator with the examples along an axis more, the first, and returns a result of the same layout;
None where it has no way for these arguments, which then run one example at a time.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..calls.call import call
from .tensor import Batched, Level

Run = Callable[[Sequence[Any], Mapping[str, Any]], Any]
Rule = Callable[[Run, Level, Sequence[Any], Mapping[str, Any]], Any]
RULES: dict[str, Rule] = {}
_LETTERS = string.ascii_letters


def _rule(*names: str) -> Callable[[Rule], Rule]:
    def add(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return add


def _is_batched(value: Any, level: Level) -> bool:
    return type(value) is Batched and value.level is level


def _with_rank(value: Any, level: Level, rank: int) -> Any:
    """A batched operand with an example's axes made `rank` many by leading ones of length 1."""
    if not _is_batched(value, level):
        return value
    if value.ndim >= rank:
        return value.value
    shape = (level.size, *(1,) * (rank - value.ndim), *value.shape)
    return call("reshape", value.value, shape=shape)


def _examples(value: Any, level: Level) -> Any:
    """The operand of every example along the first axis, repeated where it is the same for all."""
    if _is_batched(value, level):
        return value.value
    return call("broadcast_to", value, shape=(level.size, *np.shape(value)))


def pointwise(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Entry by entry: the examples' axes are broadcast behind the first."""
    rank = max(np.ndim(value) for value in inputs if value is not None)
    return run([_with_rank(value, level, rank) for value in inputs], attributes)


@_rule("inv", "det", "cholesky", "tril", "triu")
def _of_stacks(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Operators whose last two axes are a matrix, and those before a stack."""
    return run([inputs[0].value], attributes) if inputs[0].ndim >= 2 else None


@_rule("zeros_like", "ones_like")
def _of_shapes(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """A constant of the operand's shape."""
    return run([inputs[0].value], attributes) if attributes.get("shape") is None else None


@_rule(
    "sum", "mean", "max", "min", "prod", "var", "std", "all", "any", "logsumexp",
    "softmax", "log_softmax", "flip",
)  # fmt: skip
def _over_axes(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Over some axes, or over all where `axis` is None."""
    (x,) = inputs
    axis = attributes.get("axis")
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, Iterable) else (axis,)
    moved = tuple(normalize_axis_index(each, x.ndim) + 1 for each in axes)
    return run([x.value], {**attributes, "axis": moved[0] if len(moved) == 1 else moved})


@_rule("cumsum", "cumprod", "sort", "argmax", "argmin")
def _along_axis(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Along one axis, or through all entries where `axis` is None."""
    (x,) = inputs
    axis = attributes.get("axis")
    if axis is not None:
        return run([x.value], {**attributes, "axis": normalize_axis_index(axis, x.ndim) + 1})
    if attributes.get("keepdims"):
        return None
    return run([call("reshape", x.value, shape=(level.size, x.size))], {**attributes, "axis": 1})


@_rule("argsort")
def _argsort(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """As `_along_axis`; the axis is the last where none is given."""
    return _along_axis(run, level, inputs, {"axis": -1, **attributes})


@_rule("reshape")
def _reshape(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    (x,) = inputs
    shape = attributes["shape"]
    shape = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    rest = int(np.prod([length for length in shape if length != -1], dtype=int))
    whole = tuple(x.size // rest if length == -1 and rest else length for length in shape)
    return run([x.value], {"shape": (level.size, *whole)})


@_rule("broadcast_to")
def _broadcast_to(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    (x,) = inputs
    shape = attributes["shape"]
    shape = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    return run([_with_rank(x, level, len(shape))], {"shape": (level.size, *shape)})


@_rule("transpose")
def _transpose(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    (x,) = inputs
    axes = attributes["axes"]
    axes = range(x.ndim)[::-1] if axes is None else axes
    return run([x.value], {"axes": (0, *(normalize_axis_index(axis, x.ndim) + 1 for axis in axes))})


@_rule("swapaxes", "moveaxis", "diagonal", "trace")
def _by_axes(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Whose attributes but `offset` are axes of the operand."""
    (x,) = inputs

    def behind(axes: Any) -> Any:
        if isinstance(axes, Iterable):
            return tuple(map(behind, axes))
        return normalize_axis_index(axes, x.ndim) + 1

    moved = {name: value if name == "offset" else behind(value) for name, value in attributes.items()}
    return run([x.value], moved)


@_rule("expand_dims")
def _expand_dims(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    (x,) = inputs
    axes = attributes["axis"]
    axes = tuple(axes) if isinstance(axes, Iterable) else (axes,)
    rank = x.ndim + len(axes)
    return run([x.value], {"axis": tuple(normalize_axis_index(axis, rank) + 1 for axis in axes)})


@_rule("squeeze")
def _squeeze(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    (x,) = inputs
    axes = attributes["axis"]
    if axes is None:
        axes = tuple(axis for axis, length in enumerate(x.shape) if length == 1)
    axes = axes if isinstance(axes, Iterable) else (axes,)
    return run([x.value], {"axis": tuple(normalize_axis_index(axis, x.ndim) + 1 for axis in axes)})


@_rule("getitem")
def _getitem(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """The index behind a whole slice, unless NumPy would then put the chosen entries elsewhere."""
    (x,) = inputs
    index = attributes["index"]
    index = index if isinstance(index, tuple) else (index,)
    chosen = [k for k, part in enumerate(index) if isinstance(part, (np.ndarray, list))]
    if chosen:  # integers count as arrays beside arrays
        chosen = [k for k, part in enumerate(index) if isinstance(part, (np.ndarray, list, int, np.integer))]
        if chosen != list(range(chosen[0], chosen[-1] + 1)):
            return None
    elif any(isinstance(part, (bool, np.bool_)) for part in index):
        return None
    return run([x.value], {"index": (slice(None), *index)})


@_rule("concatenate")
def _concatenate(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    arrays = list(inputs[0])
    axis = attributes["axis"]
    if axis is None:
        arrays, axis = [call("reshape", each, shape=(-1,)) for each in arrays], 0
    moved = normalize_axis_index(axis, np.ndim(arrays[0])) + 1
    return run([[_examples(each, level) for each in arrays]], {**attributes, "axis": moved})


@_rule("stack")
def _stack(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    arrays = list(inputs[0])
    moved = normalize_axis_index(attributes["axis"], np.ndim(arrays[0]) + 1) + 1
    return run([[_examples(each, level) for each in arrays]], {**attributes, "axis": moved})


@_rule("matmul")
def _matmul(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """A vector of each example is a matrix of one row or column meanwhile."""
    a, b = inputs
    row, column = np.ndim(a) == 1, np.ndim(b) == 1
    if row:
        a = call("expand_dims", a, axis=0)
    if column:
        b = call("expand_dims", b, axis=1)
    rank = max(np.ndim(a), np.ndim(b))
    result = run([_with_rank(a, level, rank), _with_rank(b, level, rank)], attributes)
    if row or column:
        result = call("squeeze", result, axis=(*(-2,) * row, *(-1,) * column))
    return result


@_rule("solve")
def _solve(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """A vector on the right is a matrix of one column meanwhile."""
    a, b = inputs
    vector = np.ndim(b) == 1
    if vector:
        b = call("expand_dims", b, axis=1)
    if np.ndim(a) != np.ndim(b):
        return None
    result = run([_examples(a, level), _examples(b, level)], attributes)
    return call("squeeze", result, axis=-1) if vector else result


@_rule("dot", "inner", "vdot")
def _dot(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Of two vectors, the sum of their products."""
    a, b = inputs
    if np.ndim(a) != 1 or np.ndim(b) != 1:
        return None
    return call("sum", call("multiply", _examples(a, level), _examples(b, level)), axis=1)


@_rule("outer")
def _outer(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Each entry of the one by each of the other."""
    a, b = (_examples(each, level) for each in inputs)
    column = call("reshape", a, shape=(level.size, -1, 1))
    return call("multiply", column, call("reshape", b, shape=(level.size, 1, -1)))


@_rule("contract")
def _contract(run: Run, level: Level, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Einstein's sums: one letter more, for the examples."""
    subscripts = attributes["subscripts"]
    if "->" not in subscripts or "." in subscripts:
        return None
    letter = next(each for each in _LETTERS if each not in subscripts)
    operands, result = subscripts.split("->")
    parts = [
        letter + part if _is_batched(value, level) else part
        for value, part in zip(inputs[0], operands.split(","), strict=True)
    ]
    given = [value.value if _is_batched(value, level) else value for value in inputs[0]]
    return run([given], {"subscripts": f"{','.join(parts)}->{letter}{result}"})
