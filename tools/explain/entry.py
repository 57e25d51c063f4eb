"""An entry of PyTorch's table of derivatives: as it stands there, as a formula with its facts, and in C++."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

from rich.console import Console
from rich.text import Text

from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import Library, standard_library

from ..aten.errors import NotImported
from ..aten.importing import file_text
from ..aten.nodes import LeftOutError, node_text
from ..aten.table import Entry, Table, Variant
from ..aten.text import text_of
from ..aten.writer import formula_name, written_formula
from ..errors import CommandError, UsageError
from .facts import Facts, facts_of
from .text import print_facts

PREFIX = "aten::"


@dataclass(frozen=True)
class Explained:
    """An entry.

    note      why it is this one, where another name was asked for
    schema    the schema of its operator
    table     its lines in the table
    facts     the facts about the formula
    cpp       its node and kernel, or None
    left_out  why there is no C++ of it
    """

    note: str
    schema: str
    table: tuple[str, ...]
    facts: Facts
    cpp: str | None
    left_out: str

    @property
    def formula(self) -> str:
        """The text of its functions."""
        return "\n".join(self.facts.formula.source.text.split("\n")[self.first_line - 1 :])

    @property
    def first_line(self) -> int:
        """The number of the first line of that, as the facts count."""
        lines = self.facts.formula.source.text.split("\n")
        return next(k for k, line in enumerate(lines, 1) if line.startswith(("def ", "@")))


def explained_entry(target: str, table: Table) -> Explained:
    """The entry of `aten::NAME`: of an operator or overload, or by the name of its formula.

    Raises UsageError, with names that are there, where the table has none of this name or several, and
    CommandError where it cannot be written as a formula.
    """
    name = target.removeprefix(PREFIX)
    entry, variant, note = _found(name, table)
    return replace(explained_variant(entry, variant, table), note=note)


def explained_variant(entry: Entry, variant: Variant, table: Table) -> Explained:
    """An entry for one dispatch key. Raises CommandError where it cannot be written as a formula."""
    target = f"{PREFIX}{entry.name}"
    try:
        written = written_formula(entry, variant, table.functions)
    except NotImported as error:
        raise CommandError(f"{target}: {error}") from error
    text = text_of(written)
    source = Source(target, file_text(f"The derivatives of {entry.name}.", [(written, text)], table.version))
    module = read_module(source)
    facts = facts_of(module.formulas[written.name], Library(module.operators, standard_library()))
    cpp, left_out = _node(entry, variant, table)
    return Explained("", entry.schema, tuple(_lines(variant)), facts, cpp, left_out)


def _node(entry: Entry, variant: Variant, table: Table) -> tuple[str | None, str]:
    if variant.key != "Default":
        return None, f"it is for {variant.key}"
    try:
        return node_text(entry, table.functions), ""
    except LeftOutError as reason:
        return None, str(reason)


def _found(name: str, table: Table) -> tuple[Entry, Variant, str]:
    known: dict[str, tuple[Entry, Variant]] = {}
    for entry in table.entries:
        for variant in entry.variants:
            known[formula_name(entry, variant)] = (entry, variant)
    for entry in table.entries:
        known[entry.name] = (entry, entry.variants[0])
    if name in known:
        return *known[name], ""
    overloads = [entry.name for entry in table.entries if entry.name.startswith(f"{name}.")]
    if len(overloads) == 1:
        return *known[overloads[0]], ""
    if overloads:
        raise UsageError(f"{PREFIX}{name}: which overload? Name one: {_names(overloads)}")
    base, dot, overload = name.partition(".")
    if base in table.functions and base.endswith("_") and not base.endswith("__"):
        found, variant, _ = _found(f"{base[:-1]}{dot}{overload}", table)
        return found, variant, f"{PREFIX}{name} has the derivative of {PREFIX}{found.name}"
    composites = list(_composites(table))
    near = [entry.name for entry in table.entries if entry.name in (f"native_{name}", f"_{name}")]
    if name in composites and near:
        made = f"{PREFIX}{name} is made of other operators and has no entry"
        return *known[near[0]], f"{made}; the nearest name is {PREFIX}{near[0]}"
    if name in composites:
        raise UsageError(
            f"{PREFIX}{name}: has no entry, it is made of other operators, whose entries serve it"
        )
    close = get_close_matches(name, {*known, *composites}, n=3)
    guess = f" Did you mean {_names(close)}?" if close else ""
    raise UsageError(f"{PREFIX}{name}: PyTorch {table.version} has no entry for it.{guess}")


def _composites(table: Table) -> Iterator[str]:
    for name, overloads in table.functions.items():
        if any(each.has_composite_implicit_autograd_kernel for each in overloads):
            yield name


def _names(given: list[str]) -> str:
    return ", ".join(PREFIX + name for name in given)


def _lines(variant: Variant) -> Iterator[str]:
    for names, text in {**variant.backward, **variant.forward}.items():
        yield f"{', '.join(names)}: {text}"
    for name in variant.plain:
        yield f"{name}: non_differentiable"


def print_entry(console: Console, entry: Explained) -> None:
    """The entry, its formula, what is captured and saved, and its C++."""
    if entry.note:
        _part(console, "", entry.note)
    _part(console, "In PyTorch's table", "\n".join([entry.schema, *(f"  {line}" for line in entry.table)]))
    lines = enumerate(entry.formula.rstrip().split("\n"), entry.first_line)
    _part(console, "As a formula", "\n".join(f"{number:5}  {line}".rstrip() for number, line in lines))
    print_facts(console, entry.facts)
    console.print()
    if entry.cpp is None:
        _part(console, "In C++", f"the library of nodes leaves it out: {entry.left_out}")
    else:
        _part(console, "In C++", entry.cpp.strip())


def _part(console: Console, title: str, text: str) -> None:
    if title:
        console.print(Text(title, "bold"))
    console.print(Text(text), soft_wrap=True)
    console.print()
