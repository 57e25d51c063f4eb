"""Comparison of two expressions of Python."""

from __future__ import annotations

import ast
import copy


class _Plain(ast.NodeTransformer):
    """Tests for None as they are tests for what is there, and `not` where it stands before none."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is):
            turned = ast.Compare(test.left, [ast.IsNot()], test.comparators)
            return ast.IfExp(turned, node.orelse, node.body)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        test = node.operand
        if (
            isinstance(node.op, ast.Not)
            and isinstance(test, ast.Compare)
            and isinstance(test.ops[0], ast.Is | ast.IsNot)
        ):
            turned = ast.IsNot() if isinstance(test.ops[0], ast.Is) else ast.Is()
            return ast.Compare(test.left, [turned], test.comparators)
        return node


def same(first: ast.expr, second: ast.expr) -> bool:
    """True where the expressions are the same but for the side from which they test for None.

    >>> texts = ("a if x is None else b", "b if x is not None else a")
    >>> same(*(ast.parse(text, mode="eval").body for text in texts))
    True
    """
    return _text(first) == _text(second)


def _text(node: ast.expr) -> str:
    return ast.unparse(ast.fix_missing_locations(_Plain().visit(copy.deepcopy(node))))
