"""Finding, decoding, naming and writing files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pullback.tools import files
from pullback.tools.errors import CommandError, UsageError
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source


def test_a_walk_is_in_order_and_leaves_out_hidden_and_foreign_folders(tmp_path: Path) -> None:
    for name in ("b.py", "a.py", "notes.txt", ".hidden/c.py", "__pycache__/d.py", "sub/e.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = list(files.python_files([str(tmp_path), str(tmp_path / "notes.txt")]))
    assert [(str(path.relative_to(tmp_path)), named) for path, named in found] == [
        ("a.py", False),
        ("b.py", False),
        ("sub/e.py", False),
        ("notes.txt", True),
    ]


def test_a_path_that_is_not_there_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.py: no such file or folder"):
        list(files.python_files([str(tmp_path / "gone.py")]))


def test_a_notebook_is_misuse_for_its_json_is_python_without_formulas(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text('{"cells": []}')
    with pytest.raises(UsageError, match=r"a\.ipynb: only `pullback lint` reads notebooks"):
        list(files.python_files([str(path)]))


def test_text_is_decoded_by_its_declared_encoding() -> None:
    source = files.decode(Path("f.py"), b"# coding: latin-1\r\nx = '\xe9'\r\n")
    assert isinstance(source, Source)
    assert source.line(2) == "x = 'é'"


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"x = 1\ny = '\xff'\n", 2), (b"# coding: no-such-encoding\n", 1)],
)
def test_what_is_no_text_is_a_located_finding(data: bytes, line: int) -> None:
    finding = files.decode(Path("f.py"), data)
    assert isinstance(finding, Diagnostic)
    assert (finding.code, finding.span.path, finding.span.line) == ("PB400", "f.py", line)


@pytest.mark.parametrize("text", ["::name", "file.py::"])
def test_half_a_target_is_misuse(text: str) -> None:
    with pytest.raises(UsageError, match="write FILE::NAME"):
        files.split_target(text)


def test_an_unknown_name_is_answered_with_a_guess() -> None:
    message = str(files.unknown_name("f.py", "gleu", ["gelu", "softplus"]))
    assert message == "f.py: has no formula named gleu. Did you mean gelu? It defines gelu, softplus"


def test_a_class_is_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("class Scaled(Function):\n    pass\n")
    message = str(files.unknown_name(str(path), "Scaled", ["gelu"]))
    assert message.startswith(f"{path}: Scaled is a class, not a formula: `pullback lint {path}` says")
    assert "has no formula named Scal." in str(files.unknown_name(str(path), "Scal", ["gelu"]))


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.cpp"
    files.write_atomically(target, "old")

    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.write_atomically(target, "new")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.cpp"]


def test_a_written_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    files.write_atomically(tmp_path / "ours", "")
    (tmp_path / "plain").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_stays_one_and_what_is_no_file_is_written_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    files.write_atomically(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    files.write_atomically(tmp_path / "pipe", "text")
    assert os.read(reader, 10) == b"text"
    assert (tmp_path / "pipe").is_fifo()
    os.close(reader)


def test_a_folder_that_cannot_be_entered_is_among_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def walk(top, onerror):  # root enters every folder
        onerror(PermissionError(13, "Permission denied", str(tmp_path / "locked")))
        yield str(tmp_path), [], ["a.py"]

    monkeypatch.setattr(os, "walk", walk)
    found = [path.name for path, _ in files.python_files([str(tmp_path)])]
    assert found == ["a.py", "locked"]


def test_a_folder_that_cannot_be_made_is_an_error_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=r"file/out\.cpp: cannot be written: "):
        files.write_atomically(tmp_path / "file" / "out.cpp", "")
