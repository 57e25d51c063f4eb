"""Assertions as the branches that they are.

>>> tree = ast.parse("def f(x):\\n    assert x.ndim == 2, 'a matrix'\\n    return x\\n")
>>> with_branches_for_asserts(tree)
>>> print(ast.unparse(tree))
def f(x):
    if not x.ndim == 2:
        raise AssertionError('a matrix')
    return x
"""

from __future__ import annotations

import ast

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def with_branches_for_asserts(tree: ast.Module) -> None:
    """Write each ``assert`` of a tree, in its place, as an ``if`` that raises. Does not recurse."""
    level: list[ast.AST] = [tree]
    while level:
        inner: list[ast.AST] = []
        for node in level:
            for name in _BLOCKS:
                block = getattr(node, name, ())
                if isinstance(block, list):
                    block[:] = [_branch(each) if isinstance(each, ast.Assert) else each for each in block]
                    inner += block
        level = inner


def _branch(node: ast.Assert) -> ast.If:
    error: ast.expr = ast.copy_location(ast.Name("AssertionError", ast.Load()), node)
    if node.msg is not None:
        error = ast.copy_location(ast.Call(error, [node.msg], []), node)
    test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    body = ast.copy_location(ast.Raise(error, None), node)
    return ast.copy_location(ast.If(test, [body], []), node)
