"""``@pb.formula(...)`` and ``@pb.composite(...)`` as they are written."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...ir import Options
from ..syntax.fence import refuse
from ..syntax.text import Text
from .bindings import Names
from .constants import dotted_name, fold_node

_DECORATORS = {"pullback.formula": "formula", "pullback.composite": "composite"}
_DERIVE = "pullback.derive_pullback"
_OF_PLAIN = frozenset({"pullback.compile", _DERIVE})
_FLAGS = frozenset({"first_order_only", "surrogate", "complex"})
_TUPLES = frozenset({"save", "recompute", "nondifferentiable"})
_IGNORED = frozenset({"jvp", "name"})


@dataclass(frozen=True, slots=True)
class Decoration:
    """The decorator of a function."""

    role: str
    target: str | None
    options: Options


def decoration(text: Text, names: Names, node: ast.FunctionDef) -> Decoration | None:
    """The decorator that makes a function a formula, or None where it isn't one."""
    for item in node.decorator_list:
        call = item if isinstance(item, ast.Call) else None
        dotted = dotted_name(call.func if call else item, names)
        role = _DECORATORS.get(dotted or "")
        if role is None:
            continue
        text.check_depth(item)
        target = dotted_name(call.args[0], names) if call and call.args else None
        return Decoration(role, target, _options(text, names, call) if call else Options())
    return None


def is_derived(names: Names, node: ast.FunctionDef) -> bool:
    """True for a function under ``pb.compile`` or ``pb.derive_pullback``, which derive its closure."""
    called = (item.func if isinstance(item, ast.Call) else item for item in node.decorator_list)
    return any(dotted_name(item, names) in _OF_PLAIN for item in called)


def is_helper(names: Names, node: ast.FunctionDef) -> bool:
    """True for a function whose text is read where it is called: plain, or under ``pb.derive_pullback``."""
    return all(dotted_name(item, names) == _DERIVE for item in node.decorator_list)


def _options(text: Text, names: Names, call: ast.Call) -> Options:
    found: dict[str, object] = {}
    for keyword in call.keywords:
        key, span = keyword.arg or "**", text.span(keyword.value)
        if key in _IGNORED:
            continue
        literal = fold_node(_as_tuple(keyword.value), names)
        value = literal.value if literal else None
        if key in _FLAGS and isinstance(value, bool):
            found[key] = value
        elif key in _TUPLES and isinstance(value, str | int) and not isinstance(value, bool):
            found[key] = (value,)
        elif key in _TUPLES and isinstance(value, tuple):
            found[key] = value
        else:
            expected = "True or False" if key in _FLAGS else "a tuple" if key in _TUPLES else "no such option"
            known = ", ".join(sorted(_FLAGS | _TUPLES))
            raise refuse(
                "PB408", f"`{key}=`: expected {expected}", span, value=key, hint=f"options are {known}"
            )
    return Options(**found)  # type: ignore[arg-type]


def _as_tuple(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.List | ast.Set):
        return ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
    return node
