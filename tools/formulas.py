"""Formulas by ``FILE::NAME``, read from text: nothing of the file runs."""

from __future__ import annotations

from dataclasses import dataclass

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Formula, Source
from pullback.transpile.library import Library, standard_library

from .files import read_source, split_target, unknown_name


@dataclass(frozen=True)
class FormulaFile:
    """A file's formulas, with the library that their derivatives are found in."""

    source: Source
    formulas: dict[str, Formula]
    library: Library

    def formula(self, name: str) -> Formula:
        """The formula of this name; `UsageError` with what the file defines where there is none."""
        if name not in self.formulas:
            raise unknown_name(self.source.path, name, self.formulas)
        return self.formulas[name]


def read_formulas(path: str) -> FormulaFile:
    """All formulas of a file. `FormulaError` where the file has one that cannot be used as written."""
    source = read_source(path)
    library = Library(parent=standard_library())
    module = read_module(source, library)
    errors = [d for d in module.diagnostics if d.severity == "error"]
    if errors:
        raise FormulaError(errors, source)
    for formula in module.formulas.values():
        library.add(formula)
    return FormulaFile(source, dict(module.formulas), library)


def read_formula(target: str) -> tuple[Formula, FormulaFile]:
    """The formula that ``FILE::NAME`` names; a file with one formula needs no name."""
    path, name = split_target(target)
    file = read_formulas(path)
    if name is None:
        if len(file.formulas) != 1:
            raise unknown_name(path, "(none given)", file.formulas)
        name = next(iter(file.formulas))
    return file.formula(name), file
