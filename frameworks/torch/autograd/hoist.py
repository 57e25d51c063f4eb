"""Sizes that a closure reads of captured tensors, read before it instead: the tensors need not live then.

In, a formula and its closure; out, the statements to put before the closure, whose reads are replaced.
"""

from __future__ import annotations

import ast

ATTRIBUTES = frozenset({"shape", "dtype", "ndim"})
# Functions of a tensor, or of a list of them, that read no value.
FUNCTIONS = frozenset({
    "aten.is_complex", "aten.is_cpu", "aten.layout", "aten.numel", "aten.stride",
    "aten.suggest_memory_format", "geometry", "options", "to_args_scalartypes", "to_args_sizes",
})  # fmt: skip


def hoisted(formula: ast.FunctionDef, closure: ast.FunctionDef | ast.Lambda) -> list[ast.stmt]:
    """Replace reads of sizes in the closure; assignments of what takes their place."""
    parameters = formula.args
    outside = {given.arg for given in (*parameters.args, *parameters.kwonlyargs)}
    for statement in formula.body:
        if isinstance(statement, ast.Assign):
            outside |= _stored(statement)
    inside = {given.arg for given in closure.args.args} | _stored(closure)
    hoister = _Hoister(outside - inside)
    hoister.generic_visit(closure)
    return [ast.copy_location(each, closure) for each in hoister.assignments.values()]


def _stored(tree: ast.AST) -> set[str]:
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


class _Hoister(ast.NodeTransformer):
    def __init__(self, captured: set[str]) -> None:
        self.captured = captured
        self.assignments: dict[str, ast.stmt] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`self.shape` is `self_shape`; None for what has none, which is not read then."""
        if node.attr in ATTRIBUTES and self._is_captured(node.value):
            name = ast.unparse(node.value)
            return self._hoisted(node, f"{name}_{node.attr}", f"getattr({name}, {node.attr!r}, None)")
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`aten.stride(self)` is `self_stride`."""
        function = ast.unparse(node.func)
        if function in FUNCTIONS and len(node.args) == 1 and self._is_captured(node.args[0]):
            name = ast.unparse(node.args[0])
            base = function.rpartition(".")[2]
            return self._hoisted(node, f"{name}_{base}", f"None if {name} is None else {function}({name})")
        return self.generic_visit(node)

    def _is_captured(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.captured

    def _hoisted(self, node: ast.expr, name: str, text: str) -> ast.expr:
        """A name in the place of an expression."""
        self.assignments.setdefault(name, ast.parse(f"{name} = {text}").body[0])
        return ast.copy_location(ast.Name(name, ast.Load()), node)
