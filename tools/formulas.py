"""Formulas by ``FILE::NAME``, read from text: nothing of the file runs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import Module, read_function, read_module
from pullback.transpile.ir import Formula, Source
from pullback.transpile.library import Library, standard_library

from .files import read_source, split_target, unknown_name


@dataclass(frozen=True)
class FormulaFile:
    """A file's formulas, with the library that their derivatives are found in."""

    source: Source
    formulas: dict[str, Formula]
    library: Library


def read_formulas(path: str) -> FormulaFile:
    """All formulas of a file. `FormulaError` where the file has one that cannot be used as written."""
    source = read_source(path)
    return _usable(source, read_module(source))


def read_formula(target: str, plain: bool = False) -> tuple[Formula, FormulaFile]:
    """The formula that ``FILE::NAME`` names; a file with one formula needs no name.

    `plain` also takes a function that is no formula, and one without a closure. Raises `FormulaError` where
    it cannot be used as written, `UsageError` with what the file defines where there is none of this name.
    """
    path, name = split_target(target)
    source = read_source(path)
    module = read_module(source)
    if plain and name is not None and name not in module.formulas and _defines(source, name):
        library = Library(module.operators, standard_library())
        return read_function(source, module.names, name), FormulaFile(source, module.formulas, library)
    file = _usable(source, module)
    if name is None and len(file.formulas) == 1:
        name = next(iter(file.formulas))
    if name is None or name not in file.formulas:
        raise unknown_name(path, name or "(none was given)", file.formulas)
    return file.formulas[name], file


def _usable(source: Source, module: Module) -> FormulaFile:
    errors = [found for found in module.diagnostics if found.severity == "error"]
    if errors:
        raise FormulaError(errors, source)
    return FormulaFile(source, module.formulas, Library(module.operators, standard_library()))


def _defines(source: Source, name: str) -> bool:
    return re.search(rf"^\s*def {re.escape(name)}\b", source.text, flags=re.MULTILINE) is not None
