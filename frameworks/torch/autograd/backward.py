"""The backward pass over torch tensors: gradients from outputs to leaves, without recursion.

Nodes run from the youngest to the oldest, as in the reference engine. A node is younger than everything that
it reads, so when its turn comes all its gradients have arrived.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from pullback.engine.core.errors import UnusedInputError
from pullback.engine.core.reentrant import MOST_NESTED, on_a_fresh_thread
from pullback.engine.debugging import anomaly
from pullback.engine.reference.arrivals import Arrivals
from pullback.engine.reference.backward import leading_to
from pullback.engine.reference.derivative import needs
from pullback.engine.reference.node import Edge, Node, OperatorNode

from .below import not_recording, recording
from .derivative import input_gradients
from .hooks import after_posthooks, after_prehooks, call_tensor_hooks
from .leaves import accumulate_into, owned
from .places import Leaf


class _Depth(threading.local):
    nested = 0


_DEPTH = _Depth()


def run_backward(
    roots: Sequence[tuple[Edge, torch.Tensor]],
    inputs: Sequence[tuple[torch.Tensor, Edge]] | None,
    mode: Any,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[torch.Tensor | None, ...]:
    """Send gradients from outputs to inputs.

    roots       the edge of each output, with its gradient
    inputs      tensors whose gradients are wanted, with their edges; None: every leaf reached
    mode        the recording that records the backward with `create_graph`
    accumulate  True adds into the inputs' `grad` and returns (); False returns a gradient per input
    """
    arguments = (roots, inputs, mode, retain_graph, create_graph, allow_unused, accumulate)
    if _DEPTH.nested >= MOST_NESTED:
        found: tuple[torch.Tensor | None, ...] = on_a_fresh_thread(partial(run_backward, *arguments))
        return found
    _DEPTH.nested += 1
    try:
        with recording(mode) if create_graph else not_recording():
            return _run(roots, inputs, retain_graph, create_graph, allow_unused, accumulate)
    finally:
        _DEPTH.nested -= 1


def _run(
    roots: Sequence[tuple[Edge, torch.Tensor]],
    inputs: Sequence[tuple[torch.Tensor, Edge]] | None,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[torch.Tensor | None, ...]:
    targets = [edge for _, edge in inputs or ()]
    wanted = (
        None if inputs is None else leading_to({edge.node for edge in targets}, [edge for edge, _ in roots])
    )
    captured: dict[Edge, Any] = dict.fromkeys(targets)
    capturing: dict[Node, list[Edge]] = {}
    for edge in captured:
        capturing.setdefault(edge.node, []).append(edge)
    arrivals = Arrivals(torch.add)
    for edge, gradient in roots:
        if wanted is None or edge.node in wanted:
            arrivals.send(edge, gradient)
    while arrivals:
        node, received = arrivals.next()
        try:
            call_tensor_hooks(node, received)
            if isinstance(node, Leaf) and accumulate:
                _run_leaf(node, received, create_graph)
                continue
            for edge in capturing.get(node, ()):
                captured[edge] = received[edge.output]
            if wanted is None or True in needs(node.edges, wanted):
                _run_node(node, received, wanted, arrivals, retain_graph, create_graph)
        except BaseException as error:
            anomaly.explain(error, node)
            raise
    if inputs is None:
        return ()
    return _hand_out(inputs, captured, wanted, create_graph, allow_unused, accumulate)


def _run_leaf(node: Leaf, received: list[Any], create_graph: bool) -> None:
    """Add what a leaf has received to its `grad`, between the hooks of its node."""
    received = after_prehooks(node, received)
    if received[0] is not None:
        accumulate_into(node.tensor, received[0], create_graph)
    after_posthooks(node, [], received)


def _run_node(
    node: Node,
    received: list[Any],
    wanted: set[Node] | None,
    arrivals: Arrivals,
    retain_graph: bool,
    create_graph: bool,
) -> None:
    """Run a node between its hooks, and send its gradients on."""
    received = after_prehooks(node, received)
    if not isinstance(node, OperatorNode) or all(gradient is None for gradient in received):
        return
    sent = input_gradients(node, received, wanted, create_graph, retain_graph)
    sent = after_posthooks(node, sent, received)
    while sent:
        arrivals.send(*sent.pop(0))  # and keep none of them
    if not retain_graph:
        node.free()


def _hand_out(
    inputs: Sequence[tuple[torch.Tensor, Edge]],
    captured: dict[Edge, Any],
    wanted: set[Node] | None,
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[torch.Tensor | None, ...]:
    """The gradients of the inputs, as results or into their `grad`, where a leaf's has arrived already."""
    if accumulate:
        for tensor, edge in {id(tensor): (tensor, edge) for tensor, edge in inputs}.values():
            if captured[edge] is not None:
                accumulate_into(tensor, captured[edge], create_graph)
        return ()
    for position, (tensor, edge) in enumerate(inputs):
        if captured[edge] is not None:
            continue
        if wanted is not None and edge.node in wanted:
            captured[edge] = torch.zeros_like(tensor.detach())  # reached, by formulas that give no gradient
        elif not allow_unused:
            raise UnusedInputError(
                f"the outputs don't depend on input {position}, so it has no gradient; allow_unused=True "
                "gives None for it, materialize_grads=True zeros"
            )
    return tuple(None if captured[edge] is None else owned(captured[edge]) for _, edge in inputs)
