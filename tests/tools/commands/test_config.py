"""``pullback config``: a line for a build each."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.engine.core.dispatch import available
from pullback.tools.cli import main


@pytest.mark.parametrize("what", ["includes", "cmakedir"])
def test_a_folder_that_is_there(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", f"--{what}"]) == 0
    assert Path(capsys.readouterr().out.strip()).is_dir()


def test_options_of_kernels_keep_products_and_sums_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--cflags"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert {"-std=c++20", "-ffp-contract=off"} < set(line.split())


@pytest.mark.native
def test_options_of_operators_find_their_header(capsys: pytest.CaptureFixture[str]) -> None:
    if "native" not in available():
        pytest.skip("the native engine is not built here")
    assert main(["config", "--operator-flags", "--operator-includes"]) == 0
    flags, folder = capsys.readouterr().out.splitlines()
    assert {"-shared", f"-I{folder}"} < set(flags.split())
    assert Path(folder, "pullback", "operators.h").is_file()


def test_without_the_build_there_is_no_header_of_operators(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pullback.tools.commands.config.find_spec", lambda name: None)
    monkeypatch.setattr("pullback.tools.commands.config.INCLUDE", tmp_path)
    assert main(["config", "--operator-flags"]) == 2
    assert "installed without the native engine" in capsys.readouterr().err


def test_several_things_are_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--includes", "--cmakedir"]) == 0
    includes, cmake = map(Path, capsys.readouterr().out.splitlines())
    assert (includes / "pullback/pullback.h").is_file()
    assert (cmake / "pullbackConfig.cmake").is_file()


def test_what_to_print_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config"]) == 2
    assert "--cmakedir" in capsys.readouterr().err
