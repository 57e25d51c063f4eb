"""C++ expressions as syntax trees, by tree-sitter's grammar of C++."""

from __future__ import annotations

from functools import cache
from typing import Any

from .errors import NotImported


def parse(text: str) -> Any:
    """The node of one C++ expression. Raises NotImported at what is none.

    >>> parse("grad * self.cos().conj()").type
    'binary_expression'
    """
    source = f"auto value = {text};".encode()
    root = _parser().parse(source).root_node
    if root.has_error or len(root.named_children) != 1:
        raise NotImported(f"`{text}` is not one C++ expression")
    declarator = root.named_children[0].child_by_field_name("declarator")
    return declarator.child_by_field_name("value")


@cache
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_cpp

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


def text_of(node: Any) -> str:
    """The text of a node, on one line."""
    return " ".join(node.text.decode().split())


def field(node: Any, name: str) -> Any:
    """The child of a node in a field."""
    return node.child_by_field_name(name)
