"""Statements laid out in narrow lines: the same Python, broken where it can be."""

import ast
from pathlib import Path

import pytest

from pullback.transpile.emit import layout

ROOT = Path(__file__).parents[3]
FILES = [
    ROOT / "frameworks" / "jax" / "primitives.py",
    ROOT / "frameworks" / "torch" / "helpers" / "indices.py",
    ROOT / "transpile" / "emit" / "layout.py",
    ROOT / "tools" / "commands" / "check.py",
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("width", [24, 60])
def test_broken_lines_are_the_same_python(path, width, monkeypatch):
    compared = []

    def is_the_same(laid_out, text):
        compared.append(ast.dump(ast.parse(laid_out)) == ast.dump(ast.parse(text)))
        return compared[-1]

    monkeypatch.setattr(layout, "_is_the_same", is_the_same)
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        layout.statement_text(node, width)
    assert compared
    assert all(compared)


def test_parameters_of_a_lambda_stay_together():
    node = ast.parse("made = function(lambda first, second: first + second, third_operand)").body[0]
    assert layout.statement_text(node, 44).split("\n")[1:3] == [
        "    lambda first, second: first + second,",
        "    third_operand,",
    ]
