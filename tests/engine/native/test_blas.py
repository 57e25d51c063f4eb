"""Which BLAS products go to: MKL or OpenBLAS, whichever is there and can be used."""

import os
import subprocess
import sys

import pytest

from pullback.engine.native import blas

pytestmark = pytest.mark.native


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A Python with MKL's library, by name, and OpenBLAS's."""
    (tmp_path / "lib").mkdir()
    mkl = tmp_path / "lib" / "libmkl_rt.so.2"
    mkl.write_bytes(b"no library")
    openblas = tmp_path / "libscipy_openblas64_.so"
    monkeypatch.setattr(blas.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(blas, "openblas", lambda: openblas)
    monkeypatch.delenv(blas.VARIABLE, raising=False)
    return str(mkl), str(openblas)


def test_mkl_is_first_on_intels_processors(installed, monkeypatch):
    monkeypatch.setattr(blas, "_is_intel", lambda: True)
    assert blas.candidates() == list(installed)


def test_openblas_is_first_on_others(installed, monkeypatch):
    monkeypatch.setattr(blas, "_is_intel", lambda: False)
    assert blas.candidates() == list(reversed(installed))


def test_the_one_that_is_named_is_before_both(installed, monkeypatch):
    monkeypatch.setenv(blas.VARIABLE, "/some/libopenblas.so")
    assert blas.candidates()[0] == "/some/libopenblas.so"


def test_none_is_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(blas.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(blas, "find_spec", lambda name: None)
    monkeypatch.delenv(blas.VARIABLE, raising=False)
    assert blas.candidates() == []


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
