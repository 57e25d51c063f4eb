"""The text of a formula with a derived closure, together with what it uses of its own file."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator, Sequence

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.emit.python_formula import formula_function
from pullback.transpile.emit.python_text import function_text
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Eqn, Formula, Source
from pullback.transpile.library import Library, standard_library
from pullback.transpile.operators import AROUND_DECOMPOSITIONS
from pullback.transpile.passes.readable.as_written import as_written

from .formulas import FormulaFile

_HEAD = {
    "np": "import numpy as np",
    "special": "from scipy import special",
    "math": "import math",
    "pb": "import pullback as pb",
    "primitives": "from pullback import primitives",
    **{name: f"from {full.rpartition('.')[0]} import {name}" for name, full in AROUND_DECOMPOSITIONS.items()},
}

# So often a text is derived from itself before it is given up that it comes to rest.
_ROUNDS = 16


def derived_file(formulas: Sequence[Formula], file: FormulaFile) -> str:
    """A formula file: imports, the formulas and names that these use, and the formulas.

    The text is one that is derived from itself: reading it back changes nothing. Of texts that
    are derived from each other, in which names change places, it is the first in the alphabet.
    Raises FormulaError where an operator on the way has no derivative.
    """
    text = _derived_once(formulas, file)
    met: list[str] = []
    while text not in met and len(met) < _ROUNDS:
        met.append(text)
        source = Source(f"{formulas[0].name}.py", text)
        module = read_module(source)
        errors = [found for found in module.diagnostics if found.severity == "error"]
        if errors:
            raise FormulaError(errors, source)
        again = FormulaFile(source, module.formulas, Library(module.operators, standard_library()))
        text = _derived_once([module.formulas[formula.name] for formula in formulas], again)
    return min(met[met.index(text) :]) if text in met else text


def _derived_once(formulas: Sequence[Formula], file: FormulaFile) -> str:
    tree = ast.parse(file.source.text)
    derived = {formula.name: as_written(formula, file.library) for formula in formulas}
    known = list(dict.fromkeys(name for one in formulas for name in (*_called(one, file.formulas), one.name)))
    parts = [_text(derived.get(name) or file.formulas[name], file.source) for name in known]
    imports, others = _from_the_file(parts, tree, set(known), file.source)
    first = [line for name, line in _HEAD.items() if name in _names("\n".join([*parts, *others]))]
    lines = list(dict.fromkeys([*first, *imports]))
    lines.sort(key=lambda line: (line.startswith("from") and "scipy" not in line, line == _HEAD["pb"]))
    return "\n".join(lines) + "\n\n\n" + "\n\n".join([*others, *parts])


def derived_function(formula: Formula, file: FormulaFile) -> tuple[list[str], str]:
    """The formula with its derived closure, and the imports that it needs and the file does not have."""
    text = _text(as_written(formula, file.library), file.source)
    bound = {name for statement in ast.parse(file.source.text).body for name in _binds(statement)}
    wanted = _names(text) - bound
    return [line for name, line in _HEAD.items() if name in wanted], text


def _text(formula: Formula, source: Source) -> str:
    text = function_text(formula_function(formula, _docstring(formula, source)), None)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _docstring(formula: Formula, source: Source) -> str | None:
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.FunctionDef) and node.name == formula.name:
            text = ast.get_docstring(node)
            return f"{text}\n" if text and "\n" in text else text
    return None


def _called(formula: Formula, formulas: dict[str, Formula]) -> list[str]:
    """Formulas of the file that a formula's forward calls, those that they call first."""
    found: list[str] = []
    met = {formula.name}

    def visit(eqns: Iterator[Eqn]) -> None:
        for op in (eqn.op for eqn in eqns):
            if op in formulas and op not in met:
                met.add(op)
                visit(formulas[op].every())
                found.append(op)

    visit(formula.forward.every())
    return found


def _from_the_file(
    parts: list[str], tree: ast.Module, known: set[str], source: Source
) -> tuple[list[str], list[str]]:
    """Imports and definitions of the file for names that the text reads and does not have."""
    imports: list[str] = []
    others: list[str] = []
    queue, seen = sorted(_names("\n".join(parts))), {*known, *_HEAD, *dir(builtins)}
    while queue:
        name = queue.pop(0)
        statement = next((s for s in tree.body if name in _binds(s)), None) if name not in seen else None
        seen.add(name)
        if statement is None:
            continue
        text = _segment(statement, source)
        if isinstance(statement, ast.Import | ast.ImportFrom):
            imports.append(text)
        else:
            others.insert(0, text + "\n")
            queue += sorted(_names(text))
    return imports, others


def _segment(statement: ast.stmt, source: Source) -> str:
    """The text of a statement, the decorators of a function or class included."""
    parts: list[ast.expr | ast.stmt] = [*getattr(statement, "decorator_list", ()), statement]
    texts = [ast.get_source_segment(source.text, part) or "" for part in parts]
    return "\n".join([*(f"@{decorator}" for decorator in texts[:-1]), texts[-1]])


def _binds(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module gives a value."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in stored if isinstance(node.ctx, ast.Store)}


def _names(text: str) -> set[str]:
    """The names that a text reads of what is around it."""
    module = symtable.symtable(text, "<text>", "exec")
    found = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_referenced()}
    inner = module.get_children()
    while inner:
        table = inner.pop()
        inner += table.get_children()
        found.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
    return found
