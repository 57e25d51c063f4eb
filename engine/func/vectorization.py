"""`vmap`: a function of one example, on a batch of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..batched.tensor import Batched, Level
from ..calls.call import call
from ..core.dispatch import current
from . import trees
from .nesting import handed_out, surroundings, within


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, *, chunk_size: int | None = None
) -> Callable[..., Any]:
    """A function that applies `func` to each example of a batch, all at once, as `torch.func.vmap`.

    Operators run once, with the batch as an axis more; those without a batching rule run once for each
    example. A formula that works entry by entry needs no rule, compiled or not.

    Parameters
    ----------
    func : callable
        Takes one example, and returns a tensor or a tree of them.
    in_dims : int, None or tree, optional
        The axis of the examples in the arguments; None for one that is the same for all. For several
        arguments a tuple; for a tree one of the same structure, or of its beginning.
    out_dims : int or tree, optional
        Where the examples' axis goes in the outputs.
    chunk_size : int, optional
        The most examples at a time, to limit memory.

    Returns
    -------
    callable
        Takes batches, arrays or tensors, by position; keywords are the same for all. Gives what `func`
        gives with an axis more: arrays for arrays, tensors for tensors, as `grad` does.

    Raises
    ------
    ValueError
        No argument has a batch, batches of different lengths, or an axis that an argument doesn't have.
    BatchedValueError
        `func` asks for the value of one example, as ``if x > 0`` does, or writes into a batched tensor;
        or examples give results of different shapes.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> A, x = np.arange(4.0).reshape(2, 2), np.ones((3, 2))
    >>> pb.func.vmap(lambda x: A @ x)(x)
    array([[1., 5.],
           [1., 5.],
           [1., 5.]])
    >>> per_example = pb.func.vmap(pb.func.grad(lambda w, x: np.sum(w * x) ** 2), in_dims=(None, 0))
    >>> per_example(np.array([1.0, 1.0]), np.array([[1.0, 2.0], [0.0, 1.0]]))
    array([[ 6., 12.],
           [ 0.,  2.]])
    """
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"chunk_size is a number of examples, not {chunk_size}")

    @wraps(func)
    def batched(*args: Any, **kwargs: Any) -> Any:
        outer = surroundings((args, kwargs))
        values, structure = trees.flattened(args)
        dims = _dims(in_dims, args)
        size = _size(values, dims)
        step = chunk_size or size or 1
        pieces = []
        for start in range(0, size, step) if size else (0,):
            stop = min(start + step, size)
            level = Level(stop - start, len(outer.levels))
            with within(outer, level):
                made = [
                    value if dim is None else _part(value, dim, start, stop, level)
                    for value, dim in zip(values, dims, strict=True)
                ]
                pieces.append(_outputs(func(*trees.rebuilt(structure, made), **kwargs), level, func))
        found = [_joined([piece[0][k] for piece in pieces]) for k in range(len(pieces[0][0]))]
        tree = trees.rebuilt(pieces[0][1], found)
        moved = [
            value if dim == 0 else call("moveaxis", value, source=0, destination=dim)
            for value, dim in zip(found, trees.spread(out_dims, tree), strict=True)
        ]
        return handed_out(trees.rebuilt(pieces[0][1], moved), outer)

    return batched


def _dims(in_dims: Any, args: tuple[Any, ...]) -> list[int | None]:
    """The axis of the examples in each leaf of the arguments."""
    if isinstance(in_dims, list):
        in_dims = tuple(in_dims)
    if isinstance(in_dims, tuple) and len(in_dims) != len(args):
        raise ValueError(f"vmap: in_dims={in_dims} for a call with {len(args)} positional arguments")
    try:
        return trees.spread(in_dims, args)
    except ValueError as error:
        raise ValueError(f"vmap: in_dims={in_dims} doesn't have the structure of the arguments") from error


def _size(values: list[Any], dims: list[int | None]) -> int:
    sizes: dict[int, int] = {}
    for k, (value, dim) in enumerate(zip(values, dims, strict=True)):
        if dim is None:
            continue
        if not (trees.is_tensor(value) or isinstance(value, np.ndarray)):
            raise ValueError(
                f"vmap: leaf {k} of the arguments is a {type(value).__name__}, which has no axis of "
                "examples; its place in in_dims is None"
            )
        try:
            axis = normalize_axis_index(dim, value.ndim)
        except np.exceptions.AxisError as error:
            raise ValueError(
                f"vmap: in_dims={dim} for leaf {k} of the arguments, which has shape {tuple(value.shape)}"
            ) from error
        sizes[k] = value.shape[axis]
    if not sizes:
        raise ValueError("vmap: one argument at least has an axis of examples, and in_dims is None for all")
    if len(set(sizes.values())) > 1:
        lengths = ", ".join(f"leaf {k}: {length}" for k, length in sizes.items())
        raise ValueError(f"vmap: the arguments have different numbers of examples ({lengths})")
    return next(iter(sizes.values()))


def _part(value: Any, dim: int, start: int, stop: int, level: Level) -> Batched:
    """Some examples of an argument, along the first axis."""
    if not trees.is_tensor(value):
        value = current().tensor(value)
    if normalize_axis_index(dim, value.ndim) != 0:
        value = call("moveaxis", value, source=dim, destination=0)
    if stop - start != value.shape[0]:
        value = value[start:stop]
    return Batched(value, level)


def _outputs(returned: Any, level: Level, func: Callable[..., Any]) -> tuple[list[Any], Any]:
    """The results of a function for all examples, along the first axis, and their structure."""
    values, structure = trees.flattened(returned)
    for value in values:
        if not (trees.is_tensor(value) or trees.is_array(value)):
            raise TypeError(
                f"{getattr(func, '__name__', 'the function')} returned a {type(value).__name__} inside of "
                "vmap: outputs are tensors, arrays and numbers"
            )
    tensors = [value if trees.is_tensor(value) else current().tensor(value) for value in values]
    return [_all_examples(value, level) for value in tensors], structure


def _all_examples(value: Any, level: Level) -> Any:
    """All examples of an output; one that is the same for all is repeated."""
    if type(value) is Batched and value.level is level:
        return value.value
    return call("broadcast_to", value, shape=(level.size, *value.shape))


def _joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else call("concatenate", parts, axis=0)
