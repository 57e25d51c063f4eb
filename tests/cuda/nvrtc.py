"""NVRTC by ctypes: CUDA C++ to a binary for an architecture. It needs neither a GPU nor a driver."""

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path


def library_path():
    """The library of the wheel nvidia-cuda-nvrtc-cu12 (or -cu13's), or None."""
    spec = find_spec("nvidia")
    folders = [Path(folder) for folder in (spec.submodule_search_locations if spec else [])]
    found = [path for folder in folders for path in sorted(folder.glob("*/lib/libnvrtc.so.*"))]
    return found[0] if found else None


@cache
def library():
    return ctypes.CDLL(str(library_path()))


class CompileError(Exception):
    """The compiler's log."""


def compile_cuda(text, architecture):
    """The binary of a text for an architecture as "sm_90". Raises CompileError with the log."""
    nvrtc, program = library(), ctypes.c_void_p()
    options = [f"--gpu-architecture={architecture}", "--fmad=false", "--std=c++17"]
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None))
    try:
        if nvrtc.nvrtcCompileProgram(program, len(options), given):
            raise CompileError(_read(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").decode())
        return _read(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _read(program, size_of, content):
    size = ctypes.c_size_t()
    _check(getattr(library(), size_of)(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(getattr(library(), content)(program, buffer))
    return buffer.raw


def _check(status):
    if status:
        raise RuntimeError(f"NVRTC: status {status}")
