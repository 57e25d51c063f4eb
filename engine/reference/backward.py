"""The backward pass: gradients from outputs to leaves, without recursion.

Nodes run from the youngest to the oldest. A node is younger than everything that
it reads, so when its turn comes all its gradients have arrived.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import partial
from operator import attrgetter

import numpy as np

from ..core import grad_mode
from ..core.backward_pass import BackwardPass
from ..core.errors import UnusedInputError
from ..core.hooks import call_posthooks
from ..core.reentrant import MOST_NESTED, on_a_fresh_thread
from ..debugging import anomaly
from .arrivals import Arrivals, Gradient, accumulate_into, add_arrays, add_tensors, owned
from .derivative import input_gradients, needs
from .node import Edge, Node
from .node_hooks import after_posthooks, after_prehooks, call_tensor_hooks, for_hooks
from .tensor import LeafNode, Tensor


class _Running(threading.local):
    """The backward passes that run in this thread, each inside of the one before."""

    def __init__(self) -> None:
        self.passes: list[BackwardPass] = []


_RUNNING = _Running()


def current_pass() -> BackwardPass | None:
    """The innermost backward that runs in this thread; see `dispatch.Engine.current_pass`."""
    return _RUNNING.passes[-1] if _RUNNING.passes else None


def start_backward(*_: object) -> None:
    """Leave each start to `run_backward`; see `dispatch.Engine.start_backward`."""


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
    arguments = (outputs, grad_outputs, inputs, retain_graph, create_graph, allow_unused, accumulate)
    if len(_RUNNING.passes) >= MOST_NESTED:
        found: tuple[Tensor | None, ...] = on_a_fresh_thread(partial(run_backward, *arguments))
        return found
    _RUNNING.passes.append(BackwardPass(outputs, inputs))
    try:
        return _run(*arguments)
    finally:
        _RUNNING.passes.pop()


def _run(
    outputs: Sequence[Tensor],
    grad_outputs: Sequence[Tensor | None],
    inputs: Sequence[Tensor] | None,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[Tensor | None, ...]:
    roots = [edge for edge in (output.edge() for output in outputs) if edge is not None]
    targets = [edge for edge in (tensor.edge() for tensor in inputs or ()) if edge is not None]
    wanted = None if inputs is None else leading_to({edge.node for edge in targets}, roots)
    captured: dict[Edge, Gradient | None] = dict.fromkeys(targets)
    capturing: dict[Node, list[Edge]] = {}
    for edge in captured:
        capturing.setdefault(edge.node, []).append(edge)
    with grad_mode.set_grad_enabled(create_graph):
        arrivals = Arrivals(add_tensors if create_graph else add_arrays)
        for edge, output, seed in zip(roots, outputs, grad_outputs, strict=True):
            if wanted is None or edge.node in wanted:
                arrivals.send(edge, _seed(output, seed, create_graph))
        while arrivals:
            node, received = arrivals.next()
            try:
                if node.hooked is not None or isinstance(node, LeafNode):
                    call_tensor_hooks(node, received, create_graph)
                if isinstance(node, LeafNode) and accumulate:
                    _run_leaf(node, received, create_graph)
                    continue
                for edge in capturing.get(node, ()):
                    captured[edge] = received[edge.output]
                if node.edges:
                    _run_node(node, received, wanted, create_graph, arrivals, retain_graph)
            except BaseException as error:
                anomaly.explain(error, node)
                raise
        if inputs is None:
            return ()
        return _hand_out(inputs, targets, captured, create_graph, allow_unused, accumulate)


def _run_leaf(node: LeafNode, received: list[Gradient | None], create_graph: bool) -> None:
    """Add what a leaf has received to its `grad`, between the hooks of its node."""
    if received[0] is None:
        return
    node_hooks = node.node_hooks
    if node_hooks.prehooks:
        received = after_prehooks(node, received, create_graph)
    accumulate_into(node.tensor, received[0], create_graph)
    if node_hooks.posthooks:
        call_posthooks(node_hooks.posthooks, (), for_hooks(received, create_graph), ())


def _run_node(
    node: Node,
    received: list[Gradient | None],
    wanted: set[Node] | None,
    create_graph: bool,
    arrivals: Arrivals,
    retain_graph: bool,
) -> None:
    """Run a node that leads to what is wanted between its hooks, and send its gradients on."""
    needed = needs(node.edges, wanted)
    if wanted is not None and True not in needed:
        return
    hooked = node.hooked
    if hooked is not None and hooked.prehooks:
        received = after_prehooks(node, received, create_graph)
    defined = tuple([gradient is not None for gradient in received])
    if True not in defined:
        return
    sent = input_gradients(node, received, defined, needed, wanted, create_graph)
    if hooked is not None and hooked.posthooks:
        sent = after_posthooks(node, sent, received, create_graph)
    while sent:
        arrivals.send(*sent.pop(0))  # and keep none of them
    if not retain_graph:
        node.free()


def leading_to(targets: set[Node], roots: Iterable[Edge]) -> set[Node]:
    """Nodes between the roots and the targets, both included."""
    seen: dict[Node, None] = {}
    stack = [edge.node for edge in roots]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack.extend(edge.node for edges in node.edges for edge in edges if edge is not None)
    leading: set[Node] = set()
    for node in sorted(seen, key=attrgetter("sequence")):
        if node in targets or True in needs(node.edges, leading):
            leading.add(node)
    return leading


def _seed(output: Tensor, seed: Tensor | None, create_graph: bool) -> Gradient:
    """The gradient that an output starts with: the caller's, or one."""
    if seed is None:
        seed = Tensor(np.ones(output.shape, output.dtype))
    return seed if create_graph else seed._array


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
        once = {id(tensor): (tensor, captured[edge]) for tensor, edge in zip(inputs, targets, strict=True)}
        for tensor, gradient in once.values():
            accumulate_into(tensor, gradient, create_graph)
        return ()
    return tuple(None if captured[edge] is None else owned(captured[edge], create_graph) for edge in targets)
