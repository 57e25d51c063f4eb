"""Functions that make arrays: under `pullback.numpy` they make tensors of the current engine.

Signatures are NumPy's. What they make requires no grad, except where values
that do are put into it: `array` of a list of tensors, `full` with a tensor,
`linspace` between tensors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..calls.call import arrays, operators
from ..core.dispatch import current, engine_of, engine_of_type
from ..core.typed import Tensor
from ..exchange.copying import duplicate
from ..exchange.dlpack import from_dlpack as from_dlpack
from ..transforms.forward_ad import differentiated
from .signatures.arguments import cast, dtype_of
from .written.table import WRITTEN_WITH_OPERATORS


def _making(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """NumPy's function, with a tensor over what it makes."""

    @wraps(function)
    def make(*args: Any, **kwargs: Any) -> Tensor:
        options = {key: value if key == "dtype" else arrays(value) for key, value in kwargs.items()}
        if options.get("dtype") is not None:
            options["dtype"] = dtype_of(options["dtype"])
        made = function(*map(arrays, args), **options)
        return current().from_numpy(np.asarray(made))

    make.__doc__ = f"As `np.{function.__name__}`; a tensor comes out."
    return make


zeros = _making(np.zeros)
ones = _making(np.ones)
empty = _making(np.empty)
_arange = _making(np.arange)
eye = _making(np.eye)
identity = _making(np.identity)
tri = _making(np.tri)
_full = _making(np.full)
_linspace = _making(np.linspace)


def fftfreq(n: int, d: float = 1.0, *, device: str | None = None, dtype: Any = None) -> Tensor:
    """As `np.fft.fftfreq`; `dtype` is the array API's."""
    return cast(asarray(np.fft.fftfreq(n, d), device=device), dtype)


def rfftfreq(n: int, d: float = 1.0, *, device: str | None = None, dtype: Any = None) -> Tensor:
    """As `np.fft.rfftfreq`; `dtype` is the array API's."""
    return cast(asarray(np.fft.rfftfreq(n, d), device=device), dtype)


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    ndmin: int = 0,
    device: str | None = None,
) -> Tensor:
    """As `np.array`: a tensor with a copy of the values. A list of tensors is stacked, recorded.

    >>> import pullback as pb
    >>> x = pb.tensor(2.0, requires_grad=True)
    >>> array([x, 2 * x, 1.0])
    tensor([2., 4., 1.], grad_fn=<stack>)
    """
    made = asarray(object, dtype, order, device=device, copy=copy)
    return (
        operators.reshape(made, shape=(1,) * (ndmin - made.ndim) + made.shape) if made.ndim < ndmin else made
    )


def asarray(
    a: Any,
    dtype: Any = None,
    order: Any = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
) -> Tensor:
    """As `np.asarray`: a tensor, that shares an array's memory where it can, and stays what it is.

    `copy=False` raises ValueError where the values would have to be copied.
    """
    if device not in (None, "cpu"):
        raise ValueError(f"device must be 'cpu' or None, not {device!r}")
    engine = engine_of(a) if isinstance(a, (list, tuple)) else engine_of_type(type(a))
    if engine is None:
        return current().from_numpy(np.asarray(np.array(a, dtype=dtype, copy=copy, order=order or "K")))
    if isinstance(a, (list, tuple)):
        if copy is False:
            raise ValueError("a list of tensors can't become one tensor without a copy")
        return cast(operators.stack([_entry(value) for value in a]), dtype)
    if dtype is not None and a.dtype != np.dtype(dtype):
        if copy is False:
            raise ValueError(f"a tensor of {a.dtype} can't become one of {np.dtype(dtype)} without a copy")
        return cast(a, dtype)
    return duplicate(a) if copy else a


def _entry(value: Any) -> Any:
    """An element of a list with tensors in it: a tensor, or an array beside them."""
    return np.asarray(value) if engine_of(value) is None else asarray(value)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Tensor:
    """As `np.full`; a value that requires grad takes the sum of the gradients."""
    if engine_of(fill_value) is None:
        return _full(shape, fill_value, dtype, order, device=device)
    return duplicate(operators.broadcast_to(cast(fill_value, dtype), shape=shape))


