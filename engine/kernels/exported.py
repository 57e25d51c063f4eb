"""Functions of SciPy that kernels call, by the addresses that its Cython modules export.

A library of kernels that calls some has a pointer to a table of them, which is
set when the library is loaded.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from .lapack import lapack_functions
from .special import special_functions

# By the name of the pointer.
_TABLES: dict[str, Callable[[], ctypes.Structure | None]] = {
    "pb_special": special_functions,
    "pb_lapack": lapack_functions,
}
# Which of them the functions of a header call.
_HEADERS = {
    "kernel/math/special.h": "pb_special",
    "kernel/matrices/solve.h": "pb_lapack",
    "kernel/matrices/decompose.h": "pb_lapack",
}


def tables_of(text: str) -> frozenset[str]:
    """The tables that generated C++ needs.

    >>> sorted(tables_of("#include <pullback/kernel/math/special.h>"))
    ['pb_special']
    """
    return frozenset(table for header, table in _HEADERS.items() if header in text)


def supply(library: Any, *tables: str) -> bool:
    """Set these in a library, or all that it has; False where SciPy does not export all functions of one."""
    complete = True
    for name in tables or _TABLES:
        try:
            place = ctypes.c_void_p.in_dll(library, name)
        except ValueError:
            continue
        table = _TABLES[name]()
        place.value = None if table is None else ctypes.addressof(table)
        complete = complete and table is not None
    return complete
