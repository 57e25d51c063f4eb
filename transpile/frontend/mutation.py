"""In-place changes: of an input, of an alias, of an incoming gradient."""

from __future__ import annotations

import ast

from ..ir import Var
from ..vocabulary import WORDS
from .fence import Refusal, refuse
from .frame import Frame
from .values import Function, Growing, Items, Value

_IN_PLACE_METHODS = frozenset({"fill", "sort", "put", "itemset", "resize", "partition", "setflags"})


def check_in_place(frame: Frame, node: ast.expr, name: str = "", held: Value | None = None) -> None:
    """Refuse a change in place that something else would see.

    `held` is what a name holds before ``name += ...``; without it, `node` is an
    expression on its own, where a method such as ``x.fill(0)`` is looked for.
    """
    if held is not None:
        if isinstance(held, Var) and held.kind == "tensor":
            _check_var(frame, held, name, node)
        return
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _IN_PLACE_METHODS
    ):
        check_store(
            frame, ast.copy_location(ast.Subscript(node.func.value, ast.Constant(0), ast.Store()), node)
        )


def check_store(frame: Frame, target: ast.expr) -> None:
    """Refuse an assignment to an element, a slice or an attribute, with what it would change."""
    if isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            check_store(frame, item)
        return
    if not isinstance(target, ast.Subscript | ast.Attribute):
        return
    base: ast.expr = target
    while isinstance(base, ast.Subscript | ast.Attribute):
        base = base.value
    held = _held(frame, base)
    if isinstance(base, ast.Name) and isinstance(held, Var) and held.kind == "tensor":
        _check_var(frame, held, base.id, target)
    what = "an attribute" if isinstance(target, ast.Attribute) else "an element"
    raise refuse(
        "PB401",
        f"assignment to {what} is outside of the formula language",
        frame.span(target),
        hint="compute a new array: `np.where`, `np.concatenate` or arithmetic",
    )


def _held(frame: Frame, node: ast.expr) -> Value | None:
    if not isinstance(node, ast.Name):
        return None
    try:
        return frame.lookup(node)
    except Refusal:
        return None


def _check_var(frame: Frame, var: Var, name: str, node: ast.AST) -> None:
    build, span = frame.build, frame.span(node)
    if var in build.gradients:
        raise refuse(
            "PB302",
            f"`{name}` is an incoming gradient and is changed in place: other users of it would see that",
            span,
            value=name,
            hint="compute a new array: `grad = grad * 2`",
        )
    if build.in_closure and var in build.forward_vars:
        raise refuse(
            "PB303",
            f"`{name}` is captured and the closure changes it in place: a second backward would differ",
            span,
            value=name,
            hint="compute a new array",
        )
    if var in build.inputs:
        raise refuse(
            "PB301",
            f"`{name}` is the input `{var.name}`, which this changes in place for the caller as well",
            span,
            value=name,
            hint=f"write `{name} = {name} + ...` instead of `{name} += ...`",
        )
    other = next((key for key, value in _names(frame) if value is var and key != name), None)
    if other is not None or _is_view(frame, var):
        whom = f"also named `{other}`" if other else "a view of another array"
        raise refuse(
            "PB301",
            f"`{name}` is {whom}, which this changes in place as well",
            span,
            value=name,
            hint=f"write `{name} = {name} + ...` instead of `{name} += ...`",
        )
    captor = captured_before(frame, name, var)
    if captor is not None:
        raise refuse(
            "PB303",
            f"`{name}` is changed after `{captor}` captured it",
            span,
            value=name,
            hint="change it before the closure is defined",
        )


def _names(frame: Frame) -> list[tuple[str, Value]]:
    found: list[tuple[str, Value]] = []
    here: Frame | None = frame
    while here is not None:
        for key, value in here.local.items():
            found += [(key, value)]
            if isinstance(value, Growing | Items):
                found += [(f"{key}[...]", item) for item in value.items]
        here = here.parent
    return found


def _is_view(frame: Frame, var: Var) -> bool:
    for eqn in reversed(frame.build.eqns):
        if var in eqn.outs:
            word = WORDS.get(eqn.op)
            return word is not None and word.view
    return False


def captured_before(frame: Frame, name: str, var: Var) -> str | None:
    """The nested function, defined already, that captures this name or the value that it holds."""
    for value in frame.local.values():
        if not isinstance(value, Function) or value.frame is not frame:
            continue
        if name in frame.text.free_of(value.node) or any(held is var for _, held in value.defaults):
            return value.name
    return None
