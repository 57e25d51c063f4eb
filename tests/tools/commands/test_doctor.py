"""``pullback doctor``: what is here, and what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

import pullback
from pullback.engine.core import dispatch
from pullback.engine.core.errors import EngineUnavailableError
from pullback.tools.cli import main
from pullback.transpile.version import __version__


@pytest.mark.compiler
@pytest.mark.native
def test_a_whole_machine_is_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for part in (
        __version__,
        "reference engine",
        "native engine",
        "compiler",
        "flags",
        "matrix products",
        "cache",
        "-std=c++20",
        str(Path(pullback.__file__).parent / "engine/reference/__init__.py"),  # whole, however long
    ):
        assert part in out


def test_without_a_compiler_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    assert main(["doctor"]) == 1
    assert "missing: there is no C++ compiler on this machine; install one" in capsys.readouterr().out


def test_without_the_native_engine_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load = dispatch.load

    def without_native(name: str) -> dispatch.Engine:
        if name == "native":
            raise EngineUnavailableError("the native engine is not built here")
        return load(name)

    monkeypatch.setattr(dispatch, "load", without_native)
    assert main(["doctor"]) == 1
    assert "missing: the native engine is not built here" in capsys.readouterr().out


@pytest.mark.native
def test_operators_are_listed_with_how_they_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--operators"]) == 0
    out = capsys.readouterr().out
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert "kernel, loop alone" in lines["multiply"]
    assert "kernel" in lines["matmul"]
    assert "loop" not in lines["matmul"]
    assert "reference formula" in lines["astype"]
    assert "attributes (dtype)" in lines["astype"]
    assert "by a kernel" in out.splitlines()[-1]


def test_operators_need_the_native_engine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise EngineUnavailableError("the native engine is not built here")

    monkeypatch.setattr(dispatch, "load", missing)
    assert main(["doctor", "--operators"]) == 1
    assert "not built" in capsys.readouterr().err
