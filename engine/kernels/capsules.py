"""Addresses of C functions in capsules, as Cython modules export them."""

from __future__ import annotations

import ctypes
from typing import Any

_API = ctypes.pythonapi
_API.PyCapsule_GetName.argtypes = (ctypes.py_object,)
_API.PyCapsule_GetName.restype = ctypes.c_char_p
_API.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_API.PyCapsule_GetPointer.restype = ctypes.c_void_p


def signature(capsule: Any) -> str:
    """The C signature of the function, which is the capsule's name."""
    name: bytes | None = _API.PyCapsule_GetName(capsule)
    return "" if name is None else name.decode()


def address(capsule: Any) -> int:
    """The address of the function."""
    pointer: int = _API.PyCapsule_GetPointer(capsule, _API.PyCapsule_GetName(capsule))
    return pointer
