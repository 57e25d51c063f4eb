"""The structures of kernel_abi.h, for ctypes."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

MAX_DIMS = 8
OK, UNSUPPORTED, INVALID, ABI_MISMATCH, SMALLER = range(5)
VARIANTS = ("i32", "i64", "packed", "resident", "joined")  # of kernels of a device, as their names end


class DLDevice(ctypes.Structure):
    """A device; kernels take the CPU's only."""

    _fields_ = (("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class DLDataType(ctypes.Structure):
    """An element's type."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class DLTensor(ctypes.Structure):
    """DLPack's view of an array."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Scalar(ctypes.Union):
    """An attribute."""

    _fields_ = (("i", ctypes.c_int64), ("f", ctypes.c_double))


class Spec(ctypes.Structure):
    """Shape and dtype of an output."""

    _fields_ = (("shape", ctypes.c_int64 * MAX_DIMS), ("ndim", ctypes.c_int32), ("dtype", DLDataType))


ParallelFor = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)


class Product(ctypes.Structure):
    """A stack of matrix products."""

    _fields_ = (
        ("bits", ctypes.c_int32),
        ("add", ctypes.c_int32),
        *((name, ctypes.c_int64) for name in "mnk"),
        *((name, ctypes.c_void_p) for name in "abc"),
        *((f"{name}_{axis}", ctypes.c_int64) for name in "abc" for axis in ("row", "column")),
        ("ndim", ctypes.c_int32),
        *((name, ctypes.c_int64 * MAX_DIMS) for name in ("shape", "a_steps", "b_steps", "c_steps")),
    )


Gemm = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Product))


class Work(ctypes.Structure):
    """Memory that threads of a device share for totals."""

    _fields_ = (("totals", ctypes.c_void_p), ("arrived", ctypes.c_void_p))


class Launch(ctypes.Structure):
    """The start of a kernel on a device."""

    _fields_ = (
        ("kernel", ctypes.c_char_p),
        ("bits", ctypes.c_int32),
        ("variant", ctypes.c_int32),
        ("blocks", ctypes.c_int64),
        ("threads", ctypes.c_int64),
        ("arguments", ctypes.POINTER(ctypes.c_void_p)),
        ("work", ctypes.POINTER(Work)),
        ("totals_bytes", ctypes.c_size_t),
        ("arrived_bytes", ctypes.c_size_t),
        ("joining", ctypes.c_int64),
    )


Launched = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Launch))


class Runtime(ctypes.Structure):
    """Services that a kernel may use."""

    _fields_ = (
        ("context", ctypes.c_void_p),
        ("alloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
        ("parallel_for", ParallelFor),
        ("gemm", Gemm),
        ("launch", Launched),
        ("zero", ctypes.c_void_p),
        ("threads", ctypes.c_int32),
    )


_TENSORS = ctypes.POINTER(ctypes.POINTER(DLTensor))
_COUNTS = (
    ("abi", ctypes.c_uint32),
    ("n_inputs", ctypes.c_int32),
    ("n_attrs", ctypes.c_int32),
    ("n_outputs", ctypes.c_int32),
    ("inputs", _TENSORS),
    ("attrs", ctypes.POINTER(Scalar)),
)
_ERROR = (("error", ctypes.c_char_p), ("error_bytes", ctypes.c_size_t))


class Infer(ctypes.Structure):
    """The argument of `infer`."""

    _fields_ = (
        *_COUNTS,
        ("outputs", ctypes.POINTER(Spec)),
        ("workspace_bytes", ctypes.c_size_t),
        ("units", ctypes.c_int64),
        ("can_add", ctypes.c_uint64),
        *_ERROR,
    )


class Call(ctypes.Structure):
    """The argument of `run`."""

    _fields_ = (
        *_COUNTS,
        ("outputs", _TENSORS),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
        ("begin", ctypes.c_int64),
        ("end", ctypes.c_int64),
        ("add", ctypes.c_uint64),
        ("runtime", ctypes.POINTER(Runtime)),
        *_ERROR,
    )


_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}


def data_type(dtype: np.dtype[Any]) -> DLDataType | None:
    """DLPack's name of a dtype; None where it has none, or where bytes are swapped."""
    if dtype.kind not in _CODES or not dtype.isnative:
        return None
    return DLDataType(_CODES[dtype.kind], 8 * dtype.itemsize, 1)


def numpy_type(dtype: DLDataType) -> np.dtype[Any]:
    """The dtype that DLPack's name means."""
    return np.dtype(f"{_KINDS[dtype.code]}{dtype.bits // 8}")
