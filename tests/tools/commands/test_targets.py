"""``FILE`` and ``FILE::NAME``: every command that takes formulas finds the same ones."""

from __future__ import annotations

import pytest

from pullback.tools.cli import main

from .conftest import Write
from .texts import SIMPLE

COMPILED = """import numpy as np
import pullback as pb


@pb.compile
def weighted(x, y):
    return np.sum(np.exp(x) * y)


def plain(x):
    return np.tanh(x) * x
"""
PLAIN = COMPILED.replace("@pb.compile\n", "")
COMMANDS = {
    "transpile": ("transpile", "-o", "-"),
    "derive": ("derive",),
    "explain": ("explain",),
    "dump": ("dump",),
    "check": ("check", "--on", "reference", "--order", "1"),
}
every_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


@every_command
@pytest.mark.parametrize(
    ("text", "named", "meant"),
    [
        (SIMPLE, "", "simple"),
        (SIMPLE, "::simple", "simple"),
        (COMPILED, "", "weighted"),
        (COMPILED, "::weighted", "weighted"),
        (COMPILED, "::plain", "plain"),
        (PLAIN, "::plain", "plain"),
    ],
)
def test_a_formula_is_found_by_its_file_or_its_name(
    command: tuple[str, ...],
    text: str,
    named: str,
    meant: str,
    write: Write,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([command[0], write(text) + named, *command[1:]]) == 0
    assert meant in capsys.readouterr().out


WITH_A_MISTAKE = (
    SIMPLE
    + """

@pb.formula
def unreadable(x):
    def unreadable_pullback(grad):
        with grad:
            grad = grad / 2
        return grad
    return x * 2, unreadable_pullback


def over_simple(x):
    return simple(x, x) * 2


def over_unreadable(x):
    return unreadable(x) * 2


def over_both(x):
    return over_unreadable(over_simple(x))
"""
)


@pytest.mark.parametrize("command", ["transpile", "derive", "explain", "dump"])
@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("simple", True),
        ("over_simple", True),
        ("unreadable", False),
        ("over_unreadable", False),
        ("over_both", False),
    ],
)
def test_a_mistake_in_another_formula_matters_where_it_is_called(
    command: str, name: str, fits: bool, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main([command, f"{write(WITH_A_MISTAKE)}::{name}", *COMMANDS[command][1:]])
    assert status == (0 if fits else 1)
    assert ("PB401" in capsys.readouterr().err) != fits


def test_an_unknown_name_is_told_before_mistakes(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{write(WITH_A_MISTAKE)}::simpel"]) == 2
    assert "unreadable" in capsys.readouterr().err


@every_command
def test_an_unknown_name_is_misuse_with_the_known_ones(
    command: tuple[str, ...], write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(COMPILED)
    assert main([command[0], f"{path}::wieghted", *command[1:]]) == 2
    expected = f"{path}: has no formula named wieghted. Did you mean weighted? It defines plain, weighted"
    assert expected in capsys.readouterr().err


@every_command
def test_a_file_of_plain_functions_says_to_name_one(
    command: tuple[str, ...], write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(PLAIN)
    assert main([command[0], path, *command[1:]]) == 1
    said = capsys.readouterr().err
    assert "under pb.compile" in said
    assert "help: name a" in said


def test_of_several_formulas_one_is_explained(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(COMPILED.replace("def plain", "@pb.compile\ndef plain"))
    assert main(["explain", path]) == 2
    assert f"Name one: {path}::weighted, {path}::plain" in capsys.readouterr().err


def test_dump_prints_all_formulas_of_a_file(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(COMPILED.replace("def plain", "@pb.derive_pullback\ndef plain"))
    assert main(["dump", path]) == 0
    text = capsys.readouterr().out
    assert text.index("formula weighted(") < text.index("formula plain(")


def test_transpile_writes_the_one_that_is_named(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(SIMPLE + SIMPLE.replace("simple", "other"))
    assert main(["transpile", f"{path}::other", "-o", "-", "--target", "python"]) == 0
    text = capsys.readouterr().out
    assert "def other_forward" in text
    assert "simple" not in text


def test_lint_takes_files(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(SIMPLE)
    assert main(["lint", f"{path}::simple"]) == 2
    assert f"name the file alone: {path}" in capsys.readouterr().err
