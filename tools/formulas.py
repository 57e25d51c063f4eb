"""Formulas by ``FILE`` or ``FILE::NAME``, read from text: nothing of the file runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import Module, read_function, read_module
from pullback.transpile.ir import Formula, Source
from pullback.transpile.library import Library, standard_library

from .errors import UsageError
from .files import nothing_named, read_source, split_target, unknown_name


@dataclass(frozen=True)
class FormulaFile:
    """A file's formulas, with the library that their derivatives are found in."""

    source: Source
    formulas: dict[str, Formula]
    library: Library


def read_formulas(target: str) -> tuple[list[Formula], FormulaFile]:
    """The formulas that ``FILE`` or ``FILE::NAME`` names: all of a file, derived ones too, or one.

    A name also finds a plain function, whose closure is derived: its `pullback` is None. Raises
    `FormulaError` where one of them, or one that it calls, cannot be used as written, `UsageError` with what
    the file defines where there is none of this name, `CommandError` with what to name where the file has
    nothing to take.
    """
    path, name = split_target(target)
    source = read_source(path)
    module = read_module(source)
    file = FormulaFile(source, module.formulas, Library(module.operators, standard_library()))
    errors = [found for found in module.diagnostics if found.severity == "error"]
    known = [*module.formulas, *(one.name for one in module.unreadable), *module.functions]
    if name in module.formulas:
        found = [module.formulas[name]]
    elif name is not None and _defines(source, name):
        found = [read_function(source, module.names, name)]
    elif errors and (name is None or not known):
        raise FormulaError(errors, source)
    elif name is not None:
        raise unknown_name(path, name, known)
    else:
        derived = [read_function(source, module.names, function) for function in module.derived]
        found = sorted([*module.formulas.values(), *derived], key=lambda formula: formula.span.line)
        if not found:
            raise nothing_named(path, module.functions)
    _refuse_unreadable(found, file, module)
    return found, file


def read_formula(target: str) -> tuple[Formula, FormulaFile]:
    """The one that ``FILE::NAME`` names; a file with one formula needs no name. Raises as `read_formulas`."""
    found, file = read_formulas(target)
    if len(found) > 1:
        names = ", ".join(f"{target}::{formula.name}" for formula in found)
        raise UsageError(f"{target}: which of its formulas? Name one: {names}")
    return found[0], file


def _refuse_unreadable(found: Sequence[Formula], file: FormulaFile, module: Module) -> None:
    """Raises what is wrong with the formulas that these call, and those call, and so on."""
    called: set[str] = set()
    queue = list(found)
    while queue:
        operators = {eqn.op for eqn in queue.pop().every()} - called
        called |= operators
        queue += [module.operators[operator] for operator in operators if operator in module.operators]
    spans = [one.span for one in module.unreadable if one.operator in called]
    errors = [
        error
        for error in module.diagnostics
        if error.severity == "error" and any(span.line <= error.span.line <= span.end_line for span in spans)
    ]
    if errors:
        raise FormulaError(errors, file.source)


def _defines(source: Source, name: str) -> bool:
    return re.search(rf"^\s*def {re.escape(name)}\b", source.text, flags=re.MULTILINE) is not None
