"""The one handler: every way to end, and its exit status."""

from __future__ import annotations

import argparse
import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pullback.tools import cli
from pullback.tools.commands import lint
from pullback.tools.errors import CommandError, UsageError
from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.ir import Source, Span
from pullback.transpile.version import __version__


@pytest.fixture
def ends_with(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], int]:
    """The exit status of a command that raises."""

    def run(error: BaseException) -> int:
        def command(arguments: argparse.Namespace) -> int:
            raise error

        monkeypatch.setattr(lint, "run", command)
        return cli.main(["lint", "x.py"])

    return run


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"pullback {__version__}\n"


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_help_of_each_command_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"]) == 0
    assert f"example:\n  $ pullback {command}" in capsys.readouterr().out


def test_without_a_command_all_of_them_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    shown = capsys.readouterr().err
    assert all(f"\n    {command}" in shown for command in cli.COMMANDS)
    assert "to begin with:\n  pullback lint src" in shown


@pytest.mark.parametrize("argv", [["no-such-command"], ["lint"], ["lint", "--no-such-option", "x"]])
def test_wrong_usage_is_misuse(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(argv) == 2
    assert "usage: pullback" in capsys.readouterr().err


def test_wrong_usage_of_a_command_shows_that_command(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["lint", "--no-such-option", "x"])
    shown = capsys.readouterr().err
    assert shown.startswith("usage: pullback lint [-h]")
    assert shown.endswith("pullback lint: error: unrecognized arguments: --no-such-option\n")


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (UsageError("x.py: no such file"), 2, "pullback: x.py: no such file\n"),
        (CommandError("3 files are out of date"), 1, "pullback: 3 files are out of date\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (BrokenPipeError(), 141, ""),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            2,
            "pullback: cannot write the output: No space left on device\n",
        ),
    ],
)
def test_every_end_has_its_status(
    error: BaseException,
    status: int,
    message: str,
    ends_with: Callable[[BaseException], int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, "_silence_stdout", lambda: None)
    assert ends_with(error) == status
    assert capsys.readouterr().err == message


def test_a_formula_error_is_printed_with_place_line_and_caret(
    ends_with: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    finding = diagnostic("PB401", "no while here", Span("x.py", 2, 1, 2, 6), hint="write for")
    assert ends_with(FormulaError([finding], Source("x.py", "\nwhile 1:\n"))) == 1
    assert capsys.readouterr().err == (
        "x.py:2:1: PB401 error: no while here\nwhile 1:\n^~~~~\n  help: write for\n"
    )


def test_a_bug_of_ours_shows_no_traceback(
    ends_with: Callable[[BaseException], int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PULLBACK_TRACEBACK", raising=False)
    assert ends_with(ZeroDivisionError("oops")) == 3
    err = capsys.readouterr().err
    assert "this is a bug in pullback: ZeroDivisionError: oops" in err
    assert "Traceback" not in err
    monkeypatch.setenv("PULLBACK_TRACEBACK", "1")
    assert ends_with(ZeroDivisionError("oops")) == 3
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m pullback --help | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("0", "141")
    assert "Traceback" not in done.stderr


def test_names_that_the_terminal_cannot_show_are_escaped(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.py"
    with open(path, "wb") as file:
        file.write(b"def f(:")
    done = subprocess.run(
        [sys.executable, "-m", "pullback", "lint", path],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert done.returncode == 1
    assert b"\\udcff.py:1:7: PB400 error" in done.stdout


def test_python_dash_m_pullback_is_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pullback", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"pullback {__version__}\n"


def test_lint_starts_without_the_engines(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("import torch\n\n\nclass A(torch.autograd.Function):\n    pass\n")
    program = (
        "import sys; from pullback.tools.cli import main; main(['lint', '--no-cache', sys.argv[1]]);"
        "print([m for m in sys.modules if m in ('numpy', 'scipy', 'torch', 'pullback.engine')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
