"""Statements that are no loops or conditions: assignments, nested functions, calls on their own."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Literal, Var
from ...operators import instead_of
from ..calls.calls import read_call
from ..expressions.list_parts import list_of_places
from ..expressions.simple import function_value
from ..names.constants import dotted_name
from ..names.static import imported
from ..state.growing import as_variable, is_list
from ..state.lookup import lookup
from ..state.mutation import check_in_place, check_list_write, check_own_list, check_store
from ..state.readers import read
from ..state.values import Backwards, Frame, Growing, Poison, Value
from ..syntax import fence
from ..syntax.desugar import Quiet
from ..syntax.fence import refuse
from ..syntax.folding import BINARY
from .assignment import bind_target, target_names
from .in_place_calls import read_in_place
from .writes import augmented, change_part

Rest = Sequence[ast.stmt]


def read_return(frame: Frame, node: ast.Return, rest: Rest, name: str | None) -> Value:
    """The value that a function returns."""
    return Literal(None) if node.value is None else read(frame, node.value, name)


def read_annotated(frame: Frame, node: ast.AnnAssign, rest: Rest, name: str | None) -> None:
    """``name: annotation = value``; the annotation says nothing here."""
    if not isinstance(node.target, ast.Name):
        raise fence.statement(node, frame.span(node))
    if node.value is not None:
        frame.bind(node.target.id, read(frame, node.value, node.target.id), node)


def read_expression(frame: Frame, node: ast.Expr, rest: Rest, name: str | None) -> None:
    """An expression on its own: a docstring, ``parts.append(x)``, ``parts.reverse()``, ``x.fill(0)``."""
    if isinstance(node.value, ast.Constant):
        return
    if (name_of_list := _reversed_in_place(frame, node.value)) is not None:
        _reverse(frame, name_of_list, node.value)
        return
    if read_in_place(frame, node.value):
        return
    check_in_place(frame, node.value)
    _check_used(frame, node.value, read(frame, node.value))


def read_pass(frame: Frame, node: ast.Pass, rest: Rest, name: str | None) -> None:
    """Nothing happens there."""


def read_import(frame: Frame, node: ast.Import | ast.ImportFrom, rest: Rest, name: str | None) -> None:
    """An import of what a formula may use, whose names are known before the function is read."""
    bound = {each: made.name for each, made in imported(node).items()}
    known = {each: getattr(frame.names.lookup(each), "name", "") for each in bound}
    if bound != known:
        raise fence.statement(node, frame.span(node))


def read_quiet(frame: Frame, node: Quiet, rest: Rest, name: str | None) -> None:
    """``with np.errstate(over="ignore")``: values do not depend on whether NumPy warns of them."""
    call = node.call
    assert isinstance(call, ast.Call)
    modes = [each.value.value for each in call.keywords if isinstance(each.value, ast.Constant)]
    silent = len(modes) == len(call.keywords) and not call.args and {*modes} <= {"ignore", "warn"}
    if not silent or dotted_name(call.func, frame.names) != "numpy.errstate":
        raise fence.statement(ast.copy_location(ast.With([], []), node), frame.span(node))


def read_delete(frame: Frame, node: ast.Delete, rest: Rest, name: str | None) -> None:
    """``del name``: nothing can be read under this name any more."""
    for target in node.targets:
        if not isinstance(target, ast.Name) or target.id not in frame.local:
            raise fence.statement(node, frame.span(node))
        hint = "leave the `del` out: nothing is saved that isn't captured"
        frame.bind(target.id, Poison("is deleted before this", hint=hint), target)


def _check_used(frame: Frame, node: ast.expr, value: Value) -> None:
    """Refuse a call that nobody reads: it would be left out with what it does."""
    called = frame.build.opaque.get(value) if isinstance(value, Var) else None
    if called is not None:
        raise refuse(
            "PB402",
            f"nothing reads what `{called}` returns, and a formula leaves out what nothing reads",
            frame.span(node),
            value=called,
            hint=f"write {instead}" if (instead := instead_of(called)) else "call it outside of the formula",
        )


def _reversed_in_place(frame: Frame, node: ast.expr) -> str | None:
    """The list's name in ``name.reverse()``."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(name), "reverse"), [], []):
            held = frame.local.get(name)
            grown = isinstance(held, Backwards | Growing) or (isinstance(held, Var) and is_list(frame, held))
            return name if grown else None
    return None


def _reverse(frame: Frame, name: str, node: ast.expr) -> None:
    """Let a name hold its list backwards."""
    held = frame.local[name]
    if isinstance(held, Growing):
        if frame.build.branches <= held.depth and (not frame.build.in_closure or held.by_closure):
            check_own_list(frame, held, name, node)
            held.items.reverse()
            return
        held = as_variable(frame, name, held, node)
    if isinstance(held, Var):
        check_list_write(frame, held, name, node)
        held = list_of_places(frame, held, "len(xs) - 1 - k", "len(xs)", node)
    frame.bind(name, held.items if isinstance(held, Backwards) else held, node)


def read_def(frame: Frame, node: ast.FunctionDef, rest: Rest, name: str | None) -> None:
    """A nested function, bound to its name."""
    if node.decorator_list:
        raise refuse(
            "PB401", "a nested function with a decorator is outside of the formula language", frame.span(node)
        )
    if (found := fence.is_generator(node)) is not None:
        raise fence.expression(found, frame.span(found))
    frame.bind(node.name, function_value(frame, node), node)


def read_assign(frame: Frame, node: ast.Assign, rest: Rest, name: str | None) -> None:
    """``a = b = value``."""
    first = node.targets[0]
    if isinstance(first, ast.Name):
        value = read(frame, node.value, first.id)
    elif isinstance(node.value, ast.Call) and (targets := target_names(first)):
        value = read_call(frame, node.value, None, targets)
    else:
        value = read(frame, node.value)
    for target in node.targets:
        bind_target(frame, target, value)


def read_augmented(frame: Frame, node: ast.AugAssign, rest: Rest, name: str | None) -> None:
    """``name += value``, of a name or a part of an array."""
    op = BINARY.get(type(node.op))
    if op is None:
        raise refuse("PB401", "this operator is outside of the formula language", frame.span(node))
    if isinstance(node.target, ast.Subscript):
        change_part(frame, node.target, op, node)
        return
    if not isinstance(node.target, ast.Name):
        check_store(frame, node.target)
        raise refuse("PB401", "this cannot be changed in a formula", frame.span(node))
    target = node.target.id
    held = lookup(frame, ast.copy_location(ast.Name(target, ast.Load()), node.target))
    if isinstance(held, Growing):
        hint = f"write `{target}.extend(more)`"
        raise refuse(
            "PB401", "a list grows by `append` and `extend`", frame.span(node), value=target, hint=hint
        )
    frame.bind(target, augmented(frame, op, held, target, node), node)