def arange(
    start: Any = None, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: str | None = None
) -> Tensor:
    """As `np.arange`, differentiable in its start and its step; how many numbers it makes is not.

    >>> import pullback as pb
    >>> step = pb.tensor(0.5, requires_grad=True)
    >>> pb.grad(arange(1.0, 2.5, step).sum(), step)[0]
    tensor(3.)
    """
    if stop is None:
        start, stop = None, start
    if stop is None:
        raise TypeError("arange() requires stop to be specified")
    start = 0 if start is None else start
    made = _arange(start, stop, step, dtype, device=device)
    if not differentiated((start, stop, step)):
        return made
    return cast(start + np.arange(made.size) * step, made.dtype)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Any:
    """As `np.linspace`: numbers at equal distances, differentiable in both ends.

    >>> linspace(0.0, 1.0, 3)
    tensor([0. , 0.5, 1. ])
    """
    if engine_of(start, stop) is None and not retstep:
        return _linspace(start, stop, num, endpoint, dtype=dtype, axis=axis, device=device)
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    intervals = num - 1 if endpoint else num
    start, stop = (_in_floats(end) for end in (start, stop))
    width = asarray(stop - start)
    share = np.arange(num) / max(intervals, 1)
    share = share.reshape((num, *(1,) * len(np.broadcast_shapes(np.shape(start), np.shape(stop)))))
    values = operators.moveaxis(start + width * cast(share, width.dtype), source=0, destination=axis)
    step = width / intervals if intervals else width * np.nan
    if dtype is not None and np.issubdtype(dtype, np.integer):
        values = operators.floor(values)
    return (cast(values, dtype), step) if retstep else cast(values, dtype)


def _in_floats(end: Any) -> Any:
    """A tensor of which whole numbers are floats: differences of them would wrap. Python's numbers stay."""
    if isinstance(end, (int, float, complex)) and not isinstance(end, np.generic):
        return end * 1.0
    made = asarray(end)
    return cast(made, np.float64) if made.dtype.kind in "biu" else made


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """As `np.logspace`: powers of the base with exponents at equal distances."""
    return cast(operators.power(base, linspace(start, stop, num, endpoint, axis=axis)), dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Tensor:
    """As `np.geomspace`: numbers at equal ratios, of which the ends have one sign."""
    ends = [cast(made, np.result_type(made.dtype, np.float64)) for made in map(asarray, (start, stop))]
    if any(np.any(arrays(end) == 0) for end in ends):
        raise ValueError("Geometric sequence cannot include zero")
    first, last = (operators.log(operators.abs(end)) for end in ends)
    powers = linspace(first, last, num, endpoint, axis=axis)
    signs = np.sign(arrays(ends[0]))
    if any(end.dtype.kind == "c" for end in ends):  # of one angle, from which the other end turns away
        ends = [end / signs for end in ends]
        first, last = (operators.log(end) for end in ends)
        powers = linspace(first, last, num, endpoint, axis=axis)
    signs = np.broadcast_to(signs, np.broadcast_shapes(*(end.shape for end in ends)))
    return cast(operators.exp(powers) * np.expand_dims(signs, axis), dtype)


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Tensor, ...]:
    """As `np.meshgrid`: each vector along an axis of its own, repeated along the others."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    vectors = [asarray(x) for x in xi]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = [1, 0]
    lengths = [0] * len(vectors)
    for vector, place in zip(vectors, places, strict=True):
        lengths[place] = vector.size
    found = []
    for vector, place in zip(vectors, places, strict=True):
        alone = [1] * len(vectors)
        alone[place] = vector.size
        spread = operators.reshape(vector, shape=tuple(alone))
        found.append(spread if sparse else operators.broadcast_to(spread, shape=tuple(lengths)))
    return tuple(asarray(grid, copy=True) if copy else grid for grid in found)


WRITTEN_WITH_OPERATORS.update(
    {np.linspace: linspace, np.logspace: logspace, np.geomspace: geomspace, np.meshgrid: meshgrid}
)
