"""Splices of a text: places in bytes and in characters, and what may not be taken apart."""

from __future__ import annotations

import ast

import pytest

from pullback.tools.lint.fixes.text.splices import CannotFix, Text


def test_columns_are_counted_in_bytes() -> None:
    text = Text('y = "é" + x\n')
    name = ast.parse(text.text).body[0].value.right  # type: ignore[attr-defined]
    text.replace(name, "z")
    assert text.spliced() == 'y = "é" + z\n'


def test_lines_are_put_around_a_statement() -> None:
    text = Text("def f():\n    # above\n    a = 1  # here\n")
    statement = ast.parse(text.text).body[0].body[0]  # type: ignore[attr-defined]
    text.before(statement, ["b = 2"])
    text.after(statement, ["c = 3", "", "d = 4"])
    assert text.spliced() == ("def f():\n    # above\n    b = 2\n    a = 1  # here\n    c = 3\n\n    d = 4\n")


def test_the_last_line_may_lack_its_end() -> None:
    text = Text("a = 1")
    text.after(ast.parse(text.text).body[0], ["b = 2"])
    assert text.spliced() == "a = 1\nb = 2\n"


def test_statements_that_share_a_line_are_left_alone() -> None:
    text = Text("a = 1; b = 2\n")
    first, second = ast.parse(text.text).body
    for statement in (first, second):
        with pytest.raises(CannotFix, match="several statements"):
            text.after(statement, ["c = 3"])


def test_changes_that_meet_are_refused() -> None:
    text = Text("a = f(b)\n")
    call = ast.parse(text.text).body[0].value  # type: ignore[attr-defined]
    text.replace(call, "1")
    text.replace(call.args[0], "c")
    with pytest.raises(CannotFix, match="meet"):
        text.spliced()


def test_lines_are_those_that_python_counts() -> None:
    text = Text("a = 1\n\x0c\nb = 2\n")
    text.replace(ast.parse(text.text).body[1], "c = 3")
    assert text.spliced() == "a = 1\n\x0c\nc = 3\n"
