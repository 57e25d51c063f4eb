"""The bridge: one extension for all formulas, compiled once for a version of PyTorch and cached."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import torch

from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels import cache as disk
from pullback.engine.kernels.compile import key_of
from pullback.engine.kernels.compiler import find_compiler, identity
from pullback.engine.kernels.gemm import RUNTIME

SOURCE = Path(__file__).with_name("bridge.cpp")


@cache
def bridge() -> Any:
    """The loaded extension.

    Raises CompilerError where there is no compiler, or it refuses the headers of this PyTorch.
    """
    library = ctypes.PyDLL(str(_compiled()))
    words = ctypes.POINTER(ctypes.c_int64)
    library.pullback_torch_runtime.argtypes = [ctypes.c_void_p]
    library.pullback_torch_level.argtypes = [ctypes.py_object, ctypes.c_char_p, words, ctypes.c_int64]
    library.pullback_torch_level.restype = ctypes.c_void_p
    library.pullback_torch_module.argtypes = [ctypes.py_object]
    library.pullback_torch_module.restype = ctypes.c_void_p
    texts = [ctypes.c_char_p] * 3
    library.pullback_torch_operator.argtypes = [ctypes.py_object, *texts, words, ctypes.c_int64]
    library.pullback_torch_operator.restype = ctypes.c_void_p
    library.pullback_torch_direct_type.restype = ctypes.py_object
    library.pullback_torch_calls_directly.argtypes = [ctypes.py_object]
    library.pullback_torch_calls_directly.restype = None
    library.pullback_torch_direct.argtypes = [
        ctypes.py_object,
        ctypes.c_void_p,
        ctypes.py_object,
        ctypes.c_int,
    ]
    library.pullback_torch_direct.restype = None
    library.pullback_torch_forget.argtypes = [ctypes.c_void_p]
    library.pullback_torch_runtime(ctypes.addressof(RUNTIME))
    return library


def _compiled() -> Path:
    """The file of the extension, from the cache where it was compiled before."""
    root = Path(torch.__file__).parent
    flags = (
        "-O2",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
        *(f"-isystem{place}" for place in _headers(root)),
        f"-L{root / 'lib'}",
        f"-Wl,-rpath,{root / 'lib'}",
        *("-ltorch_python", "-ltorch_cpu", "-lc10", "-ldl"),
    )
    headers = sorted(SOURCE.parent.glob("*.h"))
    texts = [file.read_text(encoding="utf-8") for file in (SOURCE, *headers)]
    key = key_of("bridge to PyTorch", torch.__version__, sys.version, identity(), *texts, *flags)

    def make(target: Path) -> None:
        compiler = find_compiler()
        print(
            f"pullback: compiling the bridge to PyTorch {torch.__version__}, once (about half a minute)",
            file=sys.stderr,
        )
        try:
            compiler.run(SOURCE, target, *flags)
        except CompilerError as error:
            raise CompilerError(
                f"the bridge to PyTorch {torch.__version__} does not compile: operators run op by op without "
                f"it (compiled=False)\n{error}"
            ) from error

    with _alone(key):
        return disk.entry(key, make)


@contextlib.contextmanager
def _alone(key: str) -> Iterator[None]:
    """A block that one process at a time runs: the others find what it compiled. One that ends lets go."""
    disk.folder().mkdir(parents=True, exist_ok=True)
    with open(disk.folder() / f".bridge-{key}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _headers(root: Path) -> tuple[Path, ...]:
    return root / "include", Path(sysconfig.get_paths()["include"])
