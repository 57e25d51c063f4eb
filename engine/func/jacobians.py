"""`jacrev`, `jacfwd` and `hessian` of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from operator import index
from typing import Any

import numpy as np

from ..calls.call import call
from ..transforms.transform_inputs import refuse_complex
from . import trees
from .gradients import Argnums, places
from .nesting import (
    Nesting,
    constant,
    handed_out,
    leaves_of,
    outputs_of,
    pulled,
    surroundings,
    with_aux,
    within,
)
from .products import along, linear


def jacrev(func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func`, a pass backward for each value of the outputs.

    Parameters
    ----------
    func : callable
        Returns a tensor or a tree of them.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate by: arrays, numbers and tensors, or trees of them.
    has_aux : bool, optional
        `func` returns a pair, of the outputs and of what else the caller wants.

    Returns
    -------
    callable
        Takes what `func` takes. Gives for each output, in their structure, the structure of the argument
        (a tuple of them for several `argnums`) with arrays of shape ``output.shape + input.shape``;
        with `has_aux` a pair of it and the rest. Arrays for arrays, tensors for tensors, as `grad`.

    Raises
    ------
    TypeError
        `func` gives something that is no tensor, or an argument has no gradient.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.func.jacrev(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return _jacobian(func, argnums, has_aux, _rows)


def jacfwd(func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func`, a tangent for each value of the inputs.

    For few inputs and many outputs. Parameters, results and errors are those of `jacrev`.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.func.jacfwd(lambda t: np.stack([np.cos(t), np.sin(t)]))(1.0)
    array([-0.84147098,  0.54030231])
    """
    return _jacobian(func, argnums, has_aux, _columns)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that computes the second derivatives of `func`, as `torch.func.hessian`.

    Parameters
    ----------
    func : callable
        Returns a tensor or a tree of them.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate by.

    Returns
    -------
    callable
        Takes what `func` takes. Gives arrays of shape ``output.shape + input.shape + input.shape``, in the
        structure of a Jacobian of a Jacobian.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.func.hessian(lambda x: x[0] * x[0] * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    return jacrev(jacrev(func, argnums), argnums)


Blocks = Callable[[Sequence[Any], Sequence[Any], Nesting], list[list[Any]]]


def _jacobian(
    func: Callable[..., Any], argnums: Argnums, has_aux: bool, blocks: Blocks
) -> Callable[..., Any]:
    several = isinstance(argnums, Sequence)
    positions = tuple(map(index, argnums)) if isinstance(argnums, Sequence) else (index(argnums),)

    @wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = places(positions, len(args))
        outer = surroundings((args, kwargs))
        with within(outer):
            made, leaves = leaves_of([args[place] for place in chosen], outer)
            given = list(args)
            for place, value in zip(chosen, made, strict=True):
                given[place] = value
            returned, aux = with_aux(func, func(*given, **kwargs), has_aux)
            outputs, structure = outputs_of(func, returned)
            refuse_complex(leaves, outputs, "a Jacobian")
            _, inner = trees.flattened(tuple(made) if several else made[0])
            parts = [trees.rebuilt(inner, row) for row in blocks(outputs, leaves, outer)]
        result = handed_out(trees.rebuilt(structure, parts), outer)
        return (result, handed_out(aux, outer)) if has_aux else result

    return jacobian


def _rows(outputs: Sequence[Any], leaves: Sequence[Any], outer: Nesting) -> list[list[Any]]:
    """For each output a block by each leaf: a gradient for each of its values, stacked."""
    found = []
    for output in outputs:
        rows = [
            pulled([output], leaves, [seed], outer, outer.records, retain_graph=True)
            for seed in _units(output)
        ]
        found.append([_block([row[k] for row in rows], output, leaf, 0) for k, leaf in enumerate(leaves)])
    return found


def _columns(outputs: Sequence[Any], leaves: Sequence[Any], outer: Nesting) -> list[list[Any]]:
    """The same blocks: a tangent for each value of a leaf, stacked."""
    transposed = linear(outputs, leaves, outer)
    found: list[list[Any]] = [[] for _ in outputs]
    zeros = [constant(np.zeros(leaf.shape), leaf) for leaf in leaves]
    for k, leaf in enumerate(leaves):
        columns = [along(transposed, [*zeros[:k], unit, *zeros[k + 1 :]], outer) for unit in _units(leaf)]
        for row, output, n in zip(found, outputs, range(len(outputs)), strict=True):
            row.append(_block([column[n] for column in columns], output, leaf, -1))
    return found


def _units(value: Any) -> list[Any]:
    """For each entry of a tensor, a 1 there and zeros around it."""
    units = []
    for position in range(value.size):
        unit = np.zeros(value.shape)
        unit.flat[position] = 1
        units.append(constant(unit, value))
    return units


def _block(parts: Sequence[Any], output: Any, leaf: Any, axis: int) -> Any:
    shape = (*output.shape, *leaf.shape)
    if not parts:
        return constant(np.zeros(shape), leaf)
    return call("reshape", call("stack", list(parts), axis=axis), shape=shape)
