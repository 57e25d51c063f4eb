"""Nodes and edges: the recorded graph, which points from results to inputs."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...transpile.cells import place
from ..core.errors import BarrierError
from ..core.hooks import Hook, HookHandle

_SEQUENCE = itertools.count()


class Edge(NamedTuple):
    """An edge of the graph: an output of an older node, to which a gradient goes next."""

    node: Node
    output: int


Edges = tuple[Edge | None, ...]


class Output(NamedTuple):
    """Facts of a value that the backward needs to check and make gradients for it."""

    shape: tuple[int, ...]
    dtype: Any  # NumPy's; of a tensor of another library, that library's
    differentiable: bool


class NodeHooks:
    """Functions and tensors that a node's gradients are shown to.

    hooks      functions on the gradient of an output, by output
    prehooks   functions that are called before the node runs
    posthooks  functions that are called after it
    retained   tensors that want the gradient of an output in their `grad`
    """

    __slots__ = ("hooks", "posthooks", "prehooks", "retained")

    def __init__(self) -> None:
        self.hooks: dict[int, dict[int, Hook]] = {}
        self.prehooks: dict[int, Hook] = {}
        self.posthooks: dict[int, Hook] = {}
        self.retained: dict[int, weakref.ref[Any]] = {}


class Node:
    """One step of the graph.

    sequence   younger nodes have larger numbers: a node is younger than all that it reads
    outputs    of the forward; a backward receives one gradient for each, or None
    edges      for each input of the forward one edge, or one per tensor of a list; none if not differentiated
    hooked     its hooks; None until the first one comes
    """

    __slots__ = ("__weakref__", "edges", "hooked", "outputs", "sequence")

    def __init__(self, outputs: tuple[Output, ...], edges: tuple[Edges, ...]) -> None:
        self.sequence = next(_SEQUENCE)
        self.outputs = outputs
        self.edges = edges
        self.hooked: NodeHooks | None = None

    is_barrier = False

    @property
    def node_hooks(self) -> NodeHooks:
        """The node's hooks, to which others may be added."""
        if self.hooked is None:
            self.hooked = NodeHooks()
        return self.hooked

    @property
    def name(self) -> str:
        """The operator's name, for people."""
        return "leaf"

    def free(self) -> None:
        """Let go what was saved."""

    def register_prehook(self, hook: Hook) -> HookHandle:
        """Call ``hook(grad_outputs)`` before the node runs, with a gradient per result, None where undefined.

        A tuple that it returns takes their place. Not called where no gradient is
        defined, or where the node isn't needed for what was asked for.
        """
        return HookHandle(self.node_hooks.prehooks, hook)

    def register_hook(self, hook: Hook) -> HookHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran.

        `grad_inputs` has a gradient per entry of `next_functions`, None where it is
        undefined or not needed. A tuple that it returns takes their place. After a
        leaf's node `grad_inputs` is empty.
        """
        return HookHandle(self.node_hooks.posthooks, hook)

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The older nodes and which output of each, flat, as in torch."""
        flat = (edge for edges in self.edges for edge in edges)
        return tuple((edge.node, edge.output) if edge else (None, 0) for edge in flat)

    def hooks_on(self, output: int) -> Sequence[Hook]:
        """Functions to call with the gradient of this output, in order of registration."""
        return tuple(self.node_hooks.hooks.get(output, {}).values())

    def __repr__(self) -> str:
        return f"<{self.name}>"


class OperatorNode(Node):
    """A call of an operator: its derivative, and what that needs.

    saved         one entry per ``operator.saved``, None where no derivative reads it
    keeps_arrays  whether there is more among them than sizes and numbers
    freed         the arrays were let go after a backward
    caller        file and line of the call
    forward_stack of the call, in anomaly mode
    """

    __slots__ = ("caller", "forward_stack", "freed", "keeps_arrays", "operator", "saved")

    def __init__(
        self, operator: Any, outputs: tuple[Output, ...], edges: tuple[Edges, ...], caller: tuple[str, int]
    ) -> None:
        super().__init__(outputs, edges)
        self.operator = operator
        self.caller = caller
        self.forward_stack = ""
        self.saved: Sequence[Any] = ()
        self.keeps_arrays = False
        self.freed = False

    def free(self) -> None:
        """Let the saved arrays go; without any the node can run again."""
        if self.keeps_arrays:
            self.freed = True  # first: another thread that finds the values gone finds this, too
            self.saved = ()

    @property
    def called_at(self) -> str:
        """The place of the call, as "file:line"."""
        return place(*self.caller)

    @property
    def name(self) -> str:
        return str(self.operator.name)


class BarrierNode(Node):
    """Behind gradients that must not be differentiated: raises when one arrives."""

    __slots__ = ("_operator",)
    is_barrier = True

    def __init__(self, operator: Any, outputs: tuple[Output, ...], edges: tuple[Edges, ...]) -> None:
        super().__init__(outputs, edges)
        self._operator = operator

    @property
    def name(self) -> str:
        return f"{self._operator.name} barrier"

    def refuse(self) -> None:
        """Say why, and where the formula stands."""
        operator = self._operator
        raise BarrierError(f"{operator.span}: second derivative of {operator.name}: {operator.barrier}")
