"""Whole matrices of derivatives: `jacobian` and `hessian`, row by row.

The signatures and conventions are those of `torch.autograd.functional`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .call import call
from .dispatch import engine_of
from .errors import UnusedInputError
from .grad_mode import recording
from .transform_inputs import evaluate, gradients, handed_out, single_value


def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False) -> Any:
    """The derivative of each value that `func` returns by each value of the inputs.

    func          takes the inputs, returns a tensor or a tuple of them
    inputs        a tensor, array or number, or a tuple of them, of a float dtype
    create_graph  give the result a history, so that it can be differentiated
    strict        refuse an output that doesn't depend on an input, which else counts as
                  zero; with create_graph a Jacobian that is constant too

    Returns a tensor of shape ``output.shape + input.shape`` in the input's dtype;
    for several inputs a tuple of them, for several outputs a tuple with one
    entry of that kind per output.
    Raises NotDifferentiableError, UnusedInputError (strict), TypeError.

    >>> import numpy as np, pullback as pb
    >>> pb.jacobian(lambda x: x * x, np.array([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    with recording():
        run = evaluate(func, inputs, create_graph)
        per_output = []
        for output in run.outputs:
            blocks = _rows(output, run.inputs, create_graph, strict)
            per_output.append(handed_out(blocks, run.several_inputs, create_graph))
    return tuple(per_output) if run.several_outputs else per_output[0]


def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False) -> Any:
    """The second derivatives of the single value that `func` returns.

    Arguments as those of `jacobian`. Returns a tensor of shape
    ``input.shape + input.shape``; for several inputs a tuple of tuples, with the
    derivative by input i and then by input j at [i][j].
    Raises GradientShapeError where the function gives more than one value, and
    what `jacobian` raises.

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

    blocks = jacobian(slope, inputs, create_graph, strict)
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
