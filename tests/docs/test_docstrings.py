"""A docstring's first line states what the thing is or does: a noun phrase or a verb, no question."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "formulas", "src", "tools", "transpile")
QUESTIONS = ("What", "Whether", "How", "Where", "Which", "Why")
# Folders, or files, that are still to be rewritten. The list only shrinks.
NOT_YET = (
    "transpile/emit",
    "transpile/loops",
)


def files():
    paths = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))
    return [path for path in paths if "__pycache__" not in path.parts and ROOT / path == path.resolve()]


def questions(path):
    """``line: first line`` of each docstring of a file that begins with a question."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            if text.partition(" ")[0].rstrip(",:") in QUESTIONS:
                found.append(f"{getattr(node, 'lineno', 1)}: {text.splitlines()[0]}")
    return found


def waits(path):
    return any(path.is_relative_to(ROOT / place) for place in NOT_YET)


def test_docstrings_say_what_a_thing_is():
    found = {str(path.relative_to(ROOT)): questions(path) for path in files() if not waits(path)}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize("place", NOT_YET)
def test_what_is_still_to_be_rewritten_has_such_docstrings(place):
    paths = [path for path in files() if path.is_relative_to(ROOT / place)]
    assert any(questions(path) for path in paths), f"{place} is done: take it off the list"
