"""Which BLAS products go to: MKL or OpenBLAS, whichever is there and can be used."""

import os
import subprocess
import sys

import pytest

from pullback.engine.native import blas

pytestmark = pytest.mark.native


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A Python with MKL's library, by name, OpenBLAS's, and NumPy's own."""
    (tmp_path / "lib").mkdir()
    mkl = tmp_path / "lib" / "libmkl_rt.so.2"
    mkl.write_bytes(b"no library")
    openblas = tmp_path / "libscipy_openblas64_.so"
    monkeypatch.setattr(blas.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(blas, "openblas", lambda: openblas)
    monkeypatch.setattr(blas, "numpys", lambda: tmp_path / "numpys.so")
    monkeypatch.delenv(blas.VARIABLE, raising=False)
    return [str(mkl), str(openblas), str(tmp_path / "numpys.so")]


def test_mkl_is_first_on_intels_processors(installed, monkeypatch):
    monkeypatch.setattr(blas, "_is_intel", lambda: True)
    assert blas.candidates() == [*installed, *blas.SYSTEMS]


def test_openblas_is_first_on_others(installed, monkeypatch):
    monkeypatch.setattr(blas, "_is_intel", lambda: False)
    assert blas.candidates() == [*installed[1:], installed[0], *blas.SYSTEMS]


def test_the_one_that_is_named_is_before_both(installed, monkeypatch):
    monkeypatch.setenv(blas.VARIABLE, "/some/libopenblas.so")
    assert blas.candidates()[0] == "/some/libopenblas.so"


def test_where_none_is_installed_the_systems_is_tried(tmp_path, monkeypatch):
    monkeypatch.setattr(blas.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(blas, "find_spec", lambda name: None)
    monkeypatch.setattr(blas.np, "__file__", str(tmp_path / "numpy" / "__init__.py"))
    monkeypatch.delenv(blas.VARIABLE, raising=False)
    assert blas.candidates() == list(blas.SYSTEMS)


def test_a_file_that_is_no_library_is_passed_over(tmp_path):
    broken = tmp_path / "libmkl_rt.so"
    broken.write_bytes(b"no library")
    program = """
import numpy as np, pullback as pb
from pullback.engine.native import blas
from pullback.engine.native._native import blas_library
a, b = np.random.rand(60, 70), np.random.rand(70, 80)
with pb.use_engine("native"):
    assert np.allclose((pb.tensor(a) @ pb.tensor(b)).numpy(), a @ b)
print(blas_library() in blas.candidates()[1:] or blas_library() == "")
"""
    environment = {**os.environ, blas.VARIABLE: str(broken)}
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert found.stdout.strip() == "True", found.stderr


@pytest.mark.parametrize(
    "place", ["numpy.libs/libscipy_openblas64_-1a2b.so", "numpy/.dylibs/libscipy_openblas64_.dylib"]
)
def test_what_numpys_wheels_bring_is_found(tmp_path, monkeypatch, place):
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).touch()
    monkeypatch.setattr(blas.np, "__file__", str(tmp_path / "numpy" / "__init__.py"))
    assert blas.numpys() == tmp_path / place


THREADS = """
import ctypes, threading
import numpy as np, pullback as pb
from pullback.engine.native import blas
from pullback.engine.native._native import blas_library, set_blas_libraries

library = ctypes.CDLL(str(blas.numpys()))
library.scipy_openblas_set_num_threads64_(3)
set_blas_libraries([str(blas.numpys())])
a, b = np.random.rand(160, 170), np.random.rand(170, 180)

def multiply():
    x, y = pb.tensor(a), pb.tensor(b)
    for _ in range(50):
        product = x @ y
    assert np.allclose(product.numpy(), a @ b)

with pb.use_engine("native"):
    multiply()
threads = [threading.Thread(target=multiply) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert blas_library() == str(blas.numpys()), blas_library()
print(library.scipy_openblas_get_num_threads64_())
"""


@pytest.mark.skipif(blas.numpys() is None, reason="this NumPy brings no OpenBLAS")
def test_numpys_own_has_its_threads_back_after_products():
    found = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True)
    assert found.stdout.strip() == "3", found.stderr
