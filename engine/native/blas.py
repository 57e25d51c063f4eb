"""Which BLAS computes the matrix products of kernels."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ._native import set_blas_library

PACKAGE = "scipy_openblas64"


def library_path() -> Path | None:
    """The library in the package scipy-openblas64; None where it is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    found = sorted((Path(spec.origin).parent / "lib").glob("libscipy_openblas64_.*"))
    return found[0] if found else None


def choose() -> None:
    """Have the package's library loaded when the first product comes; else NumPy multiplies."""
    path = library_path()
    if path is not None:
        set_blas_library(str(path))
