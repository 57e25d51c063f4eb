"""Whole matrices of derivatives: `jacobian` and `hessian`, row by row, or column by column in forward mode.

The signatures and conventions are those of `torch.autograd.functional`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..calls.call import call
from ..core.dispatch import engine_of
from ..core.errors import UnusedInputError
from ..core.grad_mode import recording
from .forward_ad import dual_level, make_dual, unpack_dual
from .transform_inputs import (
    Evaluated,
    evaluate,
    gradients,
    handed_out,
    refuse_complex,
    single_value,
    zeros_like,
)

_STRATEGIES = ("reverse-mode", "forward-mode")


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivative of each value that `func` returns by each value of the inputs.

    Parameters
    ----------
    func : callable
        Takes the inputs, and returns a tensor or a tuple of them.
    inputs : array_like or tuple of array_like
        What `func` takes, of a float dtype and any shape.
    create_graph : bool, optional
        Give the results a history, so that they can be differentiated.
    strict : bool, optional
        Refuse an output that doesn't depend on an input, which else counts as zero; with
        `create_graph` a Jacobian that is constant too.
    vectorize : bool, optional
        As in torch, where it asks for all rows at once; it makes no difference here.
    strategy : {"reverse-mode", "forward-mode"}, optional
        A backward per value of the outputs, or a call of `func` with tangents per value of the
        inputs, for few of them; the latter not with `strict`.

    Returns
    -------
    Tensor or tuple
        Of shape ``output.shape + input.shape`` in the input's dtype; for several inputs a tuple of
        them, for several outputs a tuple with one entry of that kind per output.

    Raises
    ------
    NotDifferentiableError
        An input is of no float dtype.
    UnusedInputError
        With `strict`, an output doesn't depend on an input.
    TypeError
        `func` returns something that is no tensor.
    ValueError
        An unknown `strategy`, or one that `strict` is not for.
    RuntimeError
        "forward-mode" inside of a `forward_ad.dual_level`.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.jacobian(lambda x: x * x, np.array([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in _STRATEGIES:
        raise ValueError(f"the strategies are {' and '.join(map(repr, _STRATEGIES))}, not {strategy!r}")
    if strict and strategy == "forward-mode":
        raise ValueError(
            "strict=True needs strategy='reverse-mode': tangents don't tell zero from independent"
        )
    with recording():
        run = evaluate(func, inputs, create_graph)
        refuse_complex(run.inputs, run.outputs, "a Jacobian")
        if strategy == "reverse-mode":
            matrices = [_rows(output, run.inputs, create_graph, strict) for output in run.outputs]
        else:
            matrices = _columns(func, inputs, run, create_graph)
        per_output = [handed_out(blocks, run.several_inputs, create_graph) for blocks in matrices]
    return tuple(per_output) if run.several_outputs else per_output[0]


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of the single value that `func` returns.

    Parameters
    ----------
    func : callable
        Takes the inputs, and returns a single value.
    inputs : array_like or tuple of array_like
        What `func` takes, of a float dtype and any shape.
    create_graph : bool, optional
        Give the results a history, so that they can be differentiated.
    strict : bool, optional
        Refuse an output that doesn't depend on an input, which else counts as zero.
    vectorize : bool, optional
        As in torch; it makes no difference here.
    outer_jacobian_strategy : {"reverse-mode", "forward-mode"}, optional
        Gradients of the gradient's values, or tangents of the gradient.

    Returns
    -------
    Tensor or tuple
        Of shape ``input.shape + input.shape``; for several inputs a tuple of tuples, with the
        derivative by input `i` and then by input ``j`` at ``[i][j]``.

    Raises
    ------
    GradientShapeError
        `func` gives more than one value.
    NotDifferentiableError
        An input is of no float dtype.
    UnusedInputError
        With `strict`, the value doesn't depend on an input.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.hessian(lambda x: x[0] * x[0] * x[1], np.array([1.0, 2.0]))
    tensor([[4., 2.],
            [2., 0.]])
    """

    def slope(*leaves: Any) -> Any:
        run = evaluate(func, leaves, True)
        single_value(run, "hessian")
        (output,) = run.outputs
        engine = run.engine
        seed = engine.tensor(np.ones(output.shape, output.dtype))
        return gradients(run.outputs, run.inputs, (seed,), True, strict)

    blocks = jacobian(slope, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return blocks if isinstance(inputs, (tuple, list)) else blocks[0]


def _rows(output: Any, inputs: Sequence[Any], create_graph: bool, strict: bool) -> list[Any]:
    """The block of each input: a gradient per value of the output, stacked."""
    engine = engine_of(output)
    assert engine is not None
    rows = []
    for position in range(output.size):
        seed = np.zeros(output.shape, output.dtype)
        seed.flat[position] = 1
        rows.append(gradients((output,), inputs, (engine.tensor(seed),), create_graph, strict, True))
    blocks = []
    for index, tensor in enumerate(inputs):
        shape = (*output.shape, *tensor.shape)
        if not rows:
            blocks.append(engine.tensor(np.zeros(shape, tensor.dtype)))
            continue
        block = call("reshape", call("stack", [row[index] for row in rows]), shape=shape)
        if strict and create_graph and not block.requires_grad:
            raise UnusedInputError(
                f"strict: the Jacobian by input {index} doesn't depend on the inputs, so it can't be "
                "differentiated again"
            )
        blocks.append(block)
    return blocks


def _columns(func: Callable[..., Any], inputs: Any, run: Evaluated, create_graph: bool) -> list[list[Any]]:
    """The blocks of each output: a tangent per value of each input, stacked."""
    blocks: list[list[Any]] = [[] for _ in run.outputs]
    for index, tensor in enumerate(run.inputs):
        columns = [_along(func, inputs, index, position, create_graph) for position in range(tensor.size)]
        for k, output in enumerate(run.outputs):
            shape = (*output.shape, *tensor.shape)
            if columns:
                stacked = call("stack", [column[k] for column in columns], axis=-1)
                blocks[k].append(call("reshape", stacked, shape=shape))
            else:
                blocks[k].append(run.engine.tensor(np.zeros(shape, output.dtype)))
    return blocks


def _along(
    func: Callable[..., Any], inputs: Any, index: int, position: int, create_graph: bool
) -> tuple[Any, ...]:
    """The tangent of each output along one value of one input."""

    def with_tangent(*leaves: Any) -> Any:
        direction = np.zeros(leaves[index].shape, leaves[index].dtype)
        direction.flat[position] = 1
        given = list(leaves)
        given[index] = make_dual(leaves[index], direction)
        return func(*given)

    with dual_level():
        run = evaluate(with_tangent, inputs, create_graph)
        tangents = [unpack_dual(output).tangent for output in run.outputs]
    return tuple(
        zeros_like(output) if tangent is None else tangent
        for output, tangent in zip(run.outputs, tangents, strict=True)
    )
