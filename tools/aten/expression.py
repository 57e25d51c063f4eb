"""A C++ expression of the table as a Python expression."""

from __future__ import annotations

import ast
from typing import Any

from .cpp import parse, text_of
from .errors import NotImported
from .rules import CALLS, RULES
from .rules.calls import call_of
from .scope import Scope


def rewritten(text: str, scope: Scope) -> ast.expr:
    """The Python of a C++ expression. Raises NotImported where no rule is about a part of it.

    >>> scope = Scope({"self": "Tensor"}, {"sin": ()})
    >>> ast.unparse(rewritten("grad * -self.sin()", scope))
    'grad * -aten.sin(self)'
    """
    return _read(parse(text), scope)


def _read(node: Any, scope: Scope) -> ast.expr:
    def read(inner: Any) -> ast.expr:
        return _read(inner, scope)

    if node.type == "call_expression":
        call = call_of(node)
        found = (rule(call, scope, read) for rule in CALLS)
    else:
        found = (rule(node, scope, read) for rule in RULES.get(node.type, ()))
    made: ast.expr | None = next((expression for expression in found if expression is not None), None)
    if made is None:
        raise NotImported(f"no rule for `{text_of(node)}` ({node.type})")
    return made
