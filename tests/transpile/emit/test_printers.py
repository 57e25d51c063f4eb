"""Printers decide nothing: they ask nodes, never the text that they have made."""

import ast
from pathlib import Path

import pytest

import pullback.transpile.emit

EMIT = Path(pullback.transpile.emit.__file__).parent
PRINTERS = sorted(p for room in ("cpp", "cuda") for p in (EMIT / room).glob("*.py"))
# What breaks lines where they are too long, escapes literals, or reads the emitter's own tables.
LAYOUT = {"layout.py", "python_text.py", "string_literals.py", "code.py", "helpers.py"}
EMITTERS = sorted(
    path
    for path in EMIT.rglob("*.py")
    if path not in PRINTERS and path.name not in LAYOUT and "runtime" not in path.parts
)
# Names of variables that hold text which was made.
MADE = frozenset({"text", "texts", "line", "lines", "body"})
# Methods of texts that ask what one says.
ASKING = frozenset(
    [
        "startswith",
        "endswith",
        "find",
        "rfind",
        "index",
        "rindex",
        "count",
        "split",
        "rsplit",
        "splitlines",
        "partition",
        "rpartition",
        "removeprefix",
        "removesuffix",
        "isidentifier",
        "isdigit",
        "isalpha",
        "isnumeric",
        "match",
        "search",
        "fullmatch",
        "findall",
    ]
)


def questions(text):
    """The lines of a printer that ask a text, and what they ask.

    A comparison by `in` may only look in a set, or in a table that is written out.
    """
    tree = ast.parse(text)
    sets = {
        node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Set | ast.SetComp | ast.Dict | ast.DictComp)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
            yield from ((node.lineno, f"import {name}") for name in names if name in ("re", "regex"))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKING:
            yield node.lineno, node.func.attr
        elif isinstance(node, ast.Compare):
            for operator, right in zip(node.ops, node.comparators, strict=True):
                if isinstance(operator, ast.In | ast.NotIn) and not is_table(right, sets):
                    yield node.lineno, "in"


def is_table(node, sets):
    """Whether it is a display of values, a constant of the module, or one of the sets that have a name."""
    if isinstance(node, ast.Name):
        return node.id.isupper() or node.id in sets
    return isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict)


def questions_of_made_text(text):
    """The same of an emitter that computes with names too: what it asks of an expression's text."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
            yield from ((node.lineno, f"import {name}") for name in names if name in ("re", "regex"))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ASKING and is_made(node.func.value):
                yield node.lineno, node.func.attr
        elif isinstance(node, ast.Compare):
            for operator, right in zip(node.ops, node.comparators, strict=True):
                if isinstance(operator, ast.In | ast.NotIn) and is_made(right):
                    yield node.lineno, "in"


def is_made(node):
    """Whether it is the text of an expression, or a variable of text."""
    if isinstance(node, ast.Attribute):
        return node.attr == "text"
    return isinstance(node, ast.Name) and node.id in MADE


@pytest.mark.parametrize("path", EMITTERS, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_an_emitter_asks_no_text_that_it_has_made(path):
    assert list(questions_of_made_text(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", PRINTERS, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_a_printer_asks_no_text(path):
    assert list(questions(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("import re", "import re"),
        ("from re import search", "import re"),
        ("if line.startswith('const'): pass", "startswith"),
        ("head = line.split('(')[0]", "split"),
        ("special = any('require_special' in line for line in lines)", "in"),
        ("if name not in text: pass", "in"),
    ],
)
def test_such_a_question_is_found(text, asked):
    assert [found for _, found in questions(text)] == [asked]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("import re", "import re"),
        ("if value.text.startswith('-'): pass", "startswith"),
        ("used = 'ctx->' in text", "in"),
        ("inner = value.text.removesuffix('.sizes()')", "removesuffix"),
    ],
)
def test_a_question_of_made_text_is_found(text, asked):
    assert [found for _, found in questions_of_made_text(text)] == [asked]


def test_a_table_may_be_asked():
    assert list(questions("if kind in ('T', 'double') or kind in _FLOATS: pass")) == []
