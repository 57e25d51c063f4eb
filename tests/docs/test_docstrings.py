"""A docstring's first line states what the thing is or does: a noun phrase or a verb, no question."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "formulas", "frameworks", "src", "tools", "transpile")
QUESTIONS = ("What", "Whether", "How", "Where", "Which", "Why")


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


def test_docstrings_say_what_a_thing_is():
    found = {str(path.relative_to(ROOT)): questions(path) for path in files()}
    assert {path: lines for path, lines in found.items() if lines} == {}
