"""SciPy's special functions for kernels: the addresses that `scipy.special.cython_special` exports."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from .capsules import address, signature

# As in kernel/math/special.h, one argument and two.
_UNARY = """
    erfinv erfcinv ndtri gammaln loggamma digamma erfcx log_ndtr erfi dawsn expi exp1 gamma rgamma
    j0 j1 y0 y1 k0 k0e k1 k1e
"""
UNARY = _UNARY.split()
BINARY = ["beta", "betaln", "rel_entr", "kl_div", "iv", "jv"]
_OTHER_NAME = {"digamma": "psi"}
# The last argument is Cython's.
_SIGNATURES = (
    "double (double, int __pyx_skip_dispatch)",
    "double (double, double, int __pyx_skip_dispatch)",
)


class Table(ctypes.Structure):
    """pb_special_functions of kernel/math/special.h."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in (*UNARY, *BINARY))


@cache
def special_functions() -> Table | None:
    """The functions; None where this SciPy does not export all of them, and kernels that call one refuse."""
    from scipy.special import cython_special

    exported: dict[str, Any] = getattr(cython_special, "__pyx_capi__", {})
    table = Table()
    for name in (*UNARY, *BINARY):
        found = _address(exported, _OTHER_NAME.get(name, name), _SIGNATURES[name in BINARY])
        if found is None:
            return None
        setattr(table, name, found)
    return table


def _address(exported: dict[str, Any], name: str, wanted: str) -> int | None:
    """Of what stands under a name, and the names of its versions for certain types, that of a signature."""
    for key, capsule in exported.items():
        version, _, rest = key.removeprefix("__pyx_fuse_").partition(name)
        its_own = not rest and (key == name or version.isdigit())
        if its_own and signature(capsule) == wanted:
            return address(capsule)
    return None
