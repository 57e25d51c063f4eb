"""The hover text of the name under the cursor: the verdict of a captured value, the bytes that it saves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import Module, read_module
from pullback.transpile.ir import Formula, Source, Span

from ..lint.analyses.facts import Saved, Saving, read_classes
from ..lint.frontend.modules import Program
from ..lint.linter import may_have_classes, may_have_formulas

_WORD = re.compile(r"\w+")
_FLOAT32 = "4 bytes per element of a float32 tensor"
_KEEPS = {
    Saving.INPUT: f"{_FLOAT32}, shared with the caller",
    Saving.OUTPUT: f"{_FLOAT32}, shared with the result",
    Saving.INTERMEDIATE: f"{_FLOAT32}, of its own",
    Saving.RECORDED: f"{_FLOAT32}, of its own, and the graph that computed it",
    Saving.CONDITIONAL: f"{_FLOAT32}; of its own, but where it is the very input or output",
    Saving.OPAQUE: "memory of its own, of a size that cannot be read",
    Saving.ZERO: "1 byte per element where it is a mask, 8 where it is an index",
    Saving.PLAIN: "no tensor",
}


def word_at(line: str, column: int) -> str:
    """The name around a column, counted from 0."""
    return next((m[0] for m in _WORD.finditer(line) if m.start() <= column <= m.end()), "")


def verdict_of(source: Source, program: Program, line: int, name: str) -> str | None:
    """Markdown about a captured name at a line, counted from 1; None where nothing captures it."""
    data = source.text.encode("utf-8", "replace")
    if may_have_classes(data):
        for facts in read_classes(source, program):
            if _around(facts.span, line):
                return next((_of_saved(saved) for saved in facts.saved if saved.name == name), None)
    if may_have_formulas(data):
        module = read_module(source)
        for formula in module.formulas.values():
            if _around(formula.span, line):
                return _of_capture(formula, module, name)
    return None


def _around(span: Span, line: int) -> bool:
    return span.line <= line <= span.end_line


def _of_saved(saved: Saved) -> str:
    what = saved.saving.value
    return f"`{saved.name}`: {what}; {saved.use.value}\n\nKeeps {_KEEPS[saved.saving]}, until the backward."


def _of_capture(formula: Formula, module: Module, name: str) -> str | None:
    capture = next((one for one in formula.captures if one.name == name), None)
    if capture is None:
        return None
    reason = f" ({capture.reason})" if capture.reason else ""
    lines = [f"`{name}`: {capture.verdict.value}, {capture.action}{reason}", *_costs(formula, module, name)]
    return "\n\n".join(lines)


def _costs(formula: Formula, module: Module, name: str) -> Iterator[str]:
    """The bytes, and what a kernel does, where the formulas of the library are installed."""
    if find_spec("pullback.formulas") is None:
        return
    from pullback.transpile.library import Library, standard_library

    from ..explain.facts import facts_of

    try:
        facts = facts_of(formula, Library(module.operators, standard_library()))
    except FormulaError:  # which the findings say
        return
    for decision in facts.decisions:
        if decision.name == name:
            yield f"Keeps {decision.saved} bytes per element of a float32 input, until the backward."
            yield f"On arrays: {decision.arrays}. In a kernel: {decision.kernel}; {decision.why}."
