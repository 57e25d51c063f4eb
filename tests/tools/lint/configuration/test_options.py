"""Options of ``pullback lint``: exit status, where the output goes, what is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pullback.tools.cli import main

from ..conftest import CLASS, configure

WARNING = (
    CLASS.replace("t = a + b", "t = a.contiguous()")
    .replace("return t * b", "return a * b")
    .replace("grad * t + grad * b", "grad * t")
)


def test_fail_on_error_lets_warnings_pass(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "f.py").write_text(WARNING)
    assert main(["lint", "f.py"]) == 1
    assert "1 warning: " in capsys.readouterr().out
    assert main(["lint", "f.py", "--fail-on", "error"]) == 0
    assert "1 warning: " in capsys.readouterr().out, "it is printed all the same"


def test_fail_on_error_fails_on_errors() -> None:
    assert main(["lint", "f.py", "--fail-on", "error"]) == 1


def test_what_is_not_selected_does_not_fail(folder: Path) -> None:
    configure(folder, "ignore = ['PB101']")
    assert main(["lint", "f.py"]) == 0


def test_statistics_count_per_rule(capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", "f.py", "--statistics"])
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "     1  PB101  captured-intermediate",
        "1 finding, 1 fixable with --fix; why: `pullback rule PB101 --torch`",
        "1 error: 1 autograd function in 1 file",
    ]


@pytest.mark.parametrize("style", ["text", "json", "sarif", "github"])
def test_the_output_goes_to_a_file_and_the_summary_to_the_terminal(
    style: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["lint", "f.py", "--format", style])
    printed = capsys.readouterr().out
    assert main(["lint", "f.py", "--format", style, "-o", "out/found"]) == 1
    assert capsys.readouterr().out == (
        "1 finding, 1 fixable with --fix; why: `pullback rule PB101 --torch`\n"
        "1 error: 1 autograd function in 1 file\n"
    )
    written = (folder / "out" / "found").read_text()
    assert printed.startswith(written)
    if style in ("json", "sarif"):
        json.loads(written)


@pytest.mark.parametrize("number", ["0", "-1", "two"])
def test_a_number_of_processes_is_at_least_one(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "f.py", "-j", number]) == 2
    assert "a number of at least 1" in capsys.readouterr().err or number == "-1"
