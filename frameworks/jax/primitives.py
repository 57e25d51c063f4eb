"""The operators that derivatives call beside NumPy's, over `jax.numpy`.

Each has the meaning of the function of its name in `pullback.primitives`. Nothing here needs more than
`jax`: `pullback transpile --target jax` copies what a module needs.
"""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from pullback.transpile.attributes import dot_subscripts as dot_subscripts
from pullback.transpile.attributes import p_of_norm, spelled_out
from pullback.transpile.attributes import tensordot_subscripts as tensordot_subscripts


class Like(NamedTuple):
    """Shape and dtype of an array, without its data.

    >>> Like((2, 3), jnp.dtype("float32")).size
    6
    """

    shape: tuple[int, ...]
    dtype: Any

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)


def like(x: Any) -> Any:
    """Shape and dtype of an array or number; of a list, a tuple with those of each; of None, of a number."""
    if isinstance(x, Like):
        return x
    if x is None:
        x = 0.0
    if type(x) in (list, tuple):
        return tuple(like(0.0 if item is None else item) for item in x)
    return Like(jnp.shape(x), jnp.result_type(x))


def cast(x: Any, dtype: Any) -> Any:
    """To a dtype, by the real part where it is real."""
    x = jnp.asarray(x)
    if jnp.iscomplexobj(x) and not jnp.issubdtype(dtype, jnp.complexfloating):
        x = x.real
    return jax.lax.convert_element_type(x, dtype)


def sum_to(x: Any, like: Any) -> Any:
    """Sum a cotangent over the axes along which `like` was broadcast to it, in `like`'s dtype."""
    shape = like.shape
    have = jnp.shape(x)
    if have == () and math.prod(shape) == 1:
        x, have = jnp.reshape(x, shape), shape
    lead = len(have) - len(shape)
    if lead < 0 or any(n not in (m, 1) for n, m in zip(shape, have[lead:], strict=True)):
        raise ValueError(
            f"a gradient of shape {have} does not fit the value it belongs to, of shape {shape}: "
            "its shape must be that one, or a broadcast of it"
        )
    if have != shape:
        stretched = tuple(lead + i for i, n in enumerate(shape) if n == 1 and have[lead + i] != 1)
        x = jnp.sum(x, axis=(*range(lead), *stretched), keepdims=True).reshape(shape)
    return cast(x, like.dtype)


def broadcast_like(x: Any, like: Any) -> Any:
    """Repeat `x` to the shape of `like`, in its dtype: the adjoint of `sum_to`."""
    x = cast(x, like.dtype)
    return jnp.broadcast_to(x.reshape(()) if like.shape == () and x.size == 1 else x, like.shape)


def expect_like(x: Any, like: Any) -> Any:
    """`x` in the dtype of `like`, whose shape it must have."""
    if jnp.shape(x) != like.shape:
        raise ValueError(f"an output has shape {like.shape}, its part of v {jnp.shape(x)}")
    return cast(x, like.dtype)


def gradient_like(x: Any, like: Any) -> Any:
    """`x` as the gradient of a value like this one: zeros where that holds integers or booleans."""
    return x if jnp.issubdtype(like.dtype, jnp.inexact) else jnp.zeros_like(x)


def in_place(x: Any, a: Any, shared: str | None = None) -> Any:
    """The value of `a` after ``a += y``, where `x` is ``a + y``: an array keeps its shape and dtype."""
    if jnp.ndim(a) == 0:
        return x
    if shared is not None:
        raise RuntimeError(
            f"{shared}; it is an array here, which this changes as well: write to it by an index, as in "
            "`for i in range(len(a)): a[i] += 1`, or to a copy"
        )
    if jnp.shape(x) != jnp.shape(a):
        raise ValueError(f"a value of shape {jnp.shape(x)} does not fit into one of {jnp.shape(a)}")
    if not np.can_cast(x.dtype, a.dtype, "same_kind"):
        raise TypeError(f"cannot write {x.dtype} to {a.dtype} in place")
    return jnp.asarray(x, a.dtype)


def accumulate(x: Any, y: Any) -> Any:
    """x + y of two cotangents of one value; of two lists, of each."""
    if type(x) is list:
        return [accumulate(one, other) for one, other in zip(x, y, strict=True)]
    return x + y


def at_index(index: Any) -> Any:
    """An index as JAX takes it: lists of positions as arrays."""
    if isinstance(index, tuple):
        return tuple(at_index(part) for part in index)
    return np.asarray(index) if isinstance(index, list) else index


