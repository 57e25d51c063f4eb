"""Names of a function that may share memory, once changes in place make new tensors.

Only what is known to be fresh is taken for fresh: operators, and PyTorch's functions and methods that give a
new tensor. What any other call gives may share memory with all that it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from ...analyses import torch_names
from .reading import reads, shares

# Methods by which a list holds what they are given.
FILLING = frozenset({"append", "extend", "insert"})
MODULES = frozenset({"torch", "F", "nn", "np", "numpy", "math"})
FRESH = frozenset(
    {"int", "float", "len", "bool", "range", "isinstance", "any", "all", "sum", "max", "min", "abs"}
)


class Aliases:
    """Pairs of names, by the assignments of a function.

    `written`: results of changes in place share, too. `calls`: and those of calls that are not known.
    """

    def __init__(
        self,
        function: ast.stmt,
        truth: Callable[[ast.expr], bool | None],
        written: bool = False,
        shared: Iterable[tuple[str, str]] = (),
        calls: bool = True,
    ) -> None:
        self._truth, self._written, self._calls = truth, written, calls
        self._pairs: set[tuple[str, str]] = set(shared)
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._join(target, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._join(target, value)
                case ast.NamedExpr(target=target, value=value):
                    self._join(target, value)
                case ast.For(target=target, iter=value):
                    self._join(target, value)
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend" | "insert")
                ):
                    self._pairs |= {(name, root) for a in node.args for root in self._roots(a)}

    def of(self, name: str) -> set[str]:
        """The other names that may share memory with it."""
        found, waiting = {name}, [name]
        while waiting:
            one = waiting.pop()
            near = {b for a, b in self._pairs if a == one} | {a for a, b in self._pairs if b == one}
            waiting += near - found
            found |= near
        return found - {name}

    def sharing(self, node: ast.expr) -> set[str]:
        """Names that may share memory with the value of an expression."""
        roots = set(self._roots(node))
        return roots.union(*(self.of(root) for root in roots))

    def _join(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            plain = not any(isinstance(e, ast.Starred) for e in (*target.elts, *value.elts))
            if plain and len(target.elts) == len(value.elts):
                for one, other in zip(target.elts, value.elts, strict=True):
                    self._join(one, other)
                return
        roots = set(self._roots(value))
        for name in _targets(target):
            self._pairs |= {(name, root) for root in roots if root != name}

    def _roots(self, node: ast.expr) -> Iterator[str]:
        """Names whose memory the value of an expression may share."""
        match node:
            case ast.Name(id=name):
                yield name
            case ast.IfExp(test=test, body=body, orelse=orelse):
                known = self._truth(test)
                for branch in [body, orelse] if known is None else [body if known else orelse]:
                    yield from self._roots(branch)
            case (
                ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.BoolOp(values=parts)
            ):
                for part in parts:
                    yield from self._roots(part)
            case ast.Starred(value=value) | ast.Subscript(value=value) | ast.NamedExpr(value=value):
                yield from self._roots(value)
            case ast.Attribute(value=value, attr=attr) if attr in torch_names.VIEWS:
                yield from self._roots(value)
            case ast.Call():
                yield from self._of_call(node)
            case ast.Dict() | ast.ListComp() | ast.GeneratorExp() | ast.Lambda() | ast.Await():
                yield from reads(node)

    def _of_call(self, node: ast.Call) -> Iterator[str]:
        given = [*node.args, *(k.value for k in node.keywords)]
        for keyword in node.keywords:
            if keyword.arg == "out":
                yield from self._roots(keyword.value)
        match node.func:
            case ast.Name(id=name) if name in FRESH:
                return
            case ast.Attribute(value=ast.Name(id=module), attr=attr) if module in MODULES:
                if shares(attr):
                    yield from self._roots(given[0]) if given else ()
            case ast.Attribute(attr=attr) if torch_names.is_in_place(attr) and not self._written:
                return
            case ast.Attribute(value=value, attr=attr) if shares(attr):
                yield from self._roots(value)
            case ast.Attribute(attr=attr) if attr in torch_names.METHODS:
                return
            case _:
                for one in given if self._calls else ():
                    yield from self._roots(one)


def _targets(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _targets(part)
        case ast.Starred(value=value) | ast.Subscript(value=value):
            yield from _targets(value)
