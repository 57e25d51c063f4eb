"""The closure that follows from a formula's forward, as edits of the file that the formula stands in."""

from __future__ import annotations

import ast
from importlib.util import find_spec

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source

from ..lint.fixes.edits import Edit, edits
from ..lint.linter import may_have_formulas


def formula_at(source: Source, line: int) -> str | None:
    """The name of the formula around a line, counted from 1, where its closure can be derived."""
    data = source.text.encode("utf-8", "replace")
    if find_spec("pullback.formulas") is None or not may_have_formulas(data):
        return None
    for name, formula in read_module(source).formulas.items():
        if formula.span.line <= line <= formula.span.end_line:
            return name
    return None


def derived_closure(source: Source, name: str) -> tuple[Edit, ...]:
    """The edits that write a formula with its derived closure; none where it has no derivative."""
    from pullback.transpile.library import Library, standard_library

    from ..derived_file import derived_function
    from ..formulas import FormulaFile

    module = read_module(source)
    formula = module.formulas.get(name)
    node = _function(source, name)
    if formula is None or node is None:
        return ()
    file = FormulaFile(source, module.formulas, Library(module.operators, standard_library()))
    try:
        imports, text = derived_function(formula, file)
    except FormulaError:
        return ()
    lines = source.text.split("\n")
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
    lines[first : node.end_lineno] = text.rstrip("\n").split("\n")
    place = _first_import(source)
    lines[place:place] = imports
    return edits(source.text, "\n".join(lines))


def _function(source: Source, name: str) -> ast.FunctionDef | None:
    nodes = ast.walk(ast.parse(source.text))
    return next((n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _first_import(source: Source) -> int:
    """The line, from 0, of the first import that is not of the future: others may stand before it."""
    for statement in ast.parse(source.text).body:
        if isinstance(statement, ast.Import) or (
            isinstance(statement, ast.ImportFrom) and statement.module != "__future__"
        ):
            return statement.lineno - 1
    return 0
