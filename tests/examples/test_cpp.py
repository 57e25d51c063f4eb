"""The examples in C++: built by the lines in their comments, and by CMake with the installed package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pullback as pb

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "cpp"
# Where the command `pullback` of this environment is.
BESIDE_PYTHON = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

pytestmark = pytest.mark.compiler


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def by_its_lines(name: str, folder: Path) -> str:
    """What an example prints, built and run in a folder by the lines in its comment."""
    for part in ("examples", "engine"):
        (folder / part).symlink_to(ROOT / part)
    lines = re.findall(r"^//   (\S.*)$", (EXAMPLES / name).read_text(encoding="utf-8"), re.M)
    assert lines[-1].startswith("./")
    for line in lines[:-1]:
        run("sh", "-c", line, cwd=folder, env=BESIDE_PYTHON)
    return run(folder / lines[-1], env={})


def learns(printed: str) -> bool:
    losses = [float(line.split()[2]) for line in printed.splitlines()]
    return len(losses) == 5 and losses[-1] < 0.02 * losses[0]


def test_the_kernels_of_the_smallest_operator(tmp_path: Path) -> None:
    results, by_a, by_b = by_its_lines("main.cpp", tmp_path).splitlines()
    a, b = np.array([0.3605, 0.9889, 0.8768, 0.5413]), np.array([0.2517, 0.3470, 0.8960, 0.3315])
    for line, wanted in ((results, (a + b) * b), (by_a, b), (by_b, a + 2 * b)):
        np.testing.assert_allclose([float(word) for word in line.split()[-4:]], wanted, atol=1e-4)


@pytest.mark.slow
def test_a_network_learns_without_python(tmp_path: Path) -> None:
    assert learns(by_its_lines("mlp.cpp", tmp_path))
    linked = run("ldd", tmp_path / "mlp")
    assert "libpython" not in linked


@pytest.mark.native
def test_cmake_finds_the_package(tmp_path: Path) -> None:
    cmake = shutil.which("cmake", path=BESIDE_PYTHON["PATH"])
    if cmake is None:
        pytest.skip("there is no cmake")
    folder = run(sys.executable, "-m", "pullback", "config", "--cmakedir").strip()
    python = f"-DPython_EXECUTABLE={sys.executable}"
    run(cmake, "-S", EXAMPLES, "-B", tmp_path, f"-Dpullback_DIR={folder}", python)
    run(cmake, "--build", tmp_path)
    assert learns(run(tmp_path / "mlp", env={}))
    cube = pb.load_operator(tmp_path / "liboperators.so", "cube")
    np.testing.assert_array_equal(cube(np.array([1.0, 2.0])), [1, 8])
