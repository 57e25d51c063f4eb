"""`vjp`, `jvp` and `hvp`: products of a function's derivative with a vector, without the matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.errors import GradientShapeError
from ..transforms.transform_inputs import zeros_like
from . import trees
from .gradients import grad
from .nesting import (
    Nesting,
    constant,
    handed_out,
    leaves_of,
    lowered,
    outputs_of,
    pulled,
    raised,
    surroundings,
    with_aux,
    within,
)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The outputs of `func`, and the function that pulls cotangents back, as `torch.func.vjp`.

    Parameters
    ----------
    func : callable
        Returns a tensor or a tree of them.
    *primals : array_like or tree
        What it takes, of a float dtype.
    has_aux : bool, optional
        `func` returns a pair, of the outputs and of what else the caller wants, which comes third.

    Returns
    -------
    tuple
        Outputs, and a function from cotangents, in the structure of the outputs, to a tuple of gradients,
        one for each primal. It may be called again and again.

    Raises
    ------
    GradientShapeError
        Cotangents of another structure or shape than the outputs.
    TypeError
        `func` gives something that is no tensor.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> y, pull = pb.func.vjp(np.sin, np.array([0.0, np.pi]))
    >>> pull(np.array([1.0, 1.0]))
    (array([ 1., -1.]),)
    """
    outer = surroundings(primals)
    with within(outer):
        made, leaves = leaves_of(primals, outer)
        returned, aux = with_aux(func, func(*made), has_aux)
        outputs, structure = outputs_of(func, returned)
    _, shape_of_primals = trees.flattened(tuple(made))

    def pull(cotangents: Any) -> Any:
        around = surroundings(cotangents)
        arrays = around.arrays and outer.arrays
        here = Nesting(around.outermost, arrays, around.records or not arrays, outer.levels)
        with within(around):
            seeds = _vectors(cotangents, structure, outputs, "cotangent")
            found = pulled(outputs, leaves, seeds, outer, here.records, retain_graph=True)
        return handed_out(trees.rebuilt(shape_of_primals, found), here)

    results = handed_out(trees.rebuilt(structure, outputs), outer)
    return (results, pull, handed_out(aux, outer)) if has_aux else (results, pull)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, has_aux: bool = False) -> Any:
    """The outputs of `func` and their tangents, as `torch.func.jvp`.

    J v is the gradient by u of (J^T u) . v, which is linear in u: two passes backward, and none of a kind of
    its own.

    Parameters
    ----------
    func : callable
        Returns a tensor or a tree of them.
    primals : tuple
        What it takes, of a float dtype.
    tangents : tuple
        In the structure and shapes of the primals.
    has_aux : bool, optional
        `func` returns a pair, of the outputs and of what else the caller wants, which comes third.

    Returns
    -------
    tuple
        Outputs, and tangents in their structure.

    Raises
    ------
    GradientShapeError
        Tangents of another structure or shape than the primals.
    TypeError
        `func` gives something that is no tensor, or `primals` is no tuple.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.func.jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise TypeError(f"{name} is a tuple, an entry for each argument, not a {type(given).__name__}")
    primals, tangents = tuple(primals), tuple(tangents)
    outer = surroundings((primals, tangents))
    with within(outer):
        made, leaves = leaves_of(primals, outer)
        _, shape_of_primals = trees.flattened(tuple(made))
        directions = _vectors(tangents, shape_of_primals, leaves, "tangent")
        returned, aux = with_aux(func, func(*made), has_aux)
        outputs, structure = outputs_of(func, returned)
        found = pushed(outputs, leaves, directions, outer)
    results = (
        handed_out(trees.rebuilt(structure, outputs), outer),
        handed_out(trees.rebuilt(structure, found), outer),
    )
    return (*results, handed_out(aux, outer)) if has_aux else results


def hvp(func: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The product of the Hessian of `func` with a vector: the tangent of the gradient.

    Parameters
    ----------
    func : callable
        Returns a single value.
    primals : tuple
        What it takes, of a float dtype.
    tangents : tuple
        In the structure and shapes of the primals.

    Returns
    -------
    array_like or tuple
        Of the shape and structure of the primal; a tuple of them where there are several.

    Raises
    ------
    GradientShapeError
        `func` gives more than one value, or tangents of other shapes than the primals.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.func.hvp(np.prod, (np.array([2.0, 3.0]),), (np.array([1.0, 0.0]),))
    array([0., 1.])
    """
    argnums = tuple(range(len(primals))) if len(primals) != 1 else 0
    return jvp(grad(func, argnums), primals, tangents)[1]


def pushed(
    outputs: Sequence[Any], leaves: Sequence[Any], tangents: Sequence[Any], outer: Nesting
) -> list[Any]:
    """The tangent of each output, for one of each leaf."""
    return along(linear(outputs, leaves, outer), tangents, outer)


def linear(outputs: Sequence[Any], leaves: Sequence[Any], outer: Nesting) -> tuple[list[Any], list[Any]]:
    """J^T u and u, which `along` differentiates, once for each direction."""
    seeds = [raised(zeros_like(lowered(output)).requires_grad_(), _levels(output)) for output in outputs]
    return pulled(outputs, leaves, seeds, outer, True), seeds


def along(transposed: tuple[list[Any], list[Any]], tangents: Sequence[Any], outer: Nesting) -> list[Any]:
    """J v, from J^T u and u."""
    products, seeds = transposed
    return pulled(products, seeds, tangents, outer, outer.records, retain_graph=True)


def _levels(value: Any) -> list[Any]:
    found: list[Any] = []
    while hasattr(type(value), "level"):
        found.insert(0, value.level)
        value = value.value
    return found


def _vectors(given: Any, structure: Any, targets: Sequence[Any], what: str) -> list[Any]:
    """A tensor of the shape of each target."""
    values, found = trees.flattened(given)
    if len(values) != len(targets):
        raise GradientShapeError(f"{what}s have the structure {structure}, and these have {found}")
    return [_vector(value, target, what) for value, target in zip(values, targets, strict=True)]


def _vector(value: Any, target: Any, what: str) -> Any:
    if tuple(np.shape(value)) != tuple(target.shape):
        raise GradientShapeError(f"a {what} of shape {np.shape(value)} for a value of shape {target.shape}")
    return value if trees.is_tensor(value) else constant(value, target)
