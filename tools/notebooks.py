"""The Python text of a notebook: its code cells one after the other, and the cell of each line.

A notebook is JSON. What IPython reads and Python does not (`%matplotlib`, `!pip`, `name?`) becomes
``pass``, and a cell for another program (`%%bash`) is left out, each on as many lines as before.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, replace

from pullback.transpile.ir import Span

from .errors import UsageError

SUFFIX = ".ipynb"
PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun"})
SHELL = re.compile(r"^(\s*)(?:(?:%%?[a-zA-Z]|[!?]).*|[\w.]+\?{1,2}\s*)$")
LINE = re.compile(r"(\S+\.pyi?, )?\bline (\d+)")
ASSIGNED = re.compile(r"^(\s*[\w, ]+=\s*)(?:%[a-zA-Z]|!).*$")


@dataclass(frozen=True)
class Notebook:
    """The text of all code cells, the lines on which they start, and what is wrong in some."""

    text: str
    starts: tuple[int, ...]
    broken: tuple[str, ...]

    def place(self, span: Span) -> Span:
        """The place in its cell: ``notes.ipynb:3``, where 3 is the third code cell."""
        cell = sum(start <= span.line for start in self.starts)
        before = self.starts[cell - 1] - 1
        path = f"{span.path}:{cell}"
        return replace(span, path=path, line=span.line - before, end_line=span.end_line - before)

    def located(self, message: str, span: Span) -> str:
        """A message about a place in this text, with the lines of the cell that has the place."""
        own = self.place(span).path

        def line(found: re.Match[str]) -> str:
            if found[1]:  # another file's
                return found[0]
            other = self.place(replace(span, line=int(found[2])))
            return f"line {other.line}" if other.path == own else f"line {other.line} of {other.path}"

        return LINE.sub(line, message)

    def cell(self, number: int) -> str:
        """The text of a cell, counted from 1."""
        lines = self.text.split("\n")
        ends = [start - 1 for start in self.starts[1:]] + [len(lines)]
        return "\n".join(lines[self.starts[number - 1] - 1 : ends[number - 1]])


def is_cell(path: str) -> bool:
    """True for the path of a cell.

    >>> is_cell("notes.ipynb:3"), is_cell("notes.ipynb"), is_cell("notes.py")
    (True, False, False)
    """
    return f"{SUFFIX}:" in path


def file_of(path: str) -> str:
    """The file that a path, or that of a cell, leads to.

    >>> file_of("notes.ipynb:3"), file_of("notes.py")
    ('notes.ipynb', 'notes.py')
    """
    return path.rpartition(":")[0] if is_cell(path) else path


def read_notebook(path: str, data: bytes) -> Notebook:
    """The notebook in a file's bytes; a `UsageError` where they are none of Jupyter's fourth format."""
    try:
        cells = json.loads(data)["cells"]
        sources = [_text(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path}: is no notebook of format 4: {type(error).__name__}: {error}") from error
    texts, starts, broken, line = [], [], [], 1
    for number, source in enumerate(sources, 1):
        text, wrong = _python(source)
        if wrong:
            broken.append(f"{path}:{number}:{wrong}")
        starts.append(line)
        texts.append(text)
        line += text.count("\n") + 1
    return Notebook("\n".join(texts), tuple(starts), tuple(broken))


def _text(source: object) -> str:
    lines = source if isinstance(source, list) else [source]
    text = "".join(str(line) for line in lines)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _python(source: str) -> tuple[str, str]:
    """A cell as Python, and what is wrong in it; one that Python cannot read is nothing but lines."""
    nothing = "\n" * source.count("\n")
    first = source.lstrip()
    if first.startswith("%%") and first[2:].partition("\n")[0].split(" ")[0] not in PYTHON_MAGICS:
        return nothing, ""
    if not _wrong(source):
        return source, ""
    lines = [ASSIGNED.sub(r"\1None", SHELL.sub(r"\1pass", line)) for line in source.split("\n")]
    text = "\n".join(lines)
    wrong = _wrong(text)
    return (nothing, wrong) if wrong else (text, "")


def _wrong(text: str) -> str:
    """The reason why Python cannot read a text, with its line; "" where it can."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        return f"{line}: Python cannot read this cell, and it is left out: {error.args[0]}"
    return ""
