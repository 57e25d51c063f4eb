"""``pullback config``: one line for a build."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.cli import main


@pytest.mark.parametrize("what", ["includes", "cmakedir"])
def test_a_folder_that_is_there(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", f"--{what}"]) == 0
    assert Path(capsys.readouterr().out.strip()).is_dir()


@pytest.mark.parametrize(("what", "part"), [("cflags", "-std=c++20"), ("libs", "-lpython")])
def test_options(what: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", f"--{what}"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert part in line


def test_one_thing_at_a_time() -> None:
    assert main(["config"]) == 2
