"""Calls of functions of the linted tree that do what autograd refuses to record.

``torch.mul(a, b, out=c)``, and a tensor made with ``requires_grad=...`` that is then written in place. What
gets its history would make the class raise, where it gave a first gradient before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...analyses.torch_names import is_in_place
from ...frontend.classes import last_name, resolve
from ...frontend.modules import Dotted, Function, TorchModule
from .reading import root_of
from .splices import CannotFix

_MOST = 200


def check_recorded(nodes: Iterable[ast.AST], module: TorchModule) -> None:
    """Raise `CannotFix` where a function that is called there does something of that kind."""
    for function, home in called_functions(nodes, module):
        inside = list(_recorded(function))
        leaves = {name for node in inside for name in _leaf(node)}
        for node in inside:
            match node:
                case ast.Call(keywords=keywords) if _has_out(keywords) and _is_torch(node, home):
                    raise CannotFix(f"`{function.name}` writes with `out=`, which autograd refuses to record")
                case ast.Subscript(value=value, ctx=ast.Store()) if root_of(value) in leaves:
                    raise CannotFix(f"`{function.name}` writes into a leaf, which autograd refuses to record")
                case ast.Call(func=ast.Attribute(value=value, attr=name)) if (
                    is_in_place(name) and root_of(value) in leaves
                ):
                    raise CannotFix(f"`{function.name}` writes into a leaf, which autograd refuses to record")


def called_functions(
    nodes: Iterable[ast.AST], module: TorchModule
) -> Iterator[tuple[ast.FunctionDef, TorchModule]]:
    """The functions that are called there, and those that they call, with the modules that they stand in."""
    waiting = [(node, module) for node in nodes]
    seen: set[ast.AST] = set()
    while waiting and len(seen) < _MOST:
        node, home = waiting.pop()
        for call in _recorded(node):
            found = resolve(call.func, home) if isinstance(call, ast.Call) else None
            if not isinstance(found, Function) or not isinstance(found.node, ast.FunctionDef):
                continue
            if found.node not in seen and not any(map(_stops, found.node.decorator_list)):
                seen.add(found.node)
                waiting.append((found.node, found.module))
                yield found.node, found.module


def _recorded(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, but for those under ``no_grad``."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.With) and any(_stops(item.context_expr) for item in child.items)):
            yield from _recorded(child)


def _stops(node: ast.expr) -> bool:
    return last_name(node) in ("no_grad", "inference_mode")


def _leaf(node: ast.AST) -> Iterator[str]:
    """``y`` of ``y = x.new_zeros(3, requires_grad=x.requires_grad)``."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(keywords=keywords)):
            asked = (k.value for k in keywords if k.arg == "requires_grad")
            if any(not (isinstance(one, ast.Constant) and not one.value) for one in asked):
                yield name


def _has_out(keywords: list[ast.keyword]) -> bool:
    return any(
        k.arg == "out" and not (isinstance(k.value, ast.Constant) and k.value.value is None) for k in keywords
    )


def _is_torch(call: ast.Call, module: TorchModule) -> bool:
    entity = resolve(call.func, module)
    return isinstance(entity, Dotted) and entity.name.partition(".")[0] == "torch"
