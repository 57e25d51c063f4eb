import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pullback.engine.kernels import KernelLibrary, find_compiler
from pullback.engine.kernels.compiler import INCLUDE, WARNINGS
from tests.sampling import sampled

from .regenerate import ATEN, HERE, NAMES, ORDERS, generated, generated_aten

ROOT = HERE.parent.parent


@pytest.mark.parametrize("name", NAMES)
def test_the_generated_code_is_what_was_reviewed(name):
    reviewed = (HERE / f"{name}.cpp").read_text(encoding="utf-8")
    assert generated(name) == reviewed, "review the change: python -m tests.golden.regenerate, then git diff"


@pytest.mark.parametrize("name", ATEN)
def test_the_code_over_aten_is_what_was_reviewed(name):
    reviewed = (HERE / "aten" / f"{name}.cpp").read_text(encoding="utf-8")
    assert generated_aten(name) == reviewed, "review the change: python -m tests.golden.regenerate, then git diff"


@pytest.mark.compiler
@pytest.mark.parametrize("name", sampled(NAMES, 2))
def test_it_compiles_without_warnings_and_exports_its_kernels(name, tmp_path):
    library = tmp_path / "kernel.so"
    compiler = find_compiler()
    compiler.run(HERE / f"{name}.cpp", library, "-Og", *WARNINGS, "-Werror", *compiler.libraries)
    kernels = ["forward", "backward", "backward_general"]
    kernels += ["backward_backward", "backward_backward_general"] if ORDERS[name] == 2 else []
    for kernel in kernels:
        KernelLibrary(library, name).functions(f"{name}_{kernel}")


@pytest.mark.parametrize("name", NAMES)
def test_it_is_formatted_as_our_own_code_is(name):
    beside = Path(sys.executable).parent / "clang-format"
    formatter = str(beside) if beside.exists() else shutil.which("clang-format")
    if formatter is None:
        pytest.skip("there is no clang-format here")
    text = (HERE / f"{name}.cpp").read_text(encoding="utf-8")
    style = f"--style=file:{ROOT / '.clang-format'}"
    done = subprocess.run([formatter, style], input=text, capture_output=True, text=True, check=True)
    assert done.stdout == text


@pytest.mark.compiler
def test_a_program_without_python_calls_it(tmp_path):
    program = tmp_path / "simple"
    sources = [ROOT / "examples" / "cpp" / "main.cpp", HERE / "simple.cpp"]
    flags = ["-std=c++20", "-O3", *WARNINGS, "-Werror", f"-I{INCLUDE}"]
    command = [*find_compiler().command, *flags, *map(str, sources), "-lm", "-o", str(program)]
    subprocess.run(command, check=True)
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [
        "simple(a, b) 0.1541 0.4636 1.5884 0.2893",
        "dL/da 0.2517 0.3470 0.8960 0.3315",
        "dL/db 0.8639 1.6829 2.6688 1.2043",
    ]


def test_no_golden_file_is_left_over():
    generated_files = {path.stem for path in Path(HERE).glob("*.cpp")}
    assert generated_files == set(NAMES)
    assert {path.stem for path in (HERE / "aten").glob("*")} == set(ATEN)
