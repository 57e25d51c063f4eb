"""NVRTC by ctypes: CUDA C++ to a binary for an architecture. It needs neither a GPU nor a driver."""

from __future__ import annotations

import ctypes
from ctypes.util import find_library
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..core.errors import CompilerError

# A contraction is not what the author wrote; lambdas are the device's without saying so.
_FLAGS = ("--fmad=false", "--std=c++17", "--device-as-default-execution-space")


def library_path() -> str | None:
    """The library of a wheel as nvidia-cuda-nvrtc-cu12, which PyTorch for CUDA brings, or the system's."""
    spec = find_spec("nvidia")
    folders = [Path(folder) for folder in (spec.submodule_search_locations or () if spec else ())]
    found = [path for folder in folders for path in sorted(folder.glob("*/lib/libnvrtc.so.*"))]
    return str(found[0]) if found else find_library("nvrtc")


@cache
def _library() -> Any:
    path = library_path()
    if path is None:
        raise CompilerError("there is no NVRTC, which compiles CUDA: install nvidia-cuda-nvrtc-cu12")
    return ctypes.CDLL(path)


def identity() -> str:
    """The version and flags of NVRTC, which decide the binary that it makes of a text."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(_library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return f"NVRTC {major.value}.{minor.value} {' '.join(_FLAGS)}"


def compile_cuda(text: str, architecture: str) -> bytes:
    """The binary of a text for an architecture as "sm_90". Raises CompilerError with the compiler's log."""
    library, program = _library(), ctypes.c_void_p()
    options = [f"--gpu-architecture={architecture}", *_FLAGS]
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    _check(library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None))
    try:
        if library.nvrtcCompileProgram(program, len(options), given):
            raise CompilerError(_read(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").decode())
        return _read(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _read(program: ctypes.c_void_p, size_of: str, content: str) -> bytes:
    size = ctypes.c_size_t()
    _check(getattr(_library(), size_of)(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(getattr(_library(), content)(program, buffer))
    return buffer.raw


def _check(status: int) -> None:
    if status:
        raise CompilerError(f"NVRTC: status {status}")
