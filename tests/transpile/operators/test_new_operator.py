"""A new operator is two edits: its formula and its entry in the table.

A copy of the sources, which loses its entry of `exprel`, gains both. Another process, which runs the copy,
has the operator derived, promoted, compiled and printed as CUDA.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FORMULA = '''

@pb.formula(special.exprel)
def exprel(x):
    """r = (exp(x) - 1) / x: dr = (exp(x) - r) / x dx, away from zero."""
    r = np.expm1(x) / x

    def exprel_pullback(grad):
        return grad * (np.exp(x) - r) / x

    return r, exprel_pullback
'''
START = "OPERATORS: tuple[OperatorInfo, ...] = ("
ENTRY = START + '\n    _inlined("exprel"),'
OLD_NAMES, NAMES = '("exprel", "sindg"', '("sindg"'
PROGRAM = """
import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirect" not in type(finder).__name__]

import numpy as np
from scipy import special

import pullback as pb
from pullback.transpile.emit.cpp import emit_cpp
from pullback.transpile.emit.cuda import emit_cuda
from pullback.transpile.library import standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.passes.promote.promote import promote


def bent(x):
    t = special.exprel(x * x)
    return t * np.sin(x) + t


@pb.formula
def saved(x):
    t = special.exprel(x)
    return t * t, lambda grad: 2 * grad * t * (np.exp(x) - t) / x


points = np.array([0.5, -1.25, 2.0])
values = special.exprel(points**2) * (np.sin(points) + 1)
step = 1e-5


def gradient(function, numbers, order):
    x = pb.tensor(numbers, requires_grad=True)
    found = function(x)
    for _ in range(order):
        (found,) = pb.grad(found.sum(), x, create_graph=True)
    return found.detach().numpy()


def slope(function, order):
    there, back = (gradient(function, points + sign * step, order) for sign in (1, -1))
    return (there - back) / (2 * step)


derived, fast = pb.derive_pullback(bent), pb.compile(bent, order=2)
for function in (derived, fast):
    np.testing.assert_allclose(gradient(function, points, 0), values, rtol=1e-12)
for function in (derived, fast, saved):
    for order in (1, 2):
        np.testing.assert_allclose(gradient(function, points, order), slope(function, order - 1), rtol=1e-7)

library = standard_library()
assert promote(saved.ir, library).hidden
made = formula_kernels(derived.ir, library, {}, 2)
assert not made.limits
print(emit_cpp("bent", made.kernels(), derived.ir.source))
plain = formula_kernels(derived.ir, library, {}, 2, general=False)
print(emit_cuda("bent", plain.kernels(), derived.ir.source))
"""


@pytest.mark.compiler
def test_a_formula_and_an_entry_make_an_operator(tmp_path):
    for folder in ("src", "engine", "transpile", "formulas", "tools"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True, ignore=ignored)
    formulas, table = tmp_path / "formulas/logistic.py", tmp_path / "transpile/operators/special.py"
    formulas.write_text(formulas.read_text() + FORMULA)
    before = table.read_text()
    assert START in before
    assert OLD_NAMES in before
    table.write_text(before.replace(START, ENTRY, 1).replace(OLD_NAMES, NAMES, 1))
    program = tmp_path / "src/program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    cpp, _, cuda = done.stdout.partition("__global__")
    assert "pb::expm1(" in cpp
    assert "PB_FUNCTION(expm1, expm1)" in cuda
    assert "pb::expm1(" in cuda
