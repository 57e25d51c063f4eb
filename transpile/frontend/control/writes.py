"""``out[index] = value``: a new array under the old name, for the IR has no memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from ...ir import Atom, Literal, Var
from ...operators import OPERATORS
from ..calls.written_arrays import array_assigned
from ..expressions.arithmetic import arithmetic
from ..expressions.dictionaries import put_entry
from ..expressions.subscripts import read_index
from ..state.aliases import is_number
from ..state.atoms import atom
from ..state.lookup import lookup
from ..state.mutation import (
    check_augmented,
    check_entry_write,
    check_own,
    check_own_list,
    check_store,
    check_write,
    view_of,
)
from ..state.readers import operand, read
from ..state.values import Frame, Growing, Keyed, Value
from ..syntax.fence import Refusal, refuse


@contextmanager
def _of_a_name(frame: Frame, target: ast.Subscript) -> Iterator[ast.Subscript]:
    """``part[j]`` in the place of ``name[i][j]``, with the view ``name[i]`` under a name of its own."""
    if not isinstance(target.value, ast.Subscript):
        yield target
        return
    with _of_a_name(frame, target.value) as whole:
        if isinstance(_held(frame, whole), Growing | Keyed):
            raise _no_array(frame, target)
        part = read(frame, _loaded(whole))
        if not isinstance(part, Var) or view_of(frame, part) is None:
            check_store(frame, target)
        assert isinstance(part, Var)
        assert isinstance(whole.value, ast.Name)
        name = f"<{whole.value.id.strip('<>')} part>"  # which no author can write
        frame.local[name] = part
        try:
            yield ast.copy_location(
                ast.Subscript(ast.Name(name, ast.Load()), target.slice, ast.Store()), target
            )
        finally:
            frame.local.pop(name, None)


def write_part(frame: Frame, target: ast.Subscript, value: Value, node: ast.expr) -> None:
    """``out[index] = value`` of an array that the formula made, or of a list."""
    with _of_a_name(frame, target) as part:
        _write(frame, part, value, node)


def _write(frame: Frame, target: ast.Subscript, value: Value, node: ast.expr) -> None:
    held = _held(frame, target)
    if isinstance(held, Keyed):
        _write_entry(frame, held, target, value)
        return
    if isinstance(held, Growing):
        _write_element(frame, held, target, value)
        return
    written = atom(frame, array_assigned(frame, value, node), node)
    if written == Literal(None):
        message = "`None` is no element of an array"
        raise refuse("PB404", message, frame.span(node), value="None", hint="write `np.nan`")
    _put(frame, held, target, read_index(frame, target.slice), written, node)


def change_part(frame: Frame, target: ast.Subscript, op: str, node: ast.AugAssign) -> None:
    """``out[index] += value``: the part is read, and what it becomes is written."""
    with _of_a_name(frame, target) as part:
        _change(frame, part, op, node)


def _change(frame: Frame, target: ast.Subscript, op: str, node: ast.AugAssign) -> None:
    held = _held(frame, target)
    if isinstance(held, Growing | Keyed):
        before = read(frame, _loaded(target))
        assert isinstance(target.value, ast.Name)
        value = augmented(frame, op, before, f"{target.value.id}[...]", node)
        if isinstance(held, Keyed):
            _write_entry(frame, held, target, value)
        else:
            _write_element(frame, held, target, value)
        return
    index, span = read_index(frame, target.slice), frame.span(node)
    part = frame.build.emit("getitem", (held,), span, kwargs=(("index", index),))
    value = array_assigned(frame, read(frame, node.value), node.value)
    changed = arithmetic(frame, op, part, value, node)
    _put(frame, held, target, index, atom(frame, changed, node), node)


def augmented(frame: Frame, op: str, held: Value, name: str, node: ast.AugAssign) -> Value:
    """The value of ``name += value``: an array keeps its shape and dtype, a number is replaced."""
    label = name if name.isidentifier() else None
    if not isinstance(held, Var) or held.kind != "tensor":
        return arithmetic(frame, op, held, read(frame, node.value), node, label)
    through = view_of(frame, held) is not None and not is_number(frame.build, held)
    shared = None if through else check_augmented(frame, held, name, node)
    value = arithmetic(frame, op, held, read(frame, node.value), node, label)
    if not isinstance(value, Var):
        return value
    kwargs = [("shared", Literal(shared))] if shared is not None else []
    changed = frame.build.emit("in_place", (value, held), frame.span(node), kwargs=kwargs, name=label)
    return _replaced(frame, name, held, changed, node) if through else changed


def _loaded(target: ast.Subscript) -> ast.Subscript:
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)


def _write_entry(frame: Frame, held: Keyed, target: ast.Subscript, value: Value) -> None:
    assert isinstance(target.value, ast.Name)
    name = target.value.id
    check_entry_write(frame, held, name, target)
    frame.bind(name, put_entry(frame, held, target.slice, value), target)


def _held(frame: Frame, target: ast.Subscript) -> Var | Growing | Keyed:
    """The array or list that is written to, under its name."""
    if not isinstance(target.value, ast.Name):
        check_store(frame, target)
    assert isinstance(target.value, ast.Name)
    held = lookup(frame, target.value)
    if isinstance(held, Growing | Keyed) or (isinstance(held, Var) and held.kind == "tensor"):
        return held
    raise _no_array(frame, target)


def _no_array(frame: Frame, target: ast.Subscript) -> Refusal:
    """The refusal of a write to a part of something else."""
    axes, name = 1, target.value
    while isinstance(name, ast.Subscript):
        axes, name = axes + 1, name.value
    whole = ast.unparse(name)
    made = f"{whole} = np.zeros({'n' if axes == 1 else 'shape'})"
    return refuse(
        "PB401",
        f"`{ast.unparse(target.value)}` is no array, and its elements cannot be assigned to",
        frame.span(target),
        value=whole,
        hint=f"make an array: `{made}`, or np.full and np.stack",
    )


def _put(frame: Frame, held: Var, target: ast.Subscript, index: Atom, value: Atom, node: ast.AST) -> None:
    assert isinstance(target.value, ast.Name)
    name, build = target.value.id, frame.build
    if view_of(frame, held) is None:
        check_write(frame, held, name, target)
    kwargs = [("index", index)]
    if isinstance(index, Var) and index in build.arrays and not _is_mask(frame, index):
        kwargs.append(("repeated", Literal(True)))
    new = build.emit("index_put", (held, value), frame.span(node), kwargs=kwargs, name=name)
    _replaced(frame, name, held, new, target)


def _replaced(frame: Frame, name: str, held: Var, new: Var, node: ast.AST) -> Var:
    """The array that a name holds after a write; one that it is a part of is written to there."""
    viewed = view_of(frame, held)
    if viewed is not None:
        base, name_of_base, index = viewed
        kwargs = [("index", index)]
        check_own(frame, held, name, node)
        whole = frame.build.emit("index_put", (base, new), frame.span(node), kwargs=kwargs, name=name_of_base)
        if view_of(frame, base) is None:
            check_write(frame, base, name_of_base, node)
        whole = _replaced(frame, name_of_base, base, whole, node)
        new = frame.build.emit("getitem", (whole,), frame.span(node), kwargs=kwargs, name=name)
    frame.bind(name, new, node)
    return new


def _is_mask(frame: Frame, index: Var) -> bool:
    """True where an index is a comparison's result, which names no place twice."""
    eqn = frame.build.made.get(index)
    info = OPERATORS.get(eqn.op) if eqn is not None else None
    return info is not None and info.dtype == "bool"


def _write_element(frame: Frame, held: Growing, target: ast.Subscript, value: Value) -> None:
    span = frame.span(target)
    if frame.build.branches > held.depth or (frame.build.in_closure and not held.by_closure):
        raise refuse(
            "PB303", "a list is changed in a branch or by the closure", span, hint="build a new list"
        )
    check_own_list(frame, held, ast.unparse(target.value), target)
    index, count = operand(frame, target.slice), len(held.items)
    place = index.value if isinstance(index, Literal) else None
    if not isinstance(place, int) or not -count <= place < count:
        raise refuse(
            "PB402",
            f"there are {count} elements, and this is no number of one of them",
            frame.span(target.slice),
        )
    held.items[place] = value
