"""Asking for gradients of what was recorded: `backward` and `grad`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from pullback.engine.core.errors import GradientShapeError, NotDifferentiableError, UnusedInputError
from pullback.engine.reference.node import Edge

from .backward import run_backward
from .edges import edge_of


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of some tensors to the `grad` of the leaves that they depend on.

    Parameters
    ----------
    tensors : Tensor or iterable of Tensor
        What was recorded; a single value each, unless `grad_tensors` says what flows in.
    grad_tensors : Tensor or sequence, optional
        A gradient per tensor, of its shape; None for ones.
    retain_graph : bool, optional
        Keep what the graph saved for another backward (default: as `create_graph`).
    create_graph : bool, optional
        Record the backward, so that the gradients can be differentiated again.
    inputs : Tensor or iterable of Tensor, optional
        Tensors that get a gradient in the place of all leaves.

    Raises
    ------
    GraphFreedError
        What the graph saved was let go by an earlier backward.
    SavedVariableError
        What the graph saved was changed in place.
    NotDifferentiableError
        A tensor was not recorded, or doesn't require grad.

    Examples
    --------
    >>> import torch, pullback.torch.autograd as autograd
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with autograd.record():
    ...     y = x.exp().sum()
    >>> autograd.backward(y)
    >>> x.grad
    tensor([2.7183, 7.3891])
    """
    retain = create_graph if retain_graph is None else retain_graph
    _run(tensors, inputs, grad_tensors, retain, create_graph, True, True)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of what was recorded with respect to `inputs`: a tuple, one per input.

    Parameters
    ----------
    outputs : Tensor or iterable of Tensor
        A single value each, unless `grad_outputs` says what flows in.
    inputs : Tensor or iterable of Tensor
        Tensors that require grad, leaves or not.
    grad_outputs : Tensor or sequence, optional
        A gradient per output, or None for ones.
    retain_graph : bool, optional
        Keep what the graph saved for another backward (default: as `create_graph`).
    create_graph : bool, optional
        Record the backward, so that its results can be differentiated again.
    allow_unused : bool, optional
        None for an input that the outputs don't depend on, instead of an error.
    materialize_grads : bool, optional
        Zeros for it.

    Raises
    ------
    UnusedInputError
        An output doesn't depend on an input; also where there is no output or no input at all.
    GraphFreedError
        What the graph saved was let go by an earlier backward.
    SavedVariableError
        What the graph saved was changed in place.
    NotDifferentiableError
        An output was not recorded, or an input doesn't require grad.

    Examples
    --------
    >>> import torch, pullback.torch.autograd as autograd
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> with autograd.record():
    ...     (first,) = autograd.grad(x**3, x, create_graph=True)
    ...     print(first.item(), autograd.grad(first, x)[0].item())
    12.0 12.0
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("materialize_grads=True gives zeros where allow_unused=False asks for an error")
    retain = create_graph if retain_graph is None else retain_graph
    unused = bool(allow_unused) or materialize_grads
    found = _run(outputs, _several(inputs), grad_outputs, retain, create_graph, unused, False)
    if not materialize_grads:
        return found
    return tuple(
        torch.zeros_like(tensor, requires_grad=create_graph) if gradient is None else gradient
        for tensor, gradient in zip(_several(inputs), found, strict=True)
    )


def _run(
    outputs: Any,
    inputs: Any,
    given: Any,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[Any, ...]:
    outs = _several(outputs)
    edges = [_edge(output, "output", k) for k, output in enumerate(outs)]
    targets = None
    if inputs is not None:
        targets = [(tensor, _edge(tensor, "input", k)) for k, tensor in enumerate(_several(inputs))]
    if not edges or targets == []:
        raise UnusedInputError("there is no output or no input to take a gradient of")
    roots = list(zip(edges, _seeds(outs, given), strict=True))
    mode = next((edge.node.operator.mode for edge in edges if hasattr(edge.node, "operator")), None)
    return run_backward(roots, targets, mode, retain_graph, create_graph, allow_unused, accumulate)


def _several(tensors: Any) -> tuple[Any, ...]:
    if isinstance(tensors, Iterable) and not isinstance(tensors, torch.Tensor):
        return tuple(tensors)
    return (tensors,)


def _edge(tensor: Any, what: str, position: int) -> Edge:
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{what} {position} is no tensor, but a {type(tensor).__name__}")
    edge = edge_of(tensor)
    if edge is None:
        raise NotDifferentiableError(
            f"{what} {position} doesn't require grad: none of its inputs did, it was computed under "
            "torch.no_grad(), or outside of a `with record()` block"
        )
    return edge


def _seeds(outputs: Sequence[torch.Tensor], given: Any) -> list[torch.Tensor]:
    """A gradient per output, of its shape and dtype."""
    seeds = (None,) * len(outputs) if given is None else _several(given)
    if len(seeds) != len(outputs):
        raise GradientShapeError(f"{len(outputs)} outputs got {len(seeds)} gradients")
    return [_seed(k, output, seed) for k, (output, seed) in enumerate(zip(outputs, seeds, strict=True))]


def _seed(position: int, output: torch.Tensor, seed: Any) -> torch.Tensor:
    if seed is None:
        if output.numel() != 1:
            raise GradientShapeError(
                f"output {position} has shape {tuple(output.shape)}: a gradient can be left out for a single "
                "value only. Pass one of its shape, or take the gradient of a sum"
            )
        return torch.ones_like(output.detach())
    if not isinstance(seed, torch.Tensor):
        raise TypeError(f"the gradient of output {position} is no tensor, but a {type(seed).__name__}")
    if seed.shape != output.shape:
        raise GradientShapeError(
            f"output {position} has shape {tuple(output.shape)}, its gradient {tuple(seed.shape)}"
        )
    return seed
