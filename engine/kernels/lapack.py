"""LAPACK for kernels: the routines that `scipy.linalg.cython_lapack` exports."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import Any

from .capsules import address, signature

# As in kernel/matrices/lapack.h, with Fortran's arguments: characters, integers, floats.
ROUTINES = {
    "gesv": "iifiifii",
    "getrf": "iifiii",
    "getri": "ifiifii",
    "potrf": "cifii",
    "gesdd": "ciififfififiii",
    "syevd": "ccififfiiii",
    "geqrf": "iififfii",
    "orgqr": "iiififfii",
}
_LETTERS = {"char": "c", "int": "i", "float": "f"}


class Table(ctypes.Structure):
    """pb_lapack_functions of kernel/matrices/lapack.h."""

    _fields_ = tuple((f"{prefix}{name}", ctypes.c_void_p) for prefix in "sd" for name in ROUTINES)


@cache
def lapack_functions() -> Table | None:
    """The routines; None where this SciPy does not export all of them, and kernels that call one refuse."""
    from scipy.linalg import cython_lapack

    exported: dict[str, Any] = getattr(cython_lapack, "__pyx_capi__", {})
    table = Table()
    for prefix in "sd":
        for name, letters in ROUTINES.items():
            capsule = exported.get(prefix + name)
            if capsule is None or arguments(signature(capsule)) != letters:
                return None
            setattr(table, prefix + name, address(capsule))
    return table


def arguments(text: str) -> str:
    """The types of a routine's arguments, a letter each; "?" for one that LAPACK's C interface has not.

    >>> arguments("void (char *, int *, __pyx_t_5scipy_6linalg_13cython_lapack_d *)")
    'cif'
    """
    plain = re.sub(r"__pyx_t_\w+_[sd]\b", "float", text)
    inside = plain[plain.find("(") + 1 : plain.rfind(")")]
    return "".join(_LETTERS.get(part.removesuffix("*").strip(), "?") for part in inside.split(","))
