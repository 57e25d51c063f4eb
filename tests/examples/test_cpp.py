"""C++ programs that use the installed package: by CMake, and by what `pullback config` prints."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pullback.engine.kernels.compiler import find_compiler

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "cpp"

pytestmark = [pytest.mark.native, pytest.mark.compiler]


def config(what: str) -> list[str]:
    said = subprocess.run(
        [sys.executable, "-m", "pullback", "config", what], capture_output=True, text=True, check=True
    )
    return shlex.split(said.stdout)


def run(program: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run([str(program)], env=environment, capture_output=True, text=True, timeout=120)


def compiled(folder: Path, text: str) -> Path:
    source, program = folder / "program.cpp", folder / "program"
    source.write_text(text)
    command = [find_compiler().command[0], "-Wall", "-Wextra", "-Werror", *config("--cflags"), str(source)]
    done = subprocess.run([*command, "-o", str(program), *config("--libs")], capture_output=True, text=True)
    if "cannot find -lpython" in done.stderr:
        pytest.skip("there is no libpython to link")
    assert done.returncode == 0, done.stderr
    return program


PROGRAM = """
#include <pullback/pullback.h>
#include <cstdio>
using pullback::Tensor;
int main() {
    try {
        Tensor before(1.0);
    } catch (const pullback::Error& error) {
        std::printf("%s\\n", error.what());
    }
    const pullback::Session session;
    const Tensor x({1.0, 2.0, 3.0}, {3}, true);
    const Tensor y = sum(exp(x) * x / 2.0 - x);
    y.backward();
    for (double value : x.grad().values()) std::printf("%.6f ", value);
    const Tensor z = x * x;
    for (const char* word : {"no_such_word"}) {
        try {
            pullback::Operator missing(word);
        } catch (const pullback::Error& error) {
            std::printf("\\n%s\\n", error.what());
        }
    }
    try {
        z.backward();
    } catch (const pullback::Error& error) {
        std::printf("%s\\n", error.what());
    }
    {
        const pullback::NoGrad none;
        const Tensor quiet = x * x;
        try {
            gradients(sum(quiet), {x});
        } catch (const pullback::Error& error) {
            std::printf("%s\\n", error.what());
        }
    }
    gradients(sum(x * x), {x});
    std::printf("%zu axes\\n", matmul(Tensor({1.0, 2.0}, {1, 2}), Tensor({3.0, 4.0}, {2, 1})).shape().size());
}
"""


def test_a_program_builds_tensors_and_differentiates(tmp_path: Path) -> None:
    done = run(compiled(tmp_path, PROGRAM))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "make a pullback::Session first"
    assert [float(word) for word in lines[1].split()] == pytest.approx([1.718282, 10.083584, 39.171074], 1e-5)
    assert lines[2].startswith("KeyError")
    assert "no_such_word" in lines[2]
    assert lines[3].startswith("GradientShapeError: an output of shape (3,)")
    assert lines[4] == "NotDifferentiableError: this output doesn't require grad"
    assert lines[5] == "2 axes"


def test_the_example_is_found_by_cmake_and_learns(tmp_path: Path) -> None:
    cmake = shutil.which("cmake") or shutil.which("cmake", path=str(Path(sys.executable).parent))
    if cmake is None:
        pytest.skip("there is no cmake")
    configure = [
        cmake, "-S", str(EXAMPLES), "-B", str(tmp_path), f"-Dpullback_DIR={config('--cmakedir')[0]}",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]  # fmt: skip
    done = subprocess.run(configure, capture_output=True, text=True)
    if "Development.Embed" in done.stderr:
        pytest.skip("there is no libpython to link")
    assert done.returncode == 0, done.stderr
    subprocess.run([cmake, "--build", str(tmp_path)], check=True, capture_output=True)
    done = run(tmp_path / "mlp")
    assert done.returncode == 0, done.stderr
    losses = [float(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("loss")]
    assert losses[-1] < 0.1 * losses[0]
    assert done.stdout.splitlines()[-1].endswith("3.0000")


def test_the_headers_are_there() -> None:
    assert Path(config("--includes")[0], "pullback", "kernel_abi.h").is_file()
