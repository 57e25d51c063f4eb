"""The page on the native engine: its examples run, and its numbers are those of the source."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pullback as pb

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "native.md").read_text(encoding="utf-8")


def test_the_example_runs():
    names = {}
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    try:
        exec(code, names)
    except pb.errors.EngineUnavailableError:
        return
    assert names["stats"].limit is None
    assert pb.memory.stats().limit is None


def test_the_numbers_are_those_of_the_source():
    source = ROOT / "engine" / "native" / "src"
    assert "kMostInLoop = 1 << 14" in (source / "base" / "layout.h").read_text()
    assert "kReleaseGil = 1 << 14" in (source / "core" / "launch.cpp").read_text()
    assert "kSmall = 64" in (source / "core" / "storage.h").read_text()
    assert PAGE.count("16384") == 2


@pytest.mark.native
@pytest.mark.compiler
def test_the_operator_in_cpp_is_loaded(tmp_path):
    (code,) = re.findall(r"```cpp\n(.*?)```", PAGE, re.S)
    (tmp_path / "cube.cpp").write_text(code)
    (line,) = re.findall(r"^    (c\+\+ .*cube\.cpp.*)$", PAGE, re.M)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-c", line], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)
    cube = pb.load_operator(tmp_path / "libcube.so", "cube")
    x = pb.tensor(2.0, requires_grad=True)
    (first,) = pb.grad(cube(x), [x], create_graph=True)
    assert (first.item(), pb.grad(first, [x])[0].item()) == (12, 12)
