"""A value that the backward detaches stays in the graph: ``Variable(t)`` and ``t.detach()`` become ``t``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..analyses.context import READS_SAVED
from ..analyses.torch_names import is_in_place
from .fix import Fix
from .text.inner_autograd import check_no_autograd
from .text.of_torch import check_of_torch
from .text.place import Place
from .text.reading import bound
from .text.saved_call import LONGEST
from .text.splices import CannotFix

CODES = ("PB102",)
# What a tensor that requires grad refuses, and what lint cannot see through.
OUTSIDE = frozenset(
    {"numpy", "from_numpy", "tolist", "data_ptr", "storage", "untyped_storage", "from_dlpack", "to_dlpack"}
)


def apply(place: Place) -> None:
    """Leave out all that detaches in the backward.

    Where something is changed in place, or leaves PyTorch, the detached value may be wanted as it is.
    """
    check_no_autograd(place)
    backward = place.backward
    for node in ast.walk(backward):
        name = node.attr if isinstance(node, ast.Attribute) else ""
        if name in OUTSIDE:
            raise CannotFix(f"the backward calls `{name}`, which refuses what is recorded")
        if isinstance(node, ast.keyword) and node.arg == "out":
            raise CannotFix("the backward writes with `out=`, which autograd refuses to record")
        stored = isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store)
        if stored or isinstance(node, ast.AugAssign) or is_in_place(name):
            raise CannotFix("the backward changes a tensor in place, which may be a detached one")
    found = list(_detached(backward))
    if not found:
        raise CannotFix("nothing in the backward detaches it in a form that may be left out")
    check_of_torch(place)
    inside = {id(c): n for n in ast.walk(backward) for c in ast.iter_child_nodes(n)}
    for node, inner in found:
        text = _in_one_line(place.text.of(inner), LONGEST - node.col_offset)
        whole = isinstance(inner, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
        alone = isinstance(inner, ast.BinOp | ast.UnaryOp) and "\n" not in text
        alone = alone and isinstance(inside[id(node)], ast.Assign | ast.Return | ast.keyword)
        place.text.replace(node, text if whole or alone else f"({text})")


def _in_one_line(text: str, room: int) -> str:
    """A value over several lines in one, as formatters join them, where it has room and stays what it is."""
    joined = re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", re.sub(r"\s*\n\s*", " ", text))
    bare = re.sub(r",(?=[)\]}])", "", joined)  # but for the comma of a tuple of one
    joined = bare if _same(bare, text) else joined
    return joined if "\n" in text and len(joined) <= room and _same(joined, text) else text


def _same(one: str, other: str) -> bool:
    """True if two texts are the same expression, with no comment in either."""
    if "#" in other:
        return False
    try:
        return ast.dump(ast.parse(f"({one})")) == ast.dump(ast.parse(f"({other})"))
    except SyntaxError:
        return False


def _detached(backward: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each expression that detaches, and the value in it. Several around one value count as one."""
    tensors = {a.arg for a in ast.walk(backward) if isinstance(a, ast.arg)}
    for node in ast.walk(backward):
        if isinstance(node, ast.Assign) and any(
            isinstance(n, ast.Attribute) and n.attr in READS_SAVED for n in ast.walk(node.value)
        ):
            tensors |= bound(node)
    inside: set[int] = set()
    for node in ast.walk(backward):
        inner = _inner(node, tensors)
        if inner is None or not isinstance(node, ast.expr) or id(node) in inside:
            continue
        inside |= {id(n) for n in ast.walk(inner)}
        while (deeper := _inner(inner, tensors)) is not None:
            inner = deeper
        yield node, inner


def _inner(node: ast.AST, tensors: set[str]) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[], keywords=[]):
            return value
        case ast.Attribute(value=ast.Name(id=name) as value, attr="data", ctx=ast.Load()) if name in tensors:
            return value
        case ast.Call(func=ast.Name(id="Variable") | ast.Attribute(attr="Variable"), args=[value]):
            said = {k.arg: getattr(k.value, "value", True) for k in node.keywords}
            return value if set(said) <= {"requires_grad", "volatile"} and not any(said.values()) else None
    return None


FIX = Fix(apply, True, "recorded")
