"""Backwards that differentiate themselves: there, a value with its history is another value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .place import Place
from .splices import CannotFix

LEAVES = frozenset({"requires_grad_", "requires_grad"})
SWEEPS = frozenset({"backward"})
GRADIENTS = frozenset({"grad", "enable_grad", "vjp", "jvp", "jacobian", "hessian", "hvp", "vhp"})


def check_no_sweep(place: Place) -> None:
    """Raise `CannotFix` where the backward runs ``.backward()``, or a leaf and differentiates.

    A value that has its history would then add to the gradients of the inputs a second time. A leaf by which
    nothing is differentiated may as well have its history, but for one that is to require no gradient.
    """
    _check(place, SWEEPS)
    used = {_used(node) for function in reached(place) for node in ast.walk(function)}
    plain = all(_is_asked(node) for function in reached(place) for node in ast.walk(function))
    if used & GRADIENTS or not plain:
        _check(place, LEAVES)


def check_no_backward(place: Place) -> None:
    """Raise `CannotFix` where the backward runs ``.backward()``."""
    _check(place, SWEEPS)


def check_no_autograd(place: Place) -> None:
    """Raise `CannotFix` where the backward differentiates in any way."""
    _check(place, SWEEPS | LEAVES | GRADIENTS)


def _check(place: Place, names: frozenset[str]) -> None:
    for function in reached(place):
        for node in ast.walk(function):
            if (name := _used(node)) in names:
                raise CannotFix(f"the backward differentiates itself, with `{name}`")


def _is_asked(node: ast.AST) -> bool:
    """False where a tensor may be set to require no gradient."""
    match node:
        case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=args, keywords=keywords):
            given = [*args, *(k.value for k in keywords)]
            return all(isinstance(one, ast.Constant) and one.value is True for one in given)
        case ast.Attribute(attr="requires_grad", ctx=ast.Store()):
            return False
    return True


def _used(node: ast.AST) -> str:
    """The name that a call calls, or the attribute that an assignment sets."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return name
    return ""


def reached(place: Place) -> Iterator[ast.FunctionDef]:
    """The backward, and the functions and methods of the file that it may call, by their names."""
    functions = place.module.functions
    waiting, seen = [place.backward], {place.backward}
    while waiting:
        function = waiting.pop()
        yield function
        called = {_used(node) for node in ast.walk(function) if isinstance(node, ast.Call)}
        for name in called - SWEEPS:
            more = set(functions.get(name, ())) - seen
            seen |= more
            waiting += more
