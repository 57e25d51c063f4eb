"""The formulas of an imported table in which lint finds nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..lint.configuration.settings import Override
from ..lint.running.runner import Request, lint_paths
from .importing import Imported


def clean_formulas(made: Imported) -> int:
    """The number of the table's formulas that stand in functions without an error or warning."""
    texts = {file: text.encode() for file, text in made.texts.items()}
    report = lint_paths(Request(list(texts), Override(), 1, False, texts=texts))
    grave = [found.span for found in report.findings if found.severity != "info"]
    dirty = {(span.path, _function_at(made, span.path, span.line)) for span in grave}
    return sum(
        formulas
        for file, owners in made.owners.items()
        for name, formulas in owners.items()
        if (file, name) not in dirty
    )


def _function_at(made: Imported, file: str, line: int) -> str | None:
    for name, first, last in _functions(made.texts[file]):
        if first <= line <= last:
            return name
    return None


def _functions(text: str) -> Iterator[tuple[str, int, int]]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.lineno, node.end_lineno or node.lineno
