"""A call of C++ taken apart, for the rules that look at its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..cpp import field, text_of
from ..scope import Scope
from .rule import Read


@dataclass(frozen=True)
class Call:
    """A call: `receiver.name(arguments)`, or `full(arguments)`.

    name       the function's name without its namespace, template arguments and `_symint`
    full       the same with them: "std::get<0>"
    receiver   the node of the object whose method it is, or None
    arguments  their nodes
    labels     per argument the name that a comment before it gives: `/*sorted=*/false`
    arrow      whether it is `receiver->name(arguments)`
    """

    name: str
    full: str
    receiver: Any
    arguments: tuple[Any, ...]
    labels: tuple[str | None, ...]
    arrow: bool = False


def call_of(node: Any) -> Call:
    """The parts of a call expression."""
    function = field(node, "function")
    arguments, labels, label = [], [], None
    for child in field(node, "arguments").named_children:
        if child.type == "comment":
            label = text_of(child).strip("/*").strip().rstrip("=").strip()
            continue
        arguments.append(child)
        labels.append(label)
        label = None
    receiver, arrow = None, False
    if function.type == "field_expression":
        receiver = field(function, "argument")
        arrow = text_of(field(function, "operator")) == "->"
        full = text_of(field(function, "field"))
    else:
        full = text_of(function)
    name = full.partition("<")[0].rpartition("::")[2].removesuffix("_symint")
    return Call(name, full, receiver, tuple(arguments), tuple(labels), arrow)


CallRule = Callable[[Call, Scope, Read], Any]
