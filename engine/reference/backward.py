"""The backward pass: gradients from outputs to leaves, without recursion.

Nodes run from the youngest to the oldest. A node is younger than everything that
it reads, so when its turn comes all its gradients have arrived.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .. import grad_mode
from ..call import call
from ..errors import GradientShapeError, UnusedInputError
from .derivative import input_gradients
from .node import Edge, LeafNode, Node, Output
from .tensor import Tensor

Gradient = Any  # an array; with create_graph a tensor


class Arrivals:
    """Gradients that have arrived at nodes which are still to run."""

    def __init__(self, add: Callable[[Gradient, Gradient], Gradient]) -> None:
        self._add = add
        self._waiting: dict[Node, list[Gradient | None]] = {}
        self._queue: list[tuple[int, Node]] = []

    def send(self, edge: Edge, gradient: Gradient) -> None:
        """Add a gradient to what an output of a node has received so far."""
        received = self._waiting.get(edge.node)
        if received is None:
            received = self._waiting[edge.node] = [None] * len(edge.node.outputs)
            heapq.heappush(self._queue, (-edge.node.sequence, edge.node))
        before = received[edge.output]
        received[edge.output] = gradient if before is None else self._add(before, gradient)

    def __bool__(self) -> bool:
        return bool(self._queue)

    def next(self) -> tuple[Node, list[Gradient | None]]:
        """The youngest node, and what it has received for each output."""
        _, node = heapq.heappop(self._queue)
        return node, self._waiting.pop(node)


def run_backward(
    outputs: Sequence[Tensor],
    grad_outputs: Sequence[Tensor | None],
    inputs: Sequence[Tensor] | None,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[Tensor | None, ...]:
    """Send gradients from outputs to inputs; see `dispatch.Engine.run_backward`."""
    roots = [edge for edge in (output.edge() for output in outputs) if edge is not None]
    targets = [edge for edge in (tensor.edge() for tensor in inputs or ()) if edge is not None]
    wanted = None if inputs is None else _leading_to({edge.node for edge in targets}, roots)
    captured: dict[Edge, Gradient | None] = dict.fromkeys(targets)
    capturing: dict[Node, list[Edge]] = {}
    for edge in captured:
        capturing.setdefault(edge.node, []).append(edge)
    with grad_mode.set_grad_enabled(create_graph):
        arrivals = Arrivals(_add_tensors if create_graph else _add_arrays)
        for edge, output, seed in zip(roots, outputs, grad_outputs, strict=True):
            if wanted is None or edge.node in wanted:
                arrivals.send(edge, _seed(output, seed, create_graph))
        while arrivals:
            node, received = arrivals.next()
            _call_hooks(node, received, create_graph)
            for edge in capturing.get(node, ()):
                captured[edge] = received[edge.output]
            if isinstance(node, LeafNode):
                if inputs is None:
                    _accumulate(node.tensor, received[0], create_graph)
                continue
            if all(gradient is None for gradient in received):
                continue
            for edge, gradient in input_gradients(node, received, wanted, create_graph):
                arrivals.send(edge, gradient)
            if not retain_graph:
                node.free()
        if inputs is None:
            return ()
        return _hand_out(inputs, targets, captured, create_graph, allow_unused, accumulate)


def _leading_to(targets: set[Node], roots: Iterable[Edge]) -> set[Node]:
    """Nodes between the roots and the targets, both included."""
    seen: dict[Node, None] = {}
    stack = [edge.node for edge in roots]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack.extend(edge.node for edges in node.edges for edge in edges if edge is not None)
    leading: set[Node] = set()
    for node in sorted(seen, key=lambda node: node.sequence):
        if node in targets or any(edge and edge.node in leading for edges in node.edges for edge in edges):
            leading.add(node)
    return leading


def _seed(output: Tensor, seed: Tensor | None, create_graph: bool) -> Gradient:
    """The gradient that an output starts with: the caller's, or one."""
    if seed is None:
        seed = Tensor(np.ones(output.shape, output.dtype))
    return seed if create_graph else seed._array


def _add_arrays(before: Any, gradient: Any) -> Any:
    return np.asarray(np.add(before, gradient))


def _add_tensors(before: Tensor, gradient: Tensor) -> Any:
    return call("accumulate", before, gradient)


def _call_hooks(node: Node, received: list[Gradient | None], create_graph: bool) -> None:
    """Call the hooks on each gradient, then give it to tensors that retain theirs."""
    for output, gradient in enumerate(received):
        hooks = node.hooks_on(output)
        if gradient is None or not (hooks or output in node.retained):
            continue
        tensor = gradient if create_graph else Tensor(_read_only(gradient))
        for hook in hooks:
            replaced = hook(tensor)
            if replaced is not None:
                tensor = _checked(replaced, node.outputs[output])
        received[output] = tensor if create_graph else tensor._array
        holder = node.retained[output]() if output in node.retained else None
        if holder is not None:
            holder._grad = _owned(received[output], create_graph)


def _read_only(array: Any) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view


def _checked(replaced: Any, output: Output) -> Tensor:
    if not isinstance(replaced, Tensor):
        raise TypeError(f"a hook returns a tensor or None, not {type(replaced).__name__}")
    if replaced.shape != output.shape:
        raise GradientShapeError(
            f"a hook replaced a gradient of shape {output.shape} by one of {replaced.shape}"
        )
    return replaced


def _owned(gradient: Gradient, create_graph: bool) -> Tensor:
    """A gradient to keep: memory of its own, unless it is part of a graph."""
    if create_graph and gradient.requires_grad:
        return gradient  # type: ignore[no-any-return]
    if create_graph:
        return Tensor(np.array(gradient._array), name=gradient.name)
    return Tensor(np.array(gradient))


def _accumulate(tensor: Tensor, gradient: Gradient | None, create_graph: bool) -> None:
    """Add to a tensor's `grad`, into a new tensor: who holds the old one keeps its values."""
    if gradient is None:
        return
    before = tensor._grad
    if before is None:
        tensor._grad = _owned(gradient, create_graph)
    elif create_graph:
        tensor._grad = _add_tensors(before, gradient)
    else:
        tensor._grad = Tensor(_add_arrays(before._array, gradient))


def _hand_out(
    inputs: Sequence[Tensor],
    targets: Sequence[Edge],
    captured: dict[Edge, Gradient | None],
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[Tensor | None, ...]:
    """The gradients of the inputs, as results or into their `grad`."""
    for position, (tensor, edge) in enumerate(zip(inputs, targets, strict=True)):
        if captured[edge] is None and not allow_unused:
            name = f" ({tensor.name!r})" if tensor.name else ""
            raise UnusedInputError(
                f"the outputs don't depend on input {position}{name}, so it has no gradient; "
                "allow_unused=True "
                "gives None for it, materialize_grads=True zeros"
            )
    if accumulate:
        for tensor, edge in zip(inputs, targets, strict=True):
            _accumulate(tensor, captured[edge], create_graph)
        return ()
    return tuple(None if captured[edge] is None else _owned(captured[edge], create_graph) for edge in targets)
