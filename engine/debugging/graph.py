"""`pb.graph`: the recorded graph behind a tensor, as DOT and as a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pullback.transpile.analysis.written import written

from ..core.dispatch import engine_of
from ..core.errors import NotDifferentiableError
from ..core.saved_hooks import Packed
from .picture import Arrow, Box, svg


@dataclass
class GraphNode:
    """A step of the graph: the operator's name, what it saves, and the older nodes it reads.

    `saved` are lines as "x: input, float64 (2, 3)"; `inputs` are indexes of nodes.
    """

    name: str
    called_at: str
    saved: list[str] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The text in its box."""
        return [self.name, *self.saved]


class Graph:
    """The graph behind some tensors: `dot` is text for Graphviz, `svg()` a picture, `nodes` its steps.

    Examples
    --------
    >>> import pullback as pb
    >>> x = pb.tensor(2.0, requires_grad=True)
    >>> pb.graph(x * x)
    <graph of 2 nodes>
    """

    def __init__(self, nodes: list[GraphNode]) -> None:
        self.nodes = nodes

    def __repr__(self) -> str:
        return f"<graph of {len(self.nodes)} nodes>"

    @property
    def dot(self) -> str:
        """The graph in the language of Graphviz: gradients flow against the arrows."""
        lines = ["digraph {", '  node [shape=box, fontname="monospace"];']
        for index, node in enumerate(self.nodes):
            label = "\\l".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in node.lines)
            style = ", style=filled" if node.name == "leaf" or not node.inputs else ""
            lines.append(f'  n{index} [label="{label}\\l"{style}];')
        lines += [
            f"  n{older} -> n{index};" for index, node in enumerate(self.nodes) for older in node.inputs
        ]
        return "\n".join([*lines, "}"]) + "\n"

    def svg(self) -> str:
        """The picture, leaves at the top and the tensors that were asked about at the bottom.

        Graphviz's `dot` finds the places where it is installed, else `grandalf` does;
        ImportError where there is neither: ``pip install "pullback[graph]"``.
        """
        boxes = [
            Box(node.lines, fill="white" if node.inputs else "lightgray", title=node.called_at)
            for node in self.nodes
        ]
        arrows = [
            Arrow(older, index)
            for index, node in enumerate(self.nodes)
            for older in dict.fromkeys(node.inputs)
        ]
        return svg(boxes, arrows)

    def _repr_svg_(self) -> str | None:
        """The picture for a notebook; None, so that `repr` is shown, where it can't be drawn."""
        try:
            return self.svg()
        except ImportError:
            return None


def graph(tensors: Any) -> Graph:
    """The recorded graph behind a tensor, or several.

    Each node shows its operator's name and what it saves for the backward, with
    dtype and shape; hidden outputs are marked as such.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        Tensors that require grad.

    Returns
    -------
    Graph
        Its nodes, oldest first.

    Raises
    ------
    NotDifferentiableError
        A tensor that doesn't require grad.
    TypeError
        Something that is no tensor.

    Examples
    --------
    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> g = pb.graph((x * x).sum())
    >>> [node.name for node in g.nodes]
    ['leaf', 'multiply', 'sum']
    """
    roots = []
    for tensor in tensors if isinstance(tensors, (list, tuple)) else (tensors,):
        if engine_of(tensor) is None:
            raise TypeError(f"pb.graph shows what is behind tensors, not {type(tensor).__name__}")
        if not tensor.requires_grad:
            raise NotDifferentiableError("this tensor doesn't require grad, so there is no graph behind it")
        if tensor.grad_fn is not None:
            roots.append(tensor.grad_fn)
    order = oldest_first(roots)
    if not order:
        return Graph([GraphNode("leaf", "")])
    index = {id(node): position for position, node in enumerate(order)}
    return Graph([_shown(node, index) for node in order])


def oldest_first(roots: list[Any]) -> list[Any]:
    """Every node that the roots lead to, each after all that it reads."""
    order: list[Any] = []
    done: set[int] = set()
    stack = [(node, False) for node in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in done:
            done.add(id(node))
            stack.append((node, True))
            stack += [(older, False) for older, _ in reversed(node.next_functions) if older is not None]
    return order


def _shown(node: Any, index: dict[int, int]) -> GraphNode:
    inputs = [index[id(older)] for older, _ in node.next_functions if older is not None]
    return GraphNode(node.name, getattr(node, "called_at", ""), _saved(node), inputs)


def _saved(node: Any) -> list[str]:
    """The tensors that a node saves, a line each."""
    operator = getattr(node, "operator", None)
    if operator is None:
        tensor = getattr(node, "tensor", None)
        return [] if tensor is None else [": ".join(filter(None, [tensor.name, _size(tensor)]))]
    if node.name != operator.name:
        return []
    defined = (True,) * (operator.n_results + operator.n_hidden)
    reads = operator.backward(defined, (True,) * len(operator.inputs)).reads
    saved = getattr(node, "saved", None)
    if saved is not None and len(saved) != len(operator.saved):
        return ["(let go)"]
    formula = getattr(operator, "formula", None)  # an operator of a library in C++ has none
    lines = []
    for position in reads:
        source, number, name = operator.saved[position]
        value = None if saved is None else saved[position]
        if source == "plain" or (saved is not None and value is None):
            continue
        hidden = source == "output" and number >= operator.n_results
        what = "hidden output" if hidden else "result" if source == "output" else "input"
        if formula is not None:
            name = written(name, formula.forward.eqns, formula.source, "a value between")
        size = _size(value)
        lines.append(f"{name}: {what}{f', {size}' if size else ''}")
    return lines


def _size(value: Any) -> str:
    """dtype and shape of a saved value; nothing where that is no array."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_size, value)))
    value = getattr(value, "_packed", value)
    if isinstance(value, Packed):
        shape, dtype = value.size
        return f"{dtype} {shape}, packed"
    value = getattr(value, "_array", value)
    return f"{value.dtype} {value.shape}" if hasattr(value, "dtype") else ""
