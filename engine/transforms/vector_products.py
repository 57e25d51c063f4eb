"""Products of a Jacobian or Hessian with a vector, without the matrix: `vjp`, `jvp`, `vhp`, `hvp`.

The signatures and conventions are those of `torch.autograd.functional`: tuples
in, tuples out; results have no history unless `create_graph` asks for it.
A product from the right is made of two from the left: J^T u is linear in u, so
its own vector-Jacobian product by u, with v, is J v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.dispatch import Engine
from ..core.grad_mode import recording
from ..core.typed import Tensor
from .transform_inputs import (
    evaluate,
    gradients,
    handed_out,
    single_value,
    vectors,
    zeros_like,
)


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs of `func` and the product of `v` with its Jacobian, v^T J.

    Parameters
    ----------
    func : callable
        Takes the inputs, and returns a tensor or a tuple of them.
    inputs : array_like or tuple of array_like
        What `func` takes, of a float dtype and any shape.
    v : array_like or tuple of array_like, optional
        Of the outputs' shapes; may be left out for a single value.
    create_graph : bool, optional
        Give the results a history, so that they can be differentiated.
    strict : bool, optional
        Refuse an output that doesn't depend on an input, which else counts as zero.

    Returns
    -------
    tuple
        The outputs, and the product with the shapes and dtypes of the inputs.

    Raises
    ------
    GradientShapeError
        `v` has another shape than it must have.
    NotDifferentiableError
        An input is of no float dtype.
    UnusedInputError
        With `strict`, an output doesn't depend on an input.
    TypeError
        `func` returns something that is no tensor.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> value, product = pb.vjp(lambda x: x * x, np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    >>> product
    tensor([ 2., 40.])
    """
    with recording():
        run = evaluate(func, inputs, create_graph)
        seeds = vectors(run.engine, v, run.outputs, create_graph, "output")
        product = gradients(run.outputs, run.inputs, seeds, create_graph, strict)
    return (
        handed_out(run.outputs, run.several_outputs, create_graph),
        handed_out(product, run.several_inputs, create_graph),
    )


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs of `func` and the product of its Jacobian with `v`, J v.

    Parameters
    ----------
    func : callable
        Takes the inputs, and returns a tensor or a tuple of them.
    inputs : array_like or tuple of array_like
        What `func` takes, of a float dtype and any shape.
    v : array_like or tuple of array_like, optional
        Of the inputs' shapes; may be left out for a single value.
    create_graph : bool, optional
        Give the results a history, so that they can be differentiated.
    strict : bool, optional
        Refuse an output that doesn't depend on an input, which else counts as zero.

    Returns
    -------
    tuple
        The outputs, and the product with the shapes and dtypes of the outputs.

    Raises
    ------
    GradientShapeError
        `v` has another shape than it must have.
    NotDifferentiableError
        An input is of no float dtype.
    UnusedInputError
        With `strict`, an output doesn't depend on an input.
    TypeError
        `func` returns something that is no tensor.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> value, product = pb.jvp(np.sin, np.array([0.0, 0.0]), np.array([1.0, 2.0]))
    >>> product
    tensor([1., 2.])
    """
    with recording():
        run = evaluate(func, inputs, create_graph)
        directions = vectors(run.engine, v, run.inputs, create_graph, "input")
        product = _from_the_right(run.engine, run.outputs, run.inputs, directions, create_graph, strict)
    return (
        handed_out(run.outputs, run.several_outputs, create_graph),
        handed_out(product, run.several_outputs, create_graph),
    )


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, Any]:
    """The value of `func` and the product of `v` with its Hessian, v^T H.

    Cheaper than `hvp`, and equal to it where second derivatives
    commute.

    Parameters
    ----------
    func : callable
        Takes the inputs, and returns a single value.
    inputs : array_like or tuple of array_like
        What `func` takes, of a float dtype and any shape.
    v : array_like or tuple of array_like, optional
        Of the inputs' shapes.
    create_graph : bool, optional
        Give the results a history, so that they can be differentiated.
    strict : bool, optional
        Refuse an output that doesn't depend on an input, which else counts as zero.

    Returns
    -------
    tuple
        The value, and the product with the shapes and dtypes of the inputs.

    Raises
    ------
    GradientShapeError
        `v` has another shape than it must have.
    NotDifferentiableError
        An input is of no float dtype.
    UnusedInputError
        With `strict`, an output doesn't depend on an input.
    TypeError
        `func` returns something that is no tensor.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> value, product = pb.vhp(lambda x: np.sum(x**3), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    >>> product
    tensor([ 6., 12.])
    """
    with recording():
        run = evaluate(func, inputs, create_graph)
        single_value(run, "vhp")
        seeds = vectors(run.engine, None, run.outputs, create_graph, "output")
        slope = gradients(run.outputs, run.inputs, seeds, True, strict)
        directions = vectors(run.engine, v, run.inputs, create_graph, "input")
        product = gradients(slope, run.inputs, directions, create_graph, strict)
    return (
        handed_out(run.outputs, False, create_graph),
        handed_out(product, run.several_inputs, create_graph),
    )


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, Any]:
    """The value of `func` and the product of its Hessian with `v`, H v.

    Parameters
    ----------
    func : callable
        Takes the inputs, and returns a single value.
    inputs : array_like or tuple of array_like
        What `func` takes, of a float dtype and any shape.
    v : array_like or tuple of array_like, optional
        Of the inputs' shapes.
    create_graph : bool, optional
        Give the results a history, so that they can be differentiated.
    strict : bool, optional
        Refuse an output that doesn't depend on an input, which else counts as zero.

    Returns
    -------
    tuple
        The value, and the product with the shapes and dtypes of the inputs.

    Raises
    ------
    GradientShapeError
        `v` has another shape than it must have.
    NotDifferentiableError
        An input is of no float dtype.
    UnusedInputError
        With `strict`, an output doesn't depend on an input.
    TypeError
        `func` returns something that is no tensor.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> value, product = pb.hvp(lambda x: np.prod(x), np.array([2.0, 3.0]), np.array([1.0, 0.0]))
    >>> product
    tensor([0., 1.])
    """
    with recording():
        run = evaluate(func, inputs, create_graph)
        single_value(run, "hvp")
        seeds = vectors(run.engine, None, run.outputs, create_graph, "output")
        slope = gradients(run.outputs, run.inputs, seeds, True, strict)
        directions = vectors(run.engine, v, run.inputs, create_graph, "input")
        product = _from_the_right(run.engine, slope, run.inputs, directions, create_graph, strict)
    return (
        handed_out(run.outputs, False, create_graph),
        handed_out(product, run.several_inputs, create_graph),
    )


def _from_the_right(
    engine: Engine,
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    directions: Sequence[Any],
    create_graph: bool,
    strict: bool,
) -> tuple[Any, ...]:
    """J v, as the gradient by u of (J^T u) . v, at u = 0: a leaf that is differentiated by."""
    seeds = tuple(zeros_like(output).requires_grad_() for output in outputs)
    pulled = gradients(outputs, inputs, seeds, True, strict)
    return gradients(pulled, seeds, directions, create_graph, strict)
