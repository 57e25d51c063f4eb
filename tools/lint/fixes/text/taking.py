"""The way in which a backward takes what is saved: by unpacking, or item by item.

In: a backward. Out: a `Taking`: which name each saved value gets, and after which statement all have theirs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...analyses.context import READS_SAVED
from .place import body_of, unused
from .splices import CannotFix, Text


@dataclass
class Taking:
    """The statements of a backward that take what is saved.

    `reader`: the expression that gives all of it, ``ctx.saved_tensors`` or a name for that; "" where it takes
    nothing. `place`: the statement after which all are bound; None where it takes none, or only inside
    expressions, which are `inline`. `explicit`: what indices that count from the end are to be, where more is
    saved. `others`: the other unpackings, where there are several.
    """

    context: str
    function: ast.FunctionDef
    reader: str
    place: ast.stmt | None = None
    unpacked: ast.Assign | None = None
    items: dict[int, str] = field(default_factory=dict)
    inline: dict[int, list[ast.Subscript]] = field(default_factory=dict)
    explicit: list[tuple[ast.expr, str]] = field(default_factory=list)
    others: tuple[Taking, ...] = ()

    @property
    def all(self) -> tuple[Taking, ...]:
        """It and the others."""
        return self, *self.others

    def bind(self, index: int, name: str, text: Text, taken: set[str]) -> list[str]:
        """The lines that bind an item that is taken inside expressions, which then say the name."""
        nodes = self.inline.get(index, [])
        lines = self._named(taken) if nodes else []
        for node in nodes:
            text.replace(node, name)
            self.explicit = [one for one in self.explicit if one[0] is not node.slice]
        return [*lines, f"{name} = {self.reader}[{index}]"] if nodes else []

    def more(self, names: Sequence[tuple[int, str]], text: Text, taken: set[str]) -> list[str]:
        """The lines that bind items at more places."""
        if not self.reader:
            self.reader = unused("saved", taken)
            return [
                f"{self.reader} = {self.context}.saved_tensors",
                *(f"{name} = {self.reader}[{index}]" for index, name in names),
            ]
        self.count_from_start(text)
        once = self._once()
        lines = self._named(taken)
        if once is not None:
            text.replace(once, self.reader)
        if lines and self.place is not None:
            text.before(self.place, lines)
            lines = []
        return [*lines, *(f"{name} = {self.reader}[{index}]" for index, name in names)]

    def count_from_start(self, text: Text) -> None:
        """Write indices that count from the end so that they mean the same where more is saved."""
        for node, written in self.explicit:
            text.replace(node, written)

    def _once(self) -> ast.expr | None:
        """The only expression that reads what is saved: a checkpoint refuses to be read twice."""
        nodes = [n for n in ast.walk(self.function) if _reads_saved(n, self.context)]
        only = nodes[0] if len(nodes) == 1 and self.unpacked is None and "." in self.reader else None
        return only if isinstance(only, ast.expr) else None

    def _named(self, taken: set[str]) -> list[str]:
        """The line that gives what is saved a name, where it was read once."""
        if self._once() is None:
            return []
        line, self.reader = self.reader, unused("saved", taken)
        return [f"{self.reader} = {line}"]

    def local(self, index: int) -> str | None:
        """The name that the item gets, and no other item."""
        if self.unpacked is None:
            return self.items.get(index)
        target = self.unpacked.targets[0]
        elements = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        starred = [i for i, e in enumerate(elements) if isinstance(e, ast.Starred)]
        if index >= len(elements) or (starred and index >= starred[0]):
            return None
        names = [e.id if isinstance(e, ast.Name) else None for e in elements]
        return names[index] if names.count(names[index]) == 1 else None


def find_taking(function: ast.FunctionDef, inside: bool = False, count: int | None = None) -> Taking:
    """The way in which a backward takes what is saved; `CannotFix` where it is neither of the two.

    `inside`: it may unpack in branches. `count`: how many values are saved, if that is known.
    """
    arguments = [*function.args.posonlyargs, *function.args.args]
    first = 1 if any(getattr(d, "id", "") == "classmethod" for d in function.decorator_list) else 0
    return _Finder(function, arguments[first].arg, count).find(inside)


class _Finder:
    """The reads of what is saved in one backward."""

    def __init__(self, function: ast.FunctionDef, context: str, count: int | None) -> None:
        self.function, self.count, self.body = function, count, body_of(function)
        self.reads = [n for n in ast.walk(function) if isinstance(n, ast.expr) and _reads_saved(n, context)]
        self.taking = Taking(context, function, ast.unparse(self.reads[0]) if self.reads else "")

    def find(self, inside: bool) -> Taking:
        """The form in which it takes them."""
        if not self.reads:
            return self.taking
        self._follow_name()
        unpacked = [s for s in (_within(self.body) if inside else self.body) if self._unpacks(s)]
        if len(unpacked) == len(self.reads) and (inside or len(unpacked) == 1):
            return self._unpackings(unpacked)
        for statement in self.body:
            for target, value in _pairs(statement):
                if isinstance(value, ast.Subscript) and value.value in self.reads:
                    self._bind(target, value, statement)
        self._find_inline()
        self._drop_rebound()
        return self.taking

    def _follow_name(self) -> None:
        """Read ``saved`` of ``saved = ctx.saved_tensors`` from there on, where nothing else binds it."""
        for statement in self.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if [value] == self.reads:
                    uses = [n for n in ast.walk(self.function) if isinstance(n, ast.Name) and n.id == name]
                    later: list[ast.expr] = [n for n in uses if n.lineno > statement.lineno]
                    if len(uses) == len(later) + 1 and sum(isinstance(n.ctx, ast.Store) for n in uses) == 1:
                        self.reads, self.taking.reader, self.taking.place = later, name, statement
                    return

    def _unpacks(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
                return value in self.reads
        return False

    def _unpackings(self, statements: list[ast.stmt]) -> Taking:
        found: list[Taking] = []
        lengths = set()
        for statement in statements:
            match statement:
                case ast.Assign(targets=[ast.Tuple(elts=elements) | ast.List(elts=elements)]):
                    lengths.add(len(elements))
                    reader = self.taking.reader
                    found.append(Taking(self.taking.context, self.function, reader, statement, statement))
        if len(lengths) != 1:
            raise CannotFix("the backward unpacks other numbers of values in other places")
        first, *others = found
        first.others = tuple(others)
        return first

    def _bind(self, target: ast.expr, value: ast.Subscript, statement: ast.stmt) -> None:
        """Note ``x = saved[0]`` and ``x, w = saved[:2]``."""
        several = isinstance(value.slice, ast.Slice)
        names = target.elts if isinstance(target, ast.Tuple | ast.List) and several else [target]
        places = self._places(value.slice)
        plain = [name.id for name in names if isinstance(name, ast.Name)]
        if places and len(plain) == len(names) == len(places):
            self.reads.remove(value.value)
            self.taking.items |= dict(zip(places, plain, strict=True))
            self.taking.place = statement

    def _places(self, index: ast.expr) -> list[int]:
        """The places that an index or a slice means; none where that is not known."""
        match index:
            case ast.Constant(value=int(place)):
                return [place]
            case ast.Slice(lower=lower, upper=upper, step=None):
                bounds = [None if part is None else _integer(part) for part in (lower, upper)]
                given = [part for part in (lower, upper) if part is not None]
                if self.count is None or len(given) != sum(bound is not None for bound in bounds):
                    return []
                places = list(range(self.count))[slice(*bounds)]
                if places and (places[-1] + 1 != bounds[1] or isinstance(lower, ast.UnaryOp)):
                    self.taking.explicit.append((index, f"{places[0]}:{places[-1] + 1}"))
                return places
        from_end = _integer(index)
        if from_end is None or self.count is None or self.count + from_end < 0:
            return []
        self.taking.explicit.append((index, str(self.count + from_end)))
        return [self.count + from_end]

    def _find_inline(self) -> None:
        """Note what is taken inside expressions, all of it after what gets a name."""
        end = self.taking.place.end_lineno or 0 if self.taking.place is not None else 0
        for node in ast.walk(self.function):
            match node:
                case ast.Subscript(value=value, slice=index) if value in self.reads and node.lineno > end:
                    if not isinstance(index, ast.Slice) and (places := self._places(index)):
                        self.taking.inline.setdefault(places[0], []).append(node)
        if sum(map(len, self.taking.inline.values())) != len(self.reads):
            raise CannotFix("the backward does not unpack what is saved in one place")

    def _drop_rebound(self) -> None:
        """Leave out names that are bound again before all are bound."""
        end = self.taking.place.end_lineno or 0 if self.taking.place is not None else 0
        before = [s for s in self.body if s.lineno <= end]
        stored = [
            n.id
            for s in before
            for n in ast.walk(s)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        ]
        self.taking.items = {i: name for i, name in self.taking.items.items() if stored.count(name) == 1}


def _integer(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return None


def _reads_saved(node: ast.AST, context: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return owner == context and name in READS_SAVED
    return False


def _within(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, and those of its branches."""
    for statement in statements:
        yield statement
        if isinstance(statement, ast.If):
            yield from _within([*statement.body, *statement.orelse])


def _pairs(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The target and the value of an assignment; each pair of ``a, b = c, d``."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            yield from zip(targets, values, strict=False) if len(targets) == len(values) else ()
        case ast.Assign(targets=[target], value=value):
            yield target, value
