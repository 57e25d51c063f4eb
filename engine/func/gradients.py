"""`grad`, `value_and_grad` and `grad_and_value` of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from operator import index
from typing import Any

import numpy as np

from ..core.errors import GradientShapeError
from ..core.matching import require_real
from . import trees
from .nesting import constant, handed_out, leaves_of, outputs_of, pulled, surroundings, with_aux, within

Argnums = int | Sequence[int]


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes the gradient of `func`, as `torch.func.grad`.

    Parameters
    ----------
    func : callable
        Returns a single value: a tensor with one entry.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate by, counted from the end where negative: arrays,
        numbers and tensors, or trees of them.
    has_aux : bool, optional
        `func` returns a pair, of the value and of what else the caller wants.

    Returns
    -------
    callable
        Takes what `func` takes. Gives the gradient, of the argument's shape and structure, a tuple of
        them for several `argnums`; with `has_aux` a pair of it and the rest.

        Arrays for arrays; tensors where an argument is a tensor, with a history where grad mode is on.
        Inside of another transform always tensors, which that one differentiates.

    Raises
    ------
    GradientShapeError
        `func` gives more than one value.
    TypeError
        `func` gives something that is no tensor, or an argument has no gradient.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.func.grad(np.sin)(0.0)
    np.float64(1.0)
    >>> pb.func.grad(pb.func.grad(np.sin))(np.pi / 2)
    np.float64(-1.0)
    >>> loss = lambda params, x: np.sum((params["w"] * x + params["b"]) ** 2)
    >>> pb.func.grad(loss)({"b": 1.0, "w": 2.0}, np.array([1.0, 3.0]))
    {'b': np.float64(20.0), 'w': np.float64(48.0)}
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def value_and_grad(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that computes the value of `func` and its gradient, in this order, as `jax.value_and_grad`.

    Parameters, results and errors are those of `grad`; with `has_aux` the value is a pair.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.func.value_and_grad(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def with_gradient(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return value, gradient

    return with_gradient


def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that computes the gradient of `func` and its value, in this order, as torch has it.

    Parameters, results and errors are those of `grad`; with `has_aux` the value is a pair.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.func.grad_and_value(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    ((np.float64(3.0), np.float64(2.0)), np.float64(6.0))
    """
    several = isinstance(argnums, Sequence)
    positions = tuple(map(index, argnums)) if isinstance(argnums, Sequence) else (index(argnums),)

    @wraps(func)
    def both(*args: Any, **kwargs: Any) -> Any:
        chosen = places(positions, len(args))
        outer = surroundings((args, kwargs))
        with within(outer):
            made, leaves = leaves_of([args[place] for place in chosen], outer)
            given = list(args)
            for place, value in zip(chosen, made, strict=True):
                given[place] = value
            output, aux = with_aux(func, func(*given, **kwargs), has_aux)
            (value,) = _single(func, output)
            found = pulled([value], leaves, [constant(np.ones(value.shape), value)], outer, outer.records)
        _, structure = trees.flattened(tuple(made) if several else made[0])
        gradient = handed_out(trees.rebuilt(structure, found), outer)
        result = handed_out((value, aux) if has_aux else value, outer)
        return gradient, result

    return both


def _single(func: Callable[..., Any], output: Any) -> list[Any]:
    values, _ = outputs_of(func, output)
    if len(values) != 1 or values[0].size != 1:
        shapes = ", ".join(str(value.shape) for value in values)
        raise GradientShapeError(
            f"a gradient is that of a single value, and {getattr(func, '__name__', 'the function')} returns "
            f"shape {shapes}; sum it, or use pb.func.jacrev"
        )
    require_real(values[0], f"the value of {getattr(func, '__name__', 'the function')}")
    return values


def places(positions: Sequence[int], count: int) -> list[int]:
    """Positions of arguments, counted from the start; TypeError where a call has fewer."""
    for position in positions:
        if not -count <= position < count:
            raise TypeError(f"argnums={position} of a call with {count} positional arguments")
    return [position % count for position in positions]
