"""A library of a few operators compiles, loads, and has the gradients of PyTorch's own nodes."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys

import pytest

from pullback.engine.core.errors import CompilerError
from pullback.tools.cli import main

pytestmark = pytest.mark.torch
pytest.importorskip("expecttest")

FEW = ("exp", "addcmul", "lerp.Scalar")
SWITCH = """
extern "C" int operators = 0;
extern "C" void pullback_operators_on() { ++operators; }
extern "C" void pullback_operators_off() { --operators; }
"""


def compared(folder, *options):
    """The exit status and the lines of a comparison in a process of its own."""
    command = [sys.executable, "-m", "pullback.torch.nodes", str(folder), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines() + done.stderr.splitlines()


@pytest.mark.compiler
def test_the_operators_are_on_in_a_block(tmp_path):
    from pullback.torch.nodes.library import build, load

    (tmp_path / "library.cpp").write_text(SWITCH)
    (tmp_path / "operators_0.cpp").write_text("int other = 0;")
    library = load(tmp_path)
    counted = ctypes.c_int.in_dll(ctypes.CDLL(str(build(tmp_path))), "operators")
    with library.on():
        assert counted.value == 1
    assert counted.value == 0


@pytest.mark.compiler
def test_what_is_not_compiled_is_an_error_with_its_reason(tmp_path):
    from pullback.torch.nodes.library import load

    with pytest.raises(CompilerError, match=r"has no C\+\+: pullback export-derivatives"):
        load(tmp_path)
    (tmp_path / "library.cpp").write_text(SWITCH)
    (tmp_path / "operators_0.cpp").write_text("int other = not_there;")
    with pytest.raises(CompilerError, match="not_there"):
        load(tmp_path)


# A file with PyTorch's headers takes a quarter of a minute to compile, and `op_db` as long to load.
@pytest.mark.slow
def test_first_and_second_gradients_equal_those_of_pytorch(imported_table, tmp_path):
    formulas = tmp_path / "formulas"
    formulas.mkdir()
    shutil.copy(imported_table / "pointwise.py", formulas)
    named = [text for name in FEW for text in ("--only", name)]
    assert main(["export-derivatives", str(formulas), "--target", "aten", "-o", str(tmp_path), *named]) == 0
    of = [text for name in ("exp", "addcmul", "lerp") for text in ("--entry", name)]
    status, lines = compared(tmp_path, *of)
    assert (status, lines[-1]) == (0, "3 operators compared: 3 equal")


@pytest.mark.slow
def test_a_wrong_formula_differs(imported_table, tmp_path):
    """The nodes are those of the library: of a wrong formula the comparison says so."""
    formulas = tmp_path / "formulas"
    formulas.mkdir()
    text = (imported_table / "pointwise.py").read_text(encoding="utf-8")
    changed = text.replace("return grad * aten.conj(result)\n", "return grad * aten.neg(result)\n", 1)
    assert changed != text
    (formulas / "pointwise.py").write_text(changed, encoding="utf-8")
    cpp = tmp_path / "cpp"
    command = ["export-derivatives", str(formulas), "--target", "aten", "-o", str(cpp), "--only", "exp"]
    assert main(command) == 0
    status, lines = compared(cpp, "--entry", "exp")
    assert status == 1
    assert lines[1].startswith("exp: exp: first: input 0: off by")


@pytest.mark.slow
def test_all_operators_equal_those_of_pytorch(imported_table, tmp_path):
    command = ["export-derivatives", str(imported_table), "--target", "aten", "-o", str(tmp_path)]
    assert main(command) == 0
    status, lines = compared(tmp_path, "--samples", "12")
    assert status == 0, lines
    found = re.fullmatch(r"(\d+) operators compared: (\d+) equal", lines[-1])
    assert found is not None
    assert int(found[1]) >= 200
    assert found[1] == found[2]
