"""The choice of the BLAS for the matrix products of kernels."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ._native import set_blas_libraries

PACKAGE = "scipy_openblas64"
VARIABLE = "PULLBACK_BLAS"
# OpenBLAS with 64-bit sizes, as Debian and Fedora name it; the loader knows where.
SYSTEMS = ("libopenblas64.so.0", "libopenblas64_.so.0")


def openblas() -> Path | None:
    """The library in the package scipy-openblas64; None where it is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    found = sorted((Path(spec.origin).parent / "lib").glob("libscipy_openblas64_.*"))
    return found[0] if found else None


def numpys() -> Path | None:
    """The OpenBLAS that NumPy's own wheels bring; None where NumPy is linked with another library."""
    folder = Path(np.__file__).parent
    places = (folder.parent / "numpy.libs", folder / ".dylibs")
    found = sorted(path for place in places for path in place.glob("libscipy_openblas64_*"))
    return found[0] if found else None


def mkl() -> Path | None:
    """MKL where pip and conda put it; None where it is not there."""
    found = sorted((Path(sys.prefix) / "lib").glob("libmkl_rt.so*"))
    return found[0] if found else None


def _is_intel() -> bool:
    try:
        return "GenuineIntel" in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")[:4096]
    except OSError:
        return False


def candidates() -> list[str]:
    """Libraries in the order in which they are tried.

    First the one that PULLBACK_BLAS names. Then MKL before OpenBLAS on Intel's processors, where it
    is a little faster, and after it on others, where it takes twice as long. Last the system's.
    """
    named = os.environ.get(VARIABLE)
    ours = [openblas(), numpys()]
    installed = [mkl(), *ours] if _is_intel() else [*ours, mkl()]
    return [str(place) for place in (named, *installed, *SYSTEMS) if place]


def choose() -> None:
    """Have the first of them that can be used loaded when the first product comes; else NumPy multiplies."""
    set_blas_libraries(candidates())
