"""The formulas of a text and the findings in them, without reading again what an edit cannot have changed.

What a formula depends on is its statement at the top level, what the names in that stand for, and the helpers
that it leads to: their text, and their lines counted from the statement's, so that all may move together.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple
from unicodedata import normalize

from pullback.transpile.diagnostics import Diagnostic, FormulaError
from pullback.transpile.frontend import Outline, read_operator
from pullback.transpile.frontend.function import read_one
from pullback.transpile.frontend.names.folder import formula_around
from pullback.transpile.frontend.names.signature import cycles
from pullback.transpile.frontend.syntax.fence import Refusal
from pullback.transpile.ir import Formula, Source, Span

from .modules import first_line

_WORD = re.compile(r"[^\W\d]\w*")
_PLACE = re.compile(r"(?<=\(line )\d+(?=\))")
Check = Callable[[Formula], Iterable[Diagnostic]]


class InFormula(NamedTuple):
    """A formula, None where it cannot be used, with what reading it and the rules find."""

    name: str
    span: Span
    formula: Formula | None
    read: tuple[Diagnostic, ...] = ()
    checked: tuple[Diagnostic, ...] = ()


def read_formulas(
    source: Source, check: Check, known: dict[Hashable, InFormula] | None = None
) -> tuple[list[InFormula], list[Diagnostic]]:
    """The formulas of a text, and the findings outside of them.

    `check`: the rules. `known`: the formulas of an earlier version of the text; it is brought up to date.
    """
    try:
        outline = Outline(source, around=formula_around)
    except Refusal as refusal:
        return [], [refusal.finding] if refusal.finding else []
    keys = _Keys(outline) if known is not None else None
    outside = list(outline.module.diagnostics)
    unread = [InFormula(one.name, one.span, None) for one in outline.module.unreadable]
    found: dict[str, InFormula] = {}
    now: dict[Hashable, InFormula] = {}
    for operator in outline.operators:
        key = keys.of(operator) if keys is not None else None
        one = known.get(key) if known else None
        found[operator] = _read(outline, operator, check) if one is None else _moved(one, outline, operator)
        now[key] = found[operator]
    if known is not None:
        known.clear()
        known.update(now)
    readable = {operator: one.formula for operator, one in found.items() if one.formula is not None}
    for operator, why in cycles(readable).items():
        one = found[operator]
        lines = one.span.line - readable[operator].span.line
        finding = (_at(why.finding, lines),) if why.finding else ()
        found[operator] = one._replace(formula=None, read=one.read + finding, checked=())
    derived = [_derived(outline, name, readable) for name in outline.module.derived]
    return [*unread, *_told_apart(outline, found), *derived], outside


def _derived(outline: Outline, name: str, formulas: Mapping[str, Formula]) -> InFormula:
    """A function whose closure ``pb.derive_pullback`` or ``pb.compile`` derives, and what is in the way."""
    module = outline.module
    reading = read_one(module.source, module.names, name)
    node = next(n for n in outline.text.tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    errors = () if reading.formula is None else _in_the_way(reading.formula, formulas)
    places = {error.span for error in errors}
    read = [finding for finding in reading.diagnostics if finding.span not in places]
    return InFormula(name, outline.text.span(node), reading.formula, (*read, *errors))


def _in_the_way(formula: Formula, formulas: Mapping[str, Formula]) -> tuple[Diagnostic, ...]:
    """The findings that keep a closure from being derived; none without the library of formulas."""
    if find_spec("pullback.formulas") is None:
        return ()
    from pullback.transpile.library import Library, standard_library
    from pullback.transpile.passes.promote.promote import promote

    try:
        promote(formula, Library(formulas, standard_library()))
    except FormulaError as error:
        return tuple(error.diagnostics)
    return ()


def _told_apart(outline: Outline, found: dict[str, InFormula]) -> Iterator[InFormula]:
    """Of two formulas with one name, the second is known by the functions around it and its line."""
    seen: set[str] = set()
    for operator, one in found.items():
        if one.formula is not None and one.name in seen:
            around = [function.name for function in outline.around[outline.found[operator][0]]]
            one = one._replace(name=".".join([*around, f"{one.name}:{one.span.line}"]))
        elif one.formula is not None:
            seen.add(one.name)
        yield one


def _read(outline: Outline, operator: str, check: Check) -> InFormula:
    module, node = outline.module, outline.found[operator][0]
    before = len(module.diagnostics)
    formula = read_operator(outline, operator)
    checked = tuple(check(formula)) if formula is not None else ()
    return InFormula(node.name, outline.text.span(node), formula, tuple(module.diagnostics[before:]), checked)


def _moved(one: InFormula, outline: Outline, operator: str) -> InFormula:
    """It where it stands now."""
    span = outline.text.span(outline.found[operator][0])
    lines = span.line - one.span.line
    if not lines:
        return one
    read, checked = (tuple(_at(d, lines) for d in found) for found in (one.read, one.checked))
    return one._replace(span=span, read=read, checked=checked)


def _at(finding: Diagnostic, lines: int) -> Diagnostic:
    """A finding so many lines further down, with the line that it names."""
    span = finding.span
    moved = replace(span, line=span.line + lines, end_line=span.end_line + lines)
    message = finding.message
    if finding.code == "PB101":
        message = _PLACE.sub(lambda found: str(int(found[0]) + lines), message)
    return replace(finding, span=moved, message=message)


class _Keys:
    """The dependencies of each formula of a file: with equal keys in two versions go equal findings."""

    def __init__(self, outline: Outline) -> None:
        self._outline, self._names = outline, outline.module.names
        self._body = outline.text.tree.body
        self._starts = [first_line(statement) for statement in self._body]
        self._holders: dict[str, set[int]] = {}
        for function in outline.around:
            self._holders.setdefault(function.name, set()).add(self._statement(function))
        self._links = cache(self._links_of)

    def of(self, operator: str) -> Hashable:
        """The key of a formula."""
        node, _ = self._outline.found[operator]
        own = self._statement(node)
        first = self._starts[own]
        waiting, seen = [own], {own}
        found: set[Hashable] = set()
        while waiting:
            number = waiting.pop()
            text, bindings, statements = self._links(number)
            found |= {(self._starts[number] - first, text), *bindings}
            waiting += statements - seen
            seen |= statements
        return operator, node.lineno - first, node.col_offset, frozenset(found)

    def _statement(self, node: ast.FunctionDef) -> int:
        """The number of the statement at the top level that a function stands in."""
        return bisect_right(self._starts, node.lineno) - 1

    def _links_of(self, number: int) -> tuple[str, frozenset[tuple[str, str]], frozenset[int]]:
        """A statement's text, what the names in it stand for, and the statements with its helpers."""
        end = self._body[number].end_lineno
        text = "\n".join(self._outline.text.lines[self._starts[number] - 1 : end])
        bindings, statements = set[tuple[str, str]](), set[int]()
        for name in set(_WORD.findall(text if text.isascii() else normalize("NFKC", text))):
            known = self._names.find(name)
            if known is not None and known.kind == "helper":
                statements |= self._holders.get(known.name, set())
            bindings.add(
                (name, known.kind if known.kind == "helper" else repr(known)) if known else (name, "")
            )
        return text, frozenset(bindings), frozenset(statements)
