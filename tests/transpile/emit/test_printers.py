"""Printers of kernels decide nothing: they ask nodes, never the text that they have made."""

import ast
from pathlib import Path

import pytest

import pullback.transpile.emit

EMIT = Path(pullback.transpile.emit.__file__).parent
PRINTERS = sorted(p for room in ("cpp", "cuda") for p in (EMIT / room).glob("*.py"))
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


def test_a_table_may_be_asked():
    assert list(questions("if kind in ('T', 'double') or kind in _FLOATS: pass")) == []
