"""The handler, compiled once for a version of jaxlib and cached, and the kernels that it knows."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax

from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels import cache as disk
from pullback.engine.kernels.compile import key_of
from pullback.engine.kernels.compiler import find_compiler
from pullback.engine.kernels.launch import CompiledKernel

TARGET = "pullback_kernel"
SOURCE = Path(__file__).with_name("bridge.cpp")


@cache
def bridge() -> Any:
    """The library of the handler, which XLA knows as `TARGET` from now on.

    Raises CompilerError where there is no compiler, or it refuses the headers of this jaxlib.
    """
    library = ctypes.CDLL(str(_compiled()))
    library.pullback_jax_register.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
    library.pullback_jax_register.restype = None
    capsule: Any = jax.ffi.pycapsule
    jax.ffi.register_ffi_target(TARGET, capsule(library.pullback_jax_kernel), platform="cpu")
    return library


def _compiled() -> Path:
    jaxlib = version("jaxlib")
    key = key_of("bridge to JAX", jaxlib, SOURCE.read_text(encoding="utf-8"))

    def make(target: Path) -> None:
        compiler = find_compiler()
        print(
            f"pullback: compiling the bridge to jaxlib {jaxlib}, once (some seconds)",
            file=sys.stderr,
        )
        try:
            # The standard library is needed here, which kernels do without.
            compiler.run(SOURCE, target, "-O2", "-isystem", jax.ffi.include_dir())
        except CompilerError as error:
            raise CompilerError(
                f"the bridge to jaxlib {jaxlib} does not compile, so that kernels don't run under "
                f"JAX; pullback.jax.function needs no compiler\n{error}"
            ) from error

    return disk.entry(key, make)


@cache
def registered(name: str, kernel: CompiledKernel) -> str:
    """The name under which the handler finds a kernel, which is compiled and loaded now."""
    bridge().pullback_jax_register(name.encode(), kernel.infer_address, kernel.run_address)
    return name
