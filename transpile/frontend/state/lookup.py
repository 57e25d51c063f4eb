"""The value that a name holds in a frame, by Python's scoping rules."""

from __future__ import annotations

import ast
import builtins

from ...ir import Block, Eqn, Kind, Literal, Var
from ...operators import instead_of
from ..names.bindings import Binding, Names
from ..names.constants import fold_node
from ..names.decorators import is_helper
from ..syntax.fence import Refusal, refuse
from ..syntax.spelling import canonical, constant_of
from ..syntax.text import find_function, parse, too_deep
from .values import Backwards, Callee, Dotted, Frame, Function, LastIteration, Poison, Value


def lookup(frame: Frame, node: ast.Name) -> Value:
    """The value that a name holds here, by Python's scoping rules."""
    name = node.id
    around: Frame | None = frame
    while around is not None:
        if name in around.local:
            return _found(frame, name, around.local[name], node)
        if name in around.declared:
            where = "here" if around is frame else "yet"
            raise refuse("PB407", f"`{name}` has no value {where}", frame.span(node), value=name)
        around = around.parent
    binding = frame.names.lookup(name)
    if binding is None and hasattr(builtins, name):
        instead = instead_of(name)
        raise refuse(
            "PB402",
            f"Python's `{name}` is outside of the formula language",
            frame.span(node),
            value=name,
            hint=f"write {instead}" if instead else "compute it before, and make it a parameter",
        )
    if binding is None:
        raise refuse(
            "PB407",
            f"`{name}` is not defined",
            frame.span(node),
            value=name,
            hint="assign it before, import it, or make it a parameter",
        )
    return _global(frame, name, binding, node)


def _found(frame: Frame, name: str, value: Value, node: ast.Name) -> Value:
    if isinstance(value, Poison):
        if value.why:
            message = f"`{name}` {value.why}"
            raise refuse(value.code, message, frame.span(node), value=name, hint=value.hint)
        raise Refusal
    if isinstance(value, LastIteration):
        value = _last(frame, value, name, node)
    if isinstance(value, Backwards):
        frame.note_use(value.items, frame.span(node))
        return _reversed_list(frame, value.items, name, node)
    if frame.build.in_closure:
        frame.note_use(value, frame.span(node))
    return value


def _last(frame: Frame, value: LastIteration, name: str, node: ast.Name) -> Var:
    """An element of the list that the loop collects; its index is an error where there was no iteration."""
    build, span = frame.build, frame.span(node)
    frame.note_use(value.iterations, span)
    return build.emit("item", (value.iterations, Literal(value.place)), span, kind=value.kind, name=name)


def _reversed_list(frame: Frame, items: Var, name: str, node: ast.Name) -> Var:
    """The items of a list the other way round: a loop that takes them from the end."""
    build, span = frame.build, frame.span(node)
    count = build.emit("len", (items,), span, kind="value")
    iteration = build.fresh("iteration", "value", span)
    with build.block() as eqns:
        left = build.emit("subtract", (count, iteration), span, kind="value")
        place = build.emit("subtract", (left, Literal(1)), span, kind="value")
        kind: Kind = "tensor" if items.kind == "list" else "value"
        item = build.emit("item", (items, place), span, kind=kind)
    reversed_list = build.fresh(name, items.kind, span)
    build.add(Eqn((reversed_list,), "for", (count,), (), (Block((iteration,), tuple(eqns), (item,)),), span))
    return reversed_list


def _global(frame: Frame, name: str, binding: Binding, node: ast.Name) -> Value:
    if binding.kind == "constant":
        return binding.literal
    if binding.kind == "dotted":
        dotted = canonical(binding.name)
        return constant_of(dotted) or Dotted(dotted, name)
    if binding.kind == "formula":
        return callee_of(binding)
    if binding.kind == "helper" and binding.source is not None and binding.names is not None:
        return _helper(frame, name, binding, node)
    if binding.kind == "factory":
        return frame.build.factory_value(name, frame.span(node))
    raise refuse(
        "PB104",
        f"`{name}` is {binding.why or 'not a constant'}: it may change before the backward runs",
        frame.span(node),
        value=name,
        hint="make it a parameter, or a module-level number",
    )


def _helper(frame: Frame, name: str, binding: Binding, node: ast.Name) -> Value:
    assert binding.source is not None
    assert binding.names is not None
    same = binding.source == frame.text.source
    text = frame.text if same else parse(binding.source)
    found = find_function(text.tree, binding.name)
    if found is None or not is_helper(binding.names, found):
        return Dotted(name, name)
    return Function(
        found,
        Frame(frame.readers, frame.build, text, binding.names, place=frame.place),
        defaults_of(found, binding.names),
    )


def defaults_of(node: ast.FunctionDef, names: Names) -> tuple[tuple[str, Value], ...]:
    """The default arguments of a module-level helper, which Python read when it was defined."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(reversed(positional), reversed(args.defaults), strict=False)]
    pairs += [(arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value]
    found: list[tuple[str, Value]] = []
    for arg, value in pairs:
        literal = fold_node(value, names) if too_deep(value) is None else None
        found.append((arg.arg, literal or Poison("has a default that is not a constant")))
    return tuple(found)


def callee_of(binding: Binding) -> Callee:
    """The formula that a binding stands for."""
    return Callee(binding.name, binding.operands, binding.attrs, binding.results, binding.result_is_tuple)
