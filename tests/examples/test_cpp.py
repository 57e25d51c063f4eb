"""C++ programs that use the installed package, found by CMake."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "cpp"

pytestmark = [pytest.mark.native, pytest.mark.compiler]


def config(what: str) -> list[str]:
    said = subprocess.run(
        [sys.executable, "-m", "pullback", "config", what], capture_output=True, text=True, check=True
    )
    return shlex.split(said.stdout)


def test_the_example_is_found_by_cmake_and_learns(tmp_path: Path) -> None:
    cmake = shutil.which("cmake") or shutil.which("cmake", path=str(Path(sys.executable).parent))
    if cmake is None:
        pytest.skip("there is no cmake")
    configure = [
        cmake, "-S", str(EXAMPLES), "-B", str(tmp_path), f"-Dpullback_DIR={config('--cmakedir')[0]}",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]  # fmt: skip
    done = subprocess.run(configure, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    subprocess.run([cmake, "--build", str(tmp_path)], check=True, capture_output=True)
    done = subprocess.run([tmp_path / "mlp"], env={}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    losses = [float(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("loss")]
    assert losses[-1] < 0.1 * losses[0]
    assert done.stdout.splitlines()[-1].endswith("3.0000")
    linked = subprocess.run(["ldd", tmp_path / "mlp"], capture_output=True, text=True, check=True).stdout
    assert "libpython" not in linked


def test_the_headers_are_there() -> None:
    assert Path(config("--includes")[0], "pullback", "kernel_abi.h").is_file()
