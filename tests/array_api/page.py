"""The tables of docs/array-api.md, made from what is there.

    python -m tests.array_api.page

writes them; a test compares.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pullback.engine.core.no_derivative import CONSTANT, REFUSED, why
from pullback.engine.core.registry import FORMULAS
from pullback.engine.numpy import creation
from pullback.engine.numpy.written import WRITTEN_WITH_OPERATORS

from .programs import PROGRAMS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "array-api.md"
BEGIN, END = "<!-- tables: made by tests/array_api/page.py -->", "<!-- end of tables -->"
# In the standard, and not of arrays.
QUESTIONS = ("__array_namespace_info__", "finfo", "iinfo", "isdtype")


def gradient(name: str) -> str:
    """What becomes of a gradient in a function of the standard."""
    function: Any = np
    for part in name.split("."):
        function = getattr(function, part, None)
    if hasattr(creation, name.rpartition(".")[2]) and FORMULAS.find(function) is None:
        return "makes an array"
    if FORMULAS.find(function) is not None:
        return "formula"
    if function in WRITTEN_WITH_OPERATORS:
        return "written with operators that have formulas"
    if name in QUESTIONS:
        return "answers a question about shapes, dtypes or values"
    if (reason := why(function, CONSTANT)) is not None:
        return f"none: {reason}"
    reason = why(function, REFUSED)
    assert reason is not None, name
    return f"refused: {reason}"


def tables() -> str:
    """Functions of the standard by what becomes of a gradient in them."""
    found: dict[str, list[str]] = {}
    for name in sorted(PROGRAMS):
        found.setdefault(gradient(name), []).append(f"`{name}`")
    order = sorted(
        found, key=lambda text: (text.startswith(("none", "refused", "answers")), -len(found[text]))
    )
    rows = [f"| {text} | {' '.join(found[text])} |" for text in order]
    return "\n".join(["| gradient | functions |", "| --- | --- |", *rows])


def written(page: str) -> str:
    """The page with its tables as they are now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
