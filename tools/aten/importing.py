"""A whole table as files of formulas, and the counts of what became of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from .errors import NotImported
from .families import family_of, title_of
from .laying import WIDTH
from .table import Table, kinds
from .text import text_of
from .writer import Written, written_formula

MARK = "Imported from the table of derivatives of PyTorch"


@dataclass
class Imported:
    """The formulas made of a table, and their counts.

    entries   how many it has
    read      how many of them were written as formulas
    formulas  its formulas, those that the loader writes out among them
    emitted   how many of these stand in the text of a formula
    texts     the text of each file, by its name
    owners    per file, the formulas of the table in each of its functions
    failures  what was not written, and why
    """

    entries: int = 0
    read: int = 0
    formulas: int = 0
    emitted: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    owners: dict[str, dict[str, int]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def import_table(table: Table) -> Imported:
    """The formulas of a table, a file per family."""
    counted = kinds(table.entries)
    made = Imported(entries=len(table.entries), formulas=counted["explicit"] + counted["written_out"])
    families: dict[str, list[tuple[Written, str]]] = {}
    for entry in table.entries:
        whole = True
        for variant in entry.variants:
            try:
                written = written_formula(entry, variant, table.functions)
                text = text_of(written)
                ast.parse(text)
            except (NotImported, SyntaxError) as error:
                made.failures.append(f"{entry.name} ({variant.key}): {error}")
                whole = False
                continue
            families.setdefault(family_of(entry.name), []).append((written, text))
            made.emitted += written.formulas
        made.read += whole
    for family, members in families.items():
        file = f"{family}.py"
        made.texts[file] = file_text(title_of(family), members, table.version)
        made.owners[file] = {written.name: written.formulas for written, _ in members}
    return made


def file_text(title: str, members: Sequence[tuple[Written, str]], version: str) -> str:
    """The text of a file with these formulas and what they import."""
    modules = sorted({module for written, _ in members for module in written.modules})
    helpers = sorted({helper for written, _ in members for helper in written.helpers})
    head = [f'"""{title}', "", f"{MARK} {version}.", '"""', ""]
    head += ["from __future__ import annotations", ""]
    head += [*(f"import {module}" for module in modules), *([""] if modules else [])]
    head += ["import pullback as pb", "from pullback import aten"]
    if helpers:
        head += _import("pullback.formulas.aten", helpers)
    texts: list[str] = [text for _, text in members]
    return "\n".join(head) + "\n\n\n" + "\n\n".join(texts)


def _import(module: str, names: Sequence[str]) -> list[str]:
    names = sorted(names, key=lambda name: (not name.isupper(), name.lower(), name))
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"from {module} import (", *(f"    {each}," for each in names), ")"]
