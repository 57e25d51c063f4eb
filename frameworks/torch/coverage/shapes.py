"""Other shapes of the same entries, parts and joins, with PyTorch's arguments."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

import pullback as pb
import pullback.numpy as np

from .arguments import NotTakenError, axes, cast, given


def _expand(x: Any, *shape: Any, **_: Any) -> Any:
    sizes = list(given(*shape))
    ahead = len(sizes) - x.ndim
    sizes[ahead:] = [n if size == -1 else size for size, n in zip(sizes[ahead:], x.shape, strict=True)]
    return np.broadcast_to(x, tuple(sizes))


def _split(x: Any, sizes: Any, dim: int = 0) -> list[Any]:
    """Parts of these sizes, or of this size, the last of which may be smaller."""
    n = x.shape[dim]
    if isinstance(sizes, int):
        ends: Sequence[int] = range(sizes, n, sizes) if sizes else ()
    else:
        ends = list(itertools.accumulate(sizes))[:-1]
    return list(np.split(x, list(ends), axis=dim))


def _chunk(x: Any, chunks: int, dim: int = 0) -> list[Any]:
    return _split(x, max(1, -(-x.shape[dim] // chunks)), dim)


def _tensor_split(x: Any, parts: Any, dim: int = 0) -> list[Any]:
    parts = parts.tolist() if isinstance(parts, numpy.ndarray) else parts
    return list(np.array_split(x, parts if isinstance(parts, int) else list(parts), axis=dim))


def _along(dim: Callable[[Any], int]) -> Callable[..., Any]:
    return lambda x, parts: _tensor_split(x, parts, dim(x))


def _diagonal(x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return np.diagonal(x, offset, dim1, dim2)


def diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with these diagonals."""
    n = x.shape[-1] + abs(offset)
    rows = numpy.arange(x.shape[-1]) + max(0, -offset)
    made = pb.primitives.unslice(x, (..., rows, rows + offset), (*x.shape[:-1], n, n))
    return np.moveaxis(made, (-2, -1), (dim1, dim2))


def _block_diag(*blocks: Any) -> Any:
    matrices = [np.atleast_2d(block) for block in blocks]
    width = sum(block.shape[1] for block in matrices)
    left, rows = 0, []
    for block in matrices:
        rows.append(np.pad(block, ((0, 0), (left, width - left - block.shape[1]))))
        left += block.shape[1]
    return np.concatenate(rows, axis=0)


