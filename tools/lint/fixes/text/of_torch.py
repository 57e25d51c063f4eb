"""Statements in which nothing but PyTorch computes with tensors."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...analyses import torch_names
from ...frontend.classes import method_of, resolve
from ...frontend.modules import Class, Dotted, Function, TorchModule
from .place import Place
from .splices import CannotFix

_MODULES = ("torch", "math")
_METHODS = torch_names.METHODS | torch_names.VIEWS | torch_names.MAYBE_SAME | torch_names.MAYBE_VIEWS
_BUILTINS = torch_names.PLAIN_BUILTINS | torch_names.CONTAINERS | {"zip", "enumerate", "max", "min", "float"}
_LEAVING = frozenset({"numpy", "tolist", "item", "apply"})
_DEEPEST = 4


def is_of_torch(node: ast.AST, module: TorchModule, objects: Collection[str] = (), depth: int = 0) -> bool:
    """True if all that is called there is PyTorch's, Python's own, or a function that calls nothing else.

    `objects`: names for what may be no tensor, so that its methods may do anything.

    >>> from ...frontend.modules import Program
    >>> from .....transpile.ir import Source
    >>> module = Program().module(Source("f.py", "import torch"))
    >>> [is_of_torch(ast.parse(text), module) for text in ("y = torch.exp(x.cos())", "y = f(x)")]
    [True, False]
    """
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    return all(_is_known(call.func, module, objects, depth) for call in calls)


def check_of_torch(place: Place) -> None:
    """Raise `CannotFix` where the backward calls anything else, which may refuse a tensor with a history."""
    backward = place.backward
    first = any(getattr(d, "id", "") == "classmethod" for d in backward.decorator_list)
    held = {backward.args.args[first].arg}
    for call in (n for n in ast.walk(backward) if isinstance(n, ast.Call)):
        if not is_of_torch(call, place.module, held):
            raise CannotFix(f"`{ast.unparse(call.func)}` may refuse what is recorded")


def _is_known(called: ast.expr, module: TorchModule, objects: Collection[str], depth: int) -> bool:
    entity = resolve(called, module)
    if isinstance(entity, Dotted):
        return entity.name.partition(".")[0] in _MODULES and entity.name.rpartition(".")[2] not in _LEAVING
    if isinstance(entity, Function) and depth < _DEEPEST:
        return is_of_torch(entity.node, entity.module, (), depth + 1)
    if entity is not None:
        return False
    match called:
        case ast.Name(id=name):
            return name in _BUILTINS
        case ast.Attribute(value=value, attr=name):
            method = (name in _METHODS or torch_names.is_in_place(name)) and name not in _LEAVING
            owner = resolve(value, module)
            own = method_of(owner, name) if isinstance(owner, Class) and depth < _DEEPEST else None
            if own is not None:
                return is_of_torch(own.node, own.owner.module, (), depth + 1)
            return method and owner is None and not _root(value) & {*objects}
    return False


def _root(node: ast.expr) -> set[str]:
    """The name at the beginning of ``solver.inner[0].more``."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()
