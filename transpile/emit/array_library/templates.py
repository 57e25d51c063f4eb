"""Templates of calls: ``torch.sum(a, dim=axis)``, in which names stand for operands and attributes."""

from __future__ import annotations

import ast
from collections.abc import Mapping


def filled(template: str, given: Mapping[str, ast.expr]) -> ast.expr:
    """The template with expressions in the place of names; an argument that is not given is left out.

    >>> given = {"a": ast.Name("x"), "axis": ast.Constant(-1)}
    >>> ast.unparse(filled("torch.sum(a, dim=axis, keepdim=keepdims)", given))
    'torch.sum(x, dim=-1)'
    """
    made = _Filled(given).visit(ast.parse(template, mode="eval").body)
    assert isinstance(made, ast.expr)
    return made


class _Filled(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = self.visit(node.func)
        arguments = [self.visit(argument) for argument in node.args]
        keywords = []
        for keyword in node.keywords:
            value = keyword.value
            if isinstance(value, ast.Name) and value.id not in self._given:
                continue
            keywords.append(ast.keyword(keyword.arg, self.visit(value)))
        return ast.Call(function, arguments, keywords)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)
