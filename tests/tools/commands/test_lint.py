"""``pullback lint``: verdicts, places, exit statuses, and input of every bad kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pullback.tools.cli import main

from .conftest import Write
from .texts import SIMPLE, TOO_FEW


def test_a_clean_file(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", write(SIMPLE)]) == 0
    assert capsys.readouterr().out == "clean: 1 formula in 1 file\n"


def test_verbose_prints_the_verdict_of_every_capture(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(SIMPLE)
    assert main(["lint", "--verbose", path]) == 0
    out = capsys.readouterr().out
    assert f"{path}:10:23: PB100 info: `b` is an input: saved" in out
    assert f"{path}:10:33: PB101 info: `t` is an intermediate (line 7): promoted" in out


def test_a_finding_has_place_source_line_caret_and_help(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(TOO_FEW)
    assert main(["lint", path]) == 1
    head, line, caret, *rest = capsys.readouterr().out.splitlines()
    assert head.startswith(f"{path}:10:")
    assert ": PB201 error: " in head
    assert line == "        return grad * b"
    assert caret.strip("~ ") == "^"
    assert rest[-1] == "1 error: 1 formula in 1 file"


def test_json_has_the_documented_keys(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(TOO_FEW)
    assert main(["lint", "--format", "json", path]) == 1
    findings = json.loads(capsys.readouterr().out)
    keys = ["path", "line", "column", "code", "rule", "severity", "message", "name", "value"]
    assert [list(finding) for finding in findings] == [keys]
    assert (findings[0]["path"], findings[0]["code"], findings[0]["name"]) == (path, "PB201", "simple")


def test_json_of_a_clean_file_is_an_empty_list(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--format", "json", write(SIMPLE)]) == 0
    assert json.loads(capsys.readouterr().out) == []


BAD = {
    "a syntax error": ("@formula\ndef f(x:\n    return x\n", "PB400", 2),
    "too few gradients": (TOO_FEW, "PB201", 10),
    "a with statement": (
        SIMPLE.replace("    t = a + b", "    t = a + b\n    with t:\n        t = a"),
        "PB401",
        8,
    ),
    "a generator": (SIMPLE.replace("    t = a + b", "    t = a + b\n    yield t"), "PB402", 8),
    "an unknown call": (SIMPLE.replace("t = a + b", "t = np.real_if_close(a)"), "PB103", 10),
    "bytes that are no text": ("x = '\udcff' # formula\n", "PB400", 1),
}


@pytest.mark.parametrize("text", BAD)
def test_bad_input_is_a_located_finding(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, code, line = BAD[text]
    path = tmp_path / "bad.py"
    path.write_bytes(source.encode("utf-8", "surrogateescape"))
    assert main(["lint", "--format", "json", str(path)]) == 1
    findings = json.loads(capsys.readouterr().out)
    assert (code, line) in [(finding["code"], finding["line"]) for finding in findings]


def test_a_file_that_is_not_there_is_misuse(
    write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone.py"
    assert main(["lint", write(TOO_FEW), str(gone)]) == 2
    printed = capsys.readouterr()
    assert "PB201" in printed.out, "the other files are linted all the same"
    assert printed.err == f"pullback: {gone}: no such file or folder\n"


def test_where_nothing_was_read_nothing_is_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = tmp_path / "gone.py"
    assert main(["lint", str(gone)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"pullback: {gone}: no such file or folder\n"


def test_a_file_that_cannot_be_read_is_misuse(
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    path = write(SIMPLE)
    assert main(["lint", path]) == 2
    assert capsys.readouterr().err == f"pullback: {path}: cannot be read: Permission denied\n"


def test_a_folder_is_walked_and_files_without_a_formula_are_not_parsed(
    write: Write,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(SIMPLE, "a.py")
    write("this is no Python", "b.py")
    assert main(["lint", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "clean: 1 formula in 2 files\n"


def test_nothing_of_the_linted_code_runs(write: Write, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    assert main(["lint", write(SIMPLE + f"\nopen({str(marker)!r}, 'w')\n")]) == 0
    assert not marker.exists()


@pytest.mark.parametrize("separator", ["\x0c", "\x85", "\u2028", "\x1c"])
def test_lines_are_counted_as_python_counts_them(
    separator: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(TOO_FEW.replace("t = a + b", f"t = a + b  # {separator}"))
    assert main(["lint", path]) == 1
    assert "\n        return grad * b\n               ^~~~~~~~\n" in capsys.readouterr().out


def test_a_folder_without_python_is_not_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.ipynb").write_text("{}")
    assert main(["lint", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "nothing to lint: there is no Python file, or all are left out\n"


CAPTURED = """import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        TEXT; ctx.save_for_backward(y); z = 1
        return y * x

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y
"""


@pytest.mark.parametrize(
    "text", ["sum = 0" + " + 0" * 700, "z = '長い'", "z = 0" + " + 0" * 50], ids=["long", "wide", "fits"]
)
def test_the_caret_stands_below_what_it_marks(
    text: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a part of a long line, and with characters of two columns."""
    main(["lint", str(write(CAPTURED.replace("TEXT", text)))])
    line, caret = capsys.readouterr().out.splitlines()[1:3]
    before = line[: line.index("y); z")]
    assert len(caret) - 1 == len(before) + len([char for char in before if char > "\u3000"])
    assert len(line) < 170