def unslice(a: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `a` added at `index`: the adjoint of indexing."""
    return jnp.zeros(shape, jnp.result_type(a)).at[at_index(index)].add(a)


def last_written(index: Any, shape: tuple[int, ...]) -> Any:
    """True for each entry of ``a[index]`` whose place in `a`, of this shape, no later one has."""
    size = math.prod(shape)
    places = jnp.arange(size).reshape(shape)[at_index(index)]
    order = jnp.arange(places.size).reshape(places.shape)
    return jnp.full(size, -1).at[places].max(order)[places] == order


def index_put(a: Any, value: Any, index: Any, repeated: bool = False) -> Any:
    """A copy of `a` with `value` at `index`; where a place may be named twice, the last write stays."""
    a, index = jnp.asarray(a), at_index(index)
    value = cast(value, a.dtype)
    if not repeated:
        return a.at[index].set(value, unique_indices=True)
    last = last_written(index, a.shape)
    written = jnp.zeros(a.shape, bool).at[index].set(True)
    return jnp.where(written, 0, a).at[index].add(jnp.where(last, value, 0))


def take_region(a: Any, region: Any) -> Any:
    """The entries of a region; zero for those that the write of another one replaced."""
    taken = jnp.reshape(a, -1)[region.all_places()]
    return taken if region.unwritten is None else jnp.where(region.unwritten, 0, taken)


def spread_region(a: Any, region: Any) -> Any:
    """Zeros with `a` added at a region: the adjoint of `take_region`."""
    a = a if region.unwritten is None else jnp.where(region.unwritten, 0, a)
    zeros = jnp.zeros(math.prod(region.base), jnp.result_type(a))
    return zeros.at[region.all_places()].add(a).reshape(region.base)


def clear_region(a: Any, region: Any) -> Any:
    """A copy of `a` with zeros at a region."""
    cleared = np.zeros(math.prod(region.base), bool)
    cleared[region.all_places()] = True
    return jnp.where(cleared.reshape(region.base), 0, a)


def undiagonal(a: Any, offset: int, axis1: int, axis2: int, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `a` on a diagonal: the adjoint of `jnp.diagonal`."""
    out = jnp.moveaxis(jnp.zeros(shape, jnp.result_type(a)), (axis1, axis2), (-2, -1))
    k = jnp.arange(jnp.shape(a)[-1])
    out = out.at[..., k + max(-offset, 0), k + max(offset, 0)].add(a)
    return jnp.moveaxis(out, (-2, -1), (axis1, axis2))


def sum_repeats(a: Any, repeats: Any, axis: int | None, shape: tuple[int, ...]) -> Any:
    """The sum over the copies that `jnp.repeat` made of an array of `shape`: its adjoint."""
    lengths = (math.prod(shape),) if axis is None else shape
    axis = 0 if axis is None else axis % len(shape)
    of_copies = np.repeat(np.arange(lengths[axis]), np.asarray(repeats))
    index: Any = (*[slice(None)] * axis, of_copies)
    return jnp.zeros(lengths, jnp.result_type(a)).at[index].add(a).reshape(shape)


def sum_tiles(a: Any, reps: int | tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The sum over the copies that `jnp.tile` made of an array of `shape`: its adjoint."""
    counts = (int(reps),) if np.ndim(reps) == 0 else tuple(reps)  # type: ignore[arg-type]
    ndim = max(len(counts), len(shape))
    counts = (1,) * (ndim - len(counts)) + counts
    lengths = (1,) * (ndim - len(shape)) + tuple(shape)
    pairs = tuple(n for pair in zip(counts, lengths, strict=True) for n in pair)
    return jnp.reshape(a, pairs).sum(axis=tuple(range(0, 2 * ndim, 2))).reshape(shape)


def put_along(a: Any, indices: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `a` added at `indices` along an axis: the adjoint of `jnp.take_along_axis`."""
    a = jnp.asarray(a)
    axis = axis % len(shape)
    places = list(jnp.ogrid[tuple(map(slice, a.shape))])
    places[axis] = jnp.asarray(indices)
    index = tuple(jnp.where(n == 1, 0, place) for n, place in zip(shape, places, strict=True))
    return jnp.zeros(shape, a.dtype).at[index].add(a)


def argcummax(a: Any, axis: int = 0) -> Any:
    """The positions of the greatest entries so far along an axis: of equal ones the last, or the last NaN."""
    return _places(jnp.asarray(a), jax.lax.cummax, axis)


def argcummin(a: Any, axis: int = 0) -> Any:
    """The positions of the least entries so far along an axis: of equal ones the last, or the last NaN."""
    return _places(jnp.asarray(a), jax.lax.cummin, axis)


def _places(a: Any, running: Any, axis: int) -> Any:
    """The last position so far at which an entry is the running extreme."""
    axis = axis % a.ndim
    line = jax.lax.broadcasted_iota(int, a.shape, axis)
    found = (a == running(a, axis)) | (a != a)
    return jax.lax.cummax(jnp.where(found, line, 0), axis)


def order_of_norm(ord: Any, axis: int | tuple[int, ...] | None, ndim: int) -> float:
    """The order p of the norm that `jnp.linalg.norm` computes for these arguments; 2 for Frobenius's."""
    p = p_of_norm(ord, axis, ndim)
    if p is None:
        raise ValueError(f"norm with ord={ord!r} has no derivative here: there are p-norms, and Frobenius's")
    return p


def flatten_axes(a: Any, axis: int | tuple[int, ...] | None = None) -> Any:
    """The axes of `axis` (None: all) moved to the end and merged into one, in the order given."""
    a = jnp.asarray(a)
    axes = axes_of(axis, a.ndim)
    moved = jnp.moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    leading = moved.shape[: a.ndim - len(axes)]
    return moved.reshape(*leading, math.prod(moved.shape[len(leading) :]))


def unflatten_axes(a: Any, axis: int | tuple[int, ...] | None, shape: tuple[int, ...]) -> Any:
    """The inverse of `flatten_axes` for an operand of `shape`."""
    axes = axes_of(axis, len(shape))
    lengths = (*(n for k, n in enumerate(shape) if k not in axes), *(shape[k] for k in axes))
    return jnp.moveaxis(jnp.reshape(a, lengths), range(len(shape) - len(axes), len(shape)), axes)


def axes_of(axis: int | tuple[int, ...] | None, ndim: int) -> tuple[int, ...]:
    """The axes that are meant; of what has none, none."""
    if axis is None or ndim == 0:
        return tuple(range(ndim))
    return tuple(each % ndim for each in (axis if isinstance(axis, tuple) else (axis,)))


def linear_recurrence(a: Any, b: Any, reverse: bool = False) -> Any:
    """r_i = b_i + a_i r_(i-1) along the last axis, from r_(-1) = 0; in reverse from the end."""
    a, b = jnp.broadcast_arrays(a, b)
    dtype = jnp.result_type(a, b)

    def step(carried: Any, row: Any) -> Any:
        carried = row[1] + row[0] * carried
        return carried, carried

    rows = (jnp.moveaxis(a, -1, 0).astype(dtype), jnp.moveaxis(b, -1, 0).astype(dtype))
    _, r = jax.lax.scan(step, jnp.zeros(a.shape[:-1], dtype), rows, reverse=reverse)
    return jnp.moveaxis(r, 0, -1)


def split_like(x: Any, likes: Any, axis: int | None = 0) -> list[Any]:
    """The stretches of `x` that arrays of these shapes and dtypes have when joined along `axis`."""
    if isinstance(likes, Like):
        return []
    before = (slice(None),) * (0 if axis is None else axis % x.ndim)
    parts = []
    start = 0
    for each in likes:
        lengths = (1,) * (x.ndim - len(each.shape)) + each.shape
        stop = start + (math.prod(each.shape) if axis is None else lengths[axis])
        part = x[(*before, slice(start, stop))]
        if axis is None or len(each.shape) != x.ndim:
            part = part.reshape(each.shape)
        parts.append(sum_to(part, each))
        start = stop
    return parts


def join_like(arrays: Sequence[Any], like: Any, axis: int | None = 0) -> Any:
    """Arrays joined along `axis` to one of this shape: what `split_like` took apart, together again."""
    if axis is None:
        return collect_flat(arrays)
    ndim = len(like.shape)
    lifted = [jnp.reshape(array, (1,) * (ndim - jnp.ndim(array)) + jnp.shape(array)) for array in arrays]
    return jnp.concatenate(lifted, axis=axis)


def unitem(a: Any, index: int, likes: Sequence[Like]) -> list[Any]:
    """A list of zeros of these shapes and dtypes, with `a` at `index`: the adjoint of taking an element."""
    parts = zeros_list(likes)
    parts[index] = sum_to(a, likes[index])
    return parts


def zeros_list(likes: Sequence[Like]) -> list[Any]:
    """Zeros of these shapes and dtypes."""
    return [jnp.zeros(each.shape, each.dtype) for each in likes]


def appended(values: Sequence[Any], x: Any) -> list[Any]:
    """The list with one more element."""
    return [*values, x]


def without_last(values: Sequence[Any]) -> list[Any]:
    """The list without its last element."""
    return list(values[:-1])


def unstack_like(x: Any, likes: Sequence[Like], axis: int = 0) -> list[Any]:
    """The slices of `x` along `axis`, in these shapes and dtypes: the adjoint of `jnp.stack`."""
    before = (slice(None),) * (axis % x.ndim)
    return [sum_to(x[(*before, i)], each) for i, each in enumerate(likes)]


def collect(arrays: Sequence[Any]) -> Any:
    """Arrays broadcast to one shape and stacked along a new first axis; of no arrays, an empty one."""
    if not len(arrays):
        return jnp.zeros((0,))
    filled = [0.0 if array is None else array for array in arrays]
    shape = jnp.broadcast_shapes(*map(jnp.shape, filled))
    dtype = jnp.result_type(*filled)
    return jnp.stack([jnp.broadcast_to(jnp.asarray(array, dtype), shape) for array in filled])


def stacked(arrays: Sequence[Any]) -> Any:
    """Arrays stacked along a new first axis; of no arrays, an empty one."""
    return jnp.stack(arrays) if len(arrays) else jnp.zeros((0,))


def collect_flat(arrays: Sequence[Any] | None) -> Any:
    """The entries of arrays of any shapes, one array after the other; of no arrays, an empty line."""
    if arrays is None or not len(arrays):
        return jnp.zeros((0,))
    return jnp.concatenate([jnp.ravel(0.0 if array is None else array) for array in arrays])


def contract(arrays: Sequence[Any], subscripts: str) -> Any:
    """The sum of products of the arrays that the subscripts state, as `jnp.einsum`."""
    return jnp.einsum(subscripts, *arrays)


def contract_gradients(grad: Any, arrays: Sequence[Any], subscripts: str) -> list[Any]:
    """The gradients of `contract` by each of its arrays, each of the array's shape and dtype."""
    groups, output = spelled_out(subscripts, [jnp.ndim(array) for array in arrays])
    return [contract_gradient(grad, arrays, groups, output, position) for position in range(len(arrays))]


def contract_gradient(
    grad: Any, arrays: Sequence[Any], groups: Sequence[str], output: str, position: int
) -> Any:
    """One of them: an axis of this array alone is repeated, a subscript that it has twice is a diagonal."""
    target = like(arrays[position])
    factors: list[Any] = [grad, *(array for i, array in enumerate(arrays) if i != position)]
    names = [output, *(group for i, group in enumerate(groups) if i != position)]
    known = set("".join(names))
    unused = iter(sorted(set(string.ascii_letters) - set("".join(groups))))
    result = ""
    for name, length in zip(groups[position], target.shape, strict=True):
        if name in result:
            again = next(unused)
            factors.append(jnp.eye(length, dtype=target.dtype))
            names.append(name + again)
            result += again
        else:
            if name not in known:
                factors.append(jnp.ones(length, target.dtype))
                names.append(name)
            result += name
    found = jnp.einsum(f"{','.join(names)}->{result}", *factors)
    repeated = tuple(n if m == 1 else m for m, n in zip(found.shape, target.shape, strict=True))
    return sum_to(jnp.broadcast_to(found, repeated), target)


def imaginary(x: Any) -> Any:
    """The imaginary unit times a number.

    >>> imaginary(jnp.array([2.0], "float32"))
    Array([0.+2.j], dtype=complex64)
    """
    return 1j * x


def polygamma(x: Any, n: int) -> Any:
    """The n-th derivative of the digamma function."""
    return jax.scipy.special.polygamma(n, x)


def sinc_derivative(x: Any, n: int) -> Any:
    """The n-th derivative of ``jnp.sinc(x) = sin(pi x) / (pi x)``.

    With t = pi x, f(t) = sin(t) / t and its derivatives satisfy t f_n + n f_(n-1) = sin(t + n pi / 2).
    Where t is small that loses digits, and the power series of f is differentiated term by term.
    """
    t = math.pi * jnp.asarray(x)
    near = jnp.abs(t) < n + 1
    away = jnp.where(near, 1, t)
    found = jnp.sin(away) / away
    for k in range(1, n + 1):
        found = (jnp.sin(away + k * (math.pi / 2)) - k * found) / away
    small = jnp.where(near, t, 0)
    series = jnp.zeros_like(t)
    for k in range((n + 1) // 2, n + 20):
        factor = (-1) ** k / ((2 * k + 1) * math.factorial(2 * k - n))
        series = series + factor * small ** (2 * k - n)
    return math.pi**n * jnp.where(near, series, found)
