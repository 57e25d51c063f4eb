"""SciPy's special functions for kernels: the addresses that `scipy.special.cython_special` exports."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

# As in kernel_special.h, one argument and two.
_UNARY = """
    erfcx erfi erfinv erfcinv dawsn ndtr log_ndtr ndtri expi exp1 gammaln loggamma gamma rgamma digamma
    i0 i0e i1 i1e j0 j1 y0 y1 k0 k0e k1 k1e
"""
UNARY = _UNARY.split()
BINARY = ["beta", "betaln", "rel_entr", "kl_div", "iv", "jv"]
_OTHER_NAME = {"digamma": "psi"}
# The last argument is Cython's.
_SIGNATURES = (
    b"double (double, int __pyx_skip_dispatch)",
    b"double (double, double, int __pyx_skip_dispatch)",
)


class Table(ctypes.Structure):
    """pb_special_functions of kernel_special.h."""

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


def supply_special_functions(library: ctypes.CDLL) -> bool:
    """Have the kernels of a library call them; False where none of them does, or they are not there."""
    try:
        place = ctypes.c_void_p.in_dll(library, "pb_special")
    except ValueError:
        return False
    table = special_functions()
    place.value = None if table is None else ctypes.addressof(table)
    return table is not None


def _address(exported: dict[str, Any], name: str, signature: bytes) -> int | None:
    """Of what stands under a name, and the names of its versions for certain types, that with a signature."""
    for key, capsule in exported.items():
        version, _, rest = key.removeprefix("__pyx_fuse_").partition(name)
        if rest or (key != name and not version.isdigit()):
            continue
        found = _pointer(capsule, signature)
        if found is not None:
            return found
    return None


def _pointer(capsule: Any, signature: bytes) -> int | None:
    api = ctypes.pythonapi
    api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    if not api.PyCapsule_IsValid(capsule, signature):
        return None
    pointer: int = api.PyCapsule_GetPointer(capsule, signature)
    return pointer