def _combinations(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = numpy.array(list(choose(range(len(x)), r)), int).reshape(-1, r)
    return x[places]


def _cartesian(*parts: Any) -> Any:
    if len(parts) == 1:
        return np.copy(parts[0])
    return np.stack([np.ravel(each) for each in np.meshgrid(*parts, indexing="ij")], axis=-1)


def _meshgrid(*parts: Any, indexing: str = "ij") -> list[Any]:
    parts = tuple(np.reshape(part, (-1,)) for part in given(*parts))
    return list(np.meshgrid(*parts, indexing=indexing))


def _flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    if x.ndim == 0:
        return np.reshape(x, (1,))
    start, end = start_dim % x.ndim, end_dim % x.ndim
    size = int(numpy.prod(x.shape[start : end + 1]))
    return np.reshape(x, (*x.shape[:start], size, *x.shape[end + 1 :]))


def _unflatten(x: Any, dim: int, sizes: Any) -> Any:
    dim %= x.ndim
    known = int(numpy.prod([size for size in sizes if size != -1]))
    sizes = [x.shape[dim] // known if size == -1 else size for size in sizes]
    return np.reshape(x, (*x.shape[:dim], *sizes, *x.shape[dim + 1 :]))


def _unfold(x: Any, dimension: int, size: int, step: int) -> Any:
    if x.ndim == 0:
        return np.reshape(x, (1,))[: min(1, size)]
    starts = numpy.arange(0, x.shape[dimension] - size + 1, step)
    windows = np.take(x, starts[:, None] + numpy.arange(size), axis=dimension)
    return np.moveaxis(windows, dimension % x.ndim + 1, -1)


def _repeat(x: Any, *sizes: Any) -> Any:
    return np.tile(x, given(*sizes))


def _squeeze(x: Any, dim: Any = None) -> Any:
    along = range(x.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    single = tuple(k for k in along if x.ndim and x.shape[k] == 1)
    return np.squeeze(x, single) if single else np.copy(x)


def _transpose(x: Any, one: int, other: int) -> Any:
    return np.swapaxes(x, one, other) if x.ndim else np.copy(x)


def _roll(x: Any, shifts: Any, dims: Any = None) -> Any:
    several = isinstance(shifts, (tuple, list))
    if dims is None or dims == ():
        return np.roll(x, shifts[0] if several else shifts)
    return np.roll(x, tuple(shifts) if several else shifts, axes(dims)) if x.ndim else np.copy(x)


def _repeat_interleave(x: Any, repeats: Any, dim: int | None = None, **_: Any) -> Any:
    if dim is None:
        x, dim = np.reshape(x, (-1,)), 0
    repeats = numpy.asarray(repeats)
    repeats = repeats.reshape(()) if repeats.size == 1 else repeats
    return np.repeat(x if x.ndim else np.reshape(x, (1,)), repeats.tolist(), dim)


def strided(x: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """The entries at regular places of the memory of a contiguous array."""
    places = numpy.full((), storage_offset or 0)
    for n, step in zip(size, stride, strict=True):
        places = places[..., None] + step * numpy.arange(n)
    return np.reshape(x, (-1,))[places]


def _sum_to_size(x: Any, *shape: Any) -> Any:
    shape = given(*shape)
    ahead = tuple(range(x.ndim - len(shape)))
    kept = tuple(len(ahead) + k for k, n in enumerate(shape) if n == 1)
    return np.reshape(np.sum(x, axis=ahead + kept), shape)


def _to(x: Any, *args: Any, dtype: Any = None, **options: Any) -> Any:
    for each in (*args, dtype):
        if hasattr(each, "is_floating_point") and not hasattr(each, "shape"):
            x = cast(x, each)
        elif hasattr(each, "shape"):
            x = np.astype(x, each.dtype)
    return np.copy(x)


def _as(name: str) -> Callable[..., Any]:
    return lambda x, **_: np.astype(x, name)


def _no_dtype(x: Any, **_: Any) -> Any:
    raise NotTakenError("NumPy has no such dtype")


def _with_dims(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *dims: function(x, given(*dims))


def _like(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, other: function(x, other.shape)


_expanded, _reshaped = _expand, _with_dims(np.reshape)
TABLE: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("expand", "expand_copy"), _expanded),
    **dict.fromkeys(("reshape", "view", "view_copy"), _reshaped),
    **{name: _like(np.reshape) for name in ("reshape_as", "view_as")},
    **dict.fromkeys(("split", "split_list_args", "unsafe_split", "split_with_sizes"), _split),
    **dict.fromkeys(("chunk", "unsafe_chunk"), _chunk),
    **dict.fromkeys(("diagonal", "diagonal_copy"), _diagonal),
    **{name: _with_dims(np.transpose) for name in ("permute", "permute_copy")},
    **dict.fromkeys(("unfold", "unfold_copy"), _unfold),
    **dict.fromkeys(("squeeze", "squeeze_multiple", "squeeze_copy"), _squeeze),
    **dict.fromkeys(("unsqueeze", "unsqueeze_copy"), np.expand_dims),
    **dict.fromkeys(("transpose", "transpose_copy"), _transpose),
    **dict.fromkeys(("T", "t", "t_copy"), np.transpose),
    **{name: lambda x, dim=0: list(np.unstack(x, axis=dim)) for name in ("unbind", "unbind_copy")},
    **{f"meshgrid_{which}": _meshgrid for which in ("variadic_tensors", "list_of_tensors")},
    **{f"atleast_{n}d": getattr(np, f"atleast_{n}d") for n in (1, 2, 3)},
    **dict.fromkeys(("as_strided", "as_strided_copy"), strided),
    "H": lambda x: np.conj(np.transpose(x)),
    "bfloat16": _no_dtype,
    "block_diag": _block_diag,
    "broadcast_tensors": lambda *parts: list(np.broadcast_arrays(*parts)),
    "broadcast_to": np.broadcast_to,
    "cartesian_prod": _cartesian,
    "cat": lambda parts, dim=0: np.concatenate([p for p in parts if p.shape != (0,)], axis=dim),
    "cdouble": _as("complex128"),
    "cfloat": _as("complex64"),
    "chalf": _no_dtype,
    "column_stack": np.column_stack,
    "combinations": _combinations,
    "diag": np.diag,
    "diag_embed": diag_embed,
    "diagflat": np.diagflat,
    "double": _as("float64"),
    "dsplit": _along(lambda x: 2),
    "dstack": np.dstack,
    "expand_as": _like(np.broadcast_to),
    "flatten": _flatten,
    "flip": lambda x, dims: np.flip(x, axes(dims)) if x.ndim and dims else np.copy(x),
    "fliplr": np.fliplr,
    "flipud": np.flipud,
    "float": _as("float32"),
    "half": _as("float16"),
    "hsplit": _along(lambda x: 0 if x.ndim == 1 else 1),
    "hstack": np.hstack,
    "mH": lambda x: np.conj(np.swapaxes(x, -1, -2)),
    "mT": lambda x: np.swapaxes(x, -1, -2),
    "movedim": np.moveaxis,
    "narrow": lambda x, dim, start, length: _narrow(x, dim, start, length),
    "narrow_copy": lambda x, dim, start, length: _narrow(x, dim, start, length),
    "ravel": np.ravel,
    "repeat": _repeat,
    "repeat_interleave": _repeat_interleave,
    "roll": _roll,
    "rot90": lambda x, k=1, dims=(0, 1): np.rot90(x, k, dims),
    "select": lambda x, dim, index: np.take(x, int(index), axis=dim),
    "slice": lambda x, dim=0, start=None, end=None, step=1: x[at(x, dim, slice(start, end, step))],
    "split_with_sizes_copy": _split,
    "stack": lambda parts, dim=0: np.stack(parts, axis=dim),
    "sum_to_size": _sum_to_size,
    "tensor_split": _tensor_split,
    "tile": _repeat,
    "to": _to,
    "tril": lambda x, diagonal=0: np.tril(x, diagonal),
    "triu": lambda x, diagonal=0: np.triu(x, diagonal),
    "unflatten": _unflatten,
    "view_as_complex": lambda x: x[..., 0] + 1j * x[..., 1],
    "view_as_real": lambda x: np.stack([np.real(x), np.imag(x)], axis=-1),
    "vsplit": _along(lambda x: 0),
    "vstack": np.vstack,
}


def at(x: Any, dim: int, index: Any) -> tuple[Any, ...]:
    """The index of an array that is `index` at one axis."""
    place = dim % max(1, x.ndim)
    return (*(slice(None),) * place, index)


def _narrow(x: Any, dim: int, start: Any, length: int) -> Any:
    first = int(start) % (x.shape[dim] + 1) if int(start) >= 0 else int(start) + x.shape[dim]
    return x[at(x, dim, slice(first, first + length))]
