"""Lists of numbers that are filled by place, as the arrays that they are used as.

``dp = [[0.0] * m for _ in range(n)]``, ``dp[i][j] = ...`` is an array of n rows and m columns, where the
function does nothing with the list that an array would do otherwise: it reads and writes elements, asks for a
length, and hands lists of numbers to functions that give something else.

>>> tree = ast.parse('''
... def longest(x):
...     best = [0.0] * (len(x) + 1)
...     for i in range(len(x)):
...         best[i + 1] = max(best[i], x[i])
...     return best[-1]
... ''')
>>> write_tables(tree)
>>> [ast.unparse(each.lengths[0]) for each in ast.walk(tree) if isinstance(each, Table)]
['len(x) + 1']
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .nodes import node_of

# Functions that read the elements of a list as those of an array, and keep neither.
_READERS = frozenset({"len", "sum", "max", "min", "any", "all", "sorted", "enumerate", "zip", "reversed"})


class Table(ast.expr):
    """A new array of these lengths, full of a number."""

    _fields = ("lengths", "fill")
    lengths: list[ast.expr]
    fill: ast.expr


class Filled(ast.expr):
    """A list that is filled by place: an array of its elements, where it is not written out."""

    _fields = ("elements",)
    elements: ast.expr


def write_tables(tree: ast.Module) -> None:
    """Write lists that are filled by place as arrays, in place. Does not recurse."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            _write_tables(function)


@dataclass
class _Name:
    """A name that such lists are assigned to, where these stand, and where else the name does."""

    depth: int
    made: list[tuple[ast.Assign | ast.AnnAssign, Table | Filled]] = field(default_factory=list)
    uses: list[ast.Name] = field(default_factory=list)


def _write_tables(function: ast.FunctionDef) -> None:
    names: dict[str, _Name] = {}
    targets: set[ast.AST] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign([ast.Name() as target], value) | ast.AnnAssign(ast.Name() as target, _, value):
                table = None if value is None else _table_of(value) or _filled_of(value)
                if table is not None:
                    held = names.setdefault(target.id, _Name(_depth(table)))
                    held.made.append((node, table))
                    targets.add(target)
    if not names:
        return
    around = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in names and node not in targets:
            names[node.id].uses.append(node)
        elif isinstance(node, ast.arg):
            names.pop(node.arg, None)
    found = _arrays_among(names, around)
    whole = all(
        _adds_whole_numbers(node, name, around)
        for name in found
        for node in names[name].uses
        if _is_written(node, around)
    )
    for assignment, table in (each for name in found for each in names[name].made):
        if isinstance(table, Table):
            table.fill = table.fill if whole else _as_float(table.fill)
        assignment.value = table


def _arrays_among(names: dict[str, _Name], around: dict[ast.AST, ast.AST]) -> set[str]:
    """The names that arrays can stand under, of which some are written to: those that share one all can."""
    found = {
        name for name, held in names.items() if all(_depth(table) == held.depth for _, table in held.made)
    }
    while True:
        kept = {name for name in found if _is_kept(names[name], names, found, around)}
        if kept == found:
            break
        found = kept
    written = {name for name in found if any(_is_written(node, around) for node in names[name].uses)}
    groups = _sharing(names, found, around)
    filled = {name for name in found if any(isinstance(table, Filled) for _, table in names[name].made)}
    left = {name for group in groups if group & filled and not group & written for name in group}
    return found - left if written else set()


def _is_kept(held: _Name, names: dict[str, _Name], found: set[str], around: dict[ast.AST, ast.AST]) -> bool:
    """True of a name that an array can stand under, if one can under the others found."""
    copied = {_source(table) for name in found for _, table in names[name].made}
    depths = {name: names[name].depth for name in found}
    return all(
        _is_of_an_array(node, held.depth, around)
        or node in copied
        or _all_of_one_depth(_handed_on(node, around), depths)
        for node in held.uses
    ) and all(source is None or source.id in found for source in (_source(table) for _, table in held.made))


def _all_of_one_depth(pairs: list[tuple[str, str]], depths: dict[str, int]) -> bool:
    return bool(pairs) and all(depths.get(one, -1) == depths.get(other, -2) for one, other in pairs)


def _source(table: Table | Filled) -> ast.Name | None:
    """The list that another one is a copy of: ``xs[:]``, ``xs.copy()``."""
    match table:
        case Filled(
            elements=ast.Subscript(ast.Name() as source)
            | ast.Call(ast.Attribute(ast.Name() as source, "copy"))
        ):
            return source
    return None


def _sharing(names: dict[str, _Name], found: set[str], around: dict[ast.AST, ast.AST]) -> list[set[str]]:
    """The names in groups, of which each may hold an array of another one or a copy of it."""
    groups = {name: {name} for name in found}
    for name in found:
        pairs = [pair for node in names[name].uses for pair in _handed_on(node, around)]
        sources = (_source(table) for _, table in names[name].made)
        pairs += [(name, source.id) for source in sources if source is not None]
        for one, other in pairs:
            both = groups[one] | groups[other]
            groups |= dict.fromkeys(both, both)
    return list(groups.values())


def _handed_on(node: ast.Name, around: dict[ast.AST, ast.AST]) -> list[tuple[str, str]]:
    """Each pair of names in ``a = b`` or ``a, b = b, a``; none where the name stands in something else."""
    statement = around[node]
    if isinstance(statement, ast.Tuple):
        statement = around[statement]
    match statement:
        case ast.Assign([ast.Name(one)], ast.Name(other)):
            return [(one, other)]
        case ast.Assign([ast.Tuple(left)], ast.Tuple(right)) if len(left) == len(right):
            sides = zip(left, right, strict=True)
            pairs = [(a.id, b.id) for a, b in sides if isinstance(a, ast.Name) and isinstance(b, ast.Name)]
            return pairs if len(pairs) == len(left) else []
    return []


