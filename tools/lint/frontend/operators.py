"""Operators of ``torch.library`` with a registered derivative, read as if they were classes.

In: a module. Out: a `FunctionClass` for each ``register_autograd``: its forward is the operator's
function, its ``setup_context`` and ``backward`` are the functions that are registered.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from .classes import FunctionClass, resolve
from .modules import Class, Dotted, Function, TorchModule

REGISTER = "torch.library.register_autograd"
OPERATOR = ("torch.library.custom_op", "torch.library.triton_op")
NOTHING_SAVED = "def setup_context(ctx, inputs, output): pass"


def registered_operators(module: TorchModule) -> Iterator[FunctionClass]:
    """The operators whose derivative a module registers at its top level."""
    if "register_autograd" not in module.source.text:
        return
    for statement in module.tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            found = _operator(statement.value, module)
            if found is not None:
                yield found


def _operator(call: ast.Call, module: TorchModule) -> FunctionClass | None:
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    arguments = list(call.args)
    forward = None
    entity = resolve(call.func, module)
    if isinstance(entity, Dotted) and entity.name == REGISTER and arguments:
        forward = _forward(arguments.pop(0), module)
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "register_autograd":
        forward = _forward(call.func.value, module)
    backward = _function(arguments[0] if arguments else named.get("backward"), module)
    if forward is None or backward is None:
        return None
    setup = _function(named.get("setup_context"), module) or _nothing_saved(backward)
    methods = [_named(forward, "forward"), _named(setup, "setup_context"), _named(backward, "backward")]
    node = ast.ClassDef(forward.name, [], [], list(methods), [])
    own = Class(ast.copy_location(node, forward), module)
    return FunctionClass(own, (own,))


def _forward(node: ast.expr, module: TorchModule) -> ast.FunctionDef | None:
    """The operator's function, of its name or of the string that names it."""
    if isinstance(node, ast.Name):
        return _function(node, module)
    if not isinstance(node, ast.Constant):
        return None
    for entity in module.names.values():
        if isinstance(entity, Function) and isinstance(entity.node, ast.FunctionDef):
            for decorator in entity.node.decorator_list:
                if isinstance(decorator, ast.Call) and _defines(decorator, node, module):
                    return entity.node
    return None


def _defines(decorator: ast.Call, name: ast.Constant, module: TorchModule) -> bool:
    entity = resolve(decorator.func, module)
    known = isinstance(entity, Dotted) and entity.name in OPERATOR
    first = decorator.args[0] if decorator.args else None
    return known and isinstance(first, ast.Constant) and first.value == name.value


def _function(node: ast.expr | None, module: TorchModule) -> ast.FunctionDef | None:
    entity = module.entity(node.id) if isinstance(node, ast.Name) else None
    if not isinstance(entity, Function) or entity.module is not module:
        return None
    return entity.node if isinstance(entity.node, ast.FunctionDef) else None


def _nothing_saved(near: ast.FunctionDef) -> ast.FunctionDef:
    made = ast.parse(NOTHING_SAVED).body[0]
    for node in ast.walk(made):
        ast.copy_location(node, near)
    assert isinstance(made, ast.FunctionDef)
    return made


def _named(node: ast.FunctionDef, name: str) -> ast.FunctionDef:
    made = copy.copy(node)
    made.name = name
    return made
