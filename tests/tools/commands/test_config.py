"""``pullback config``: a line for a build each."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.engine.dispatch import available
from pullback.tools.cli import main


@pytest.mark.parametrize("what", ["includes", "cmakedir"])
def test_a_folder_that_is_there(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", f"--{what}"]) == 0
    assert Path(capsys.readouterr().out.strip()).is_dir()


@pytest.mark.parametrize(("what", "part"), [("cflags", "-std=c++20"), ("operator-flags", "-shared")])
def test_options(what: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", f"--{what}"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert part in line


@pytest.mark.native
@pytest.mark.parametrize("what", ["libs", "library"])
def test_the_library_for_programs(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "native" not in available():
        pytest.skip("the native engine is not built here")
    assert main(["config", f"--{what}"]) == 0
    assert Path(capsys.readouterr().out.split()[0]).name == "libpullback.a"


def test_several_things_are_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--includes", "--cmakedir"]) == 0
    includes, cmake = map(Path, capsys.readouterr().out.splitlines())
    assert (includes / "pullback/pullback.h").is_file()
    assert (cmake / "pullbackConfig.cmake").is_file()


def test_what_to_print_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config"]) == 2
    assert "--cmakedir" in capsys.readouterr().err