def _table_of(node: ast.expr) -> Table | None:
    """``[0.0] * n``, ``[0.0 for _ in range(n)]`` and lists of these, by their lengths; None for others."""
    match node:
        case ast.BinOp(ast.List([inner]), ast.Mult(), length) if _is_number(inner):
            return node_of(Table, node, [length], inner)
        case ast.ListComp(inner, [ast.comprehension(ast.Name(item), over, [], 0)]):
            count = _count_of(over)
            row = node_of(Table, node, [], inner) if _is_number(inner) else _table_of(inner)
            names = (each for each in ast.walk(inner) if isinstance(each, ast.Name))
            read = any(each.id == item and isinstance(each.ctx, ast.Load) for each in names)
            if count is not None and row is not None and not read:
                return node_of(Table, node, [count, *row.lengths], row.fill)
    return None


def _filled_of(node: ast.expr) -> Filled | None:
    """``list(x)``, ``x.tolist()``, ``[*x]``, ``[f(v) for v in x]`` and ``xs[:]``; None for others."""
    match node:
        case ast.Call(ast.Name("list"), [_], []) | ast.Call(ast.Attribute(_, "tolist"), [], []):
            pass
        case ast.Call(ast.Attribute(ast.Name(), "copy"), [], []):
            pass
        case ast.Subscript(ast.Name(), ast.Slice()):
            pass
        case ast.ListComp():
            pass
        case ast.List(parts) if any(isinstance(part, ast.Starred) for part in parts):
            pass
        case _:
            return None
    return node_of(Filled, node, node)


def _depth(table: Table | Filled) -> int:
    return len(table.lengths) if isinstance(table, Table) else 1


def _count_of(node: ast.expr) -> ast.expr | None:
    """The length of ``range(n)``."""
    match node:
        case ast.Call(ast.Name("range"), [length], []):
            return length
    return None


def _is_number(node: ast.expr) -> bool:
    """True of a number that is written, infinity too."""
    match node:
        case ast.UnaryOp(ast.USub(), inner):
            return _is_number(inner)
        case ast.Constant(value):
            return type(value) in (int, float)
        case ast.Attribute(ast.Name("np" | "numpy" | "math"), "inf" | "nan") | ast.Name(
            "inf" | "INF" | "nan"
        ):
            return True
        case ast.Call(ast.Name("float"), [ast.Constant(str())], []):
            return True
    return False


def _as_float(node: ast.expr) -> ast.expr:
    """The same number as a float."""
    match node:
        case ast.UnaryOp(_, inner):
            return ast.copy_location(ast.UnaryOp(ast.USub(), _as_float(inner)), node)
        case ast.Constant(int() as value):
            return ast.copy_location(ast.Constant(float(value)), node)
    return node


def _around(node: ast.expr, around: dict[ast.AST, ast.AST]) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each expression around a node that takes an element of it, with what stands around that."""
    inside: ast.AST = node
    while True:
        outer = around[inside]
        yield inside, outer
        if not isinstance(outer, ast.Subscript) or outer.value is not inside:
            return
        inside = outer


def _is_of_an_array(node: ast.Name, depth: int, around: dict[ast.AST, ast.AST]) -> bool:
    """True of a use that an array has the same value for."""
    for taken, (inside, outer) in enumerate(_around(node, around)):
        if isinstance(outer, ast.Subscript) and outer.value is inside:
            if isinstance(outer.slice, ast.Slice) and taken + 1 == depth:
                return _is_read(outer, around[outer], True)
            if taken == depth or not _is_place(outer.slice):
                return False
            if isinstance(outer.ctx, ast.Del) or (isinstance(outer.ctx, ast.Store) and taken + 1 < depth):
                return False
        else:
            return taken == depth or _is_read(inside, outer, taken + 1 == depth)
    return False


def _is_place(node: ast.expr) -> bool:
    return not any(isinstance(part, ast.Slice | ast.Tuple) for part in ast.walk(node))


def _is_read(inside: ast.AST, outer: ast.AST, of_numbers: bool) -> bool:
    """True where a list of numbers is looped over, or is given to a function that gives something else."""
    match outer:
        case ast.For() | ast.comprehension():
            return of_numbers and outer.iter is inside
        case ast.Call(ast.Name(name)):
            return inside in outer.args and (name == "len" or (of_numbers and name in _READERS))
        case ast.Call(ast.Attribute(ast.Name("np" | "numpy"))):
            return inside in outer.args
    return False


def _is_written(node: ast.Name, around: dict[ast.AST, ast.AST]) -> bool:
    *_, (inside, _) = _around(node, around)
    return isinstance(inside, ast.Subscript) and isinstance(inside.ctx, ast.Store)


def _adds_whole_numbers(node: ast.Name, name: str, around: dict[ast.AST, ast.AST]) -> bool:
    """True where what is written is made of whole numbers that stand there, and of elements of the list."""
    *_, (_, outer) = _around(node, around)
    if not isinstance(outer, ast.Assign | ast.AugAssign) or isinstance(getattr(outer, "op", None), ast.Div):
        return False
    return _is_whole(outer.value, name)


def _is_whole(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Constant(value):
            return type(value) is int
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            return _is_whole(left, name) and _is_whole(right, name)
        case ast.Subscript(inner):
            while isinstance(inner, ast.Subscript):
                inner = inner.value
            return isinstance(inner, ast.Name) and inner.id == name
    return False
