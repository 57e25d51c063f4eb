"""The machine's C++ compiler: which one, which version, and with what it is called."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..core.errors import CompilerError
from . import cache as disk

INCLUDE = Path(__file__).resolve().parent.parent / "native" / "include"

# Contraction is off because it changes results silently; -ffast-math is not here for the same reason.
_FLAGS = (
    "-std=c++20", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off",
    "-fopenmp-simd", "-DPB_OPENMP_SIMD", "-fvisibility=hidden", "-fPIC", "-shared",
)  # fmt: skip
# What GCC needs to vectorize a kernel's loops. The other passes of -O3, and some of -O1, take most of its
# time, and nothing of the kernel's: a loop is straight-line code, and what is not a loop was compiled before,
# with -O3. What is left behind the last whole vector is done one by one, so that no loop is compiled for
# shorter vectors too.
_VECTORIZED = (
    "-O1", "-ftree-vectorize", "-fvect-cost-model=dynamic", "-finline-functions", "-finline-small-functions",
    "-fstrict-aliasing", "-fno-tree-pta", "-fno-tree-dominator-opts", "-fno-tree-slp-vectorize",
    "-fno-tree-bit-ccp", "-fno-tree-ccp", "-fno-dse", "-fno-tree-dse", "-fno-cprop-registers",
    "-fno-shrink-wrap", "--param=max-combine-insns=2", "-fira-region=one", "-fno-exceptions", "-fno-dce",
    "-fno-tree-copy-prop", "-fno-thread-jumps", "-fno-if-conversion2", "-fno-compare-elim",
    "-fno-ipa-pure-const", "-fno-ipa-reference", "--param=vect-epilogues-nomask=0", "-fgcse",
)  # fmt: skip
# What kernels share is a library that lies beside them. They need nothing of the C++ library, and looking for
# what they don't need takes the linker 20 ms. Of the C library they have what the process has.
_SEPARATE = "-DPB_SEPARATE_RUNTIME"
_SHARED = ("-fvisibility=default", "-fno-semantic-interposition", _SEPARATE)
_ON_MAC = sys.platform == "darwin"
_BESIDE = ("-Wl,-rpath,@loader_path",) if _ON_MAC else ("-nostdlib", "-Wl,-rpath,$ORIGIN")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow")
_INSTALL = (
    "install one (Debian, Ubuntu: apt-get install g++; Fedora: dnf install gcc-c++; macOS: xcode-select "
    "--install; conda: conda install cxx-compiler), or name one in the environment variable CXX"
)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler: how it is called, and what it says that it is."""

    command: tuple[str, ...]
    version: str
    flags: tuple[str, ...]
    libraries: tuple[str, ...]

    @property
    def for_kernels(self) -> tuple[str, ...]:
        """Its `passes` for a generated text, so that it takes a short time."""
        return ("-O3",) if "clang" in self.version else _VECTORIZED

    @property
    def identity(self) -> str:
        """Everything that decides what it makes of a text on this machine."""
        return "\0".join([*self.command, self.version, *self.flags, *self.libraries, processor_features()])

    def compiling_kernels(
        self, source: Path, target: Path, what: Sequence[str], runtime: Path
    ) -> AbstractContextManager[None]:
        """Compile a generated text, of it `what` macros say, as `running` does."""
        options = (*self.for_kernels, _SEPARATE, *(f"-D{macro}" for macro in what))
        return self.running(source, target, *options, str(runtime), *_BESIDE, *self.libraries)

    def compile_runtime(self, source: Path, target: Path, name: str) -> None:
        """Compile what kernels share to a library that they find under this name. Raises CompilerError."""
        named = f"-Wl,-install_name,@rpath/{name}" if _ON_MAC else f"-Wl,-soname,{name}"
        self.run(source, target, "-O3", *_SHARED, named, *self.libraries)

    def run(self, source: Path, target: Path, *options: str) -> None:
        """Compile a file to a shared library. Raises CompilerError with what the compiler said."""
        with self.running(source, target, *options):
            pass

    @contextmanager
    def running(self, source: Path, target: Path, *options: str) -> Iterator[None]:
        """The same while a block runs, at whose end it is done or the error is raised."""
        command = [*self.command, *self.flags, f"-I{INCLUDE}", str(source), "-o", str(target), *options]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
            try:
                yield
                _, said = process.communicate()
            except BaseException:
                process.terminate()  # it removes what it has written so far
                raise
        if process.returncode != 0:
            raise CompilerError(f"{' '.join(command)}\nfailed with:\n{said.strip()}")


def identity() -> str:
    """The identity of the compiler, without running it: its file stands for its version."""
    candidates = _candidates(os.environ.get("CXX", ""), os.environ.get("PATH", ""))
    found = next(candidates, None)
    if found is None:
        return find_compiler().identity  # which raises, and says what to install
    return "\0".join(
        [*found, _binary(found), *_FLAGS, *_VECTORIZED, *_SHARED, *_BESIDE, processor_features()]
    )


def _candidates(named: str, path: str) -> Iterator[tuple[str, ...]]:
    """Commands that may be a compiler, the best first."""
    for candidate in [named] if named else ["g++", "c++", "clang++"]:
        words = shlex.split(candidate)
        found = shutil.which(words[0], path=path) if words else None
        if found is not None:
            yield (found, *words[1:])


def find_compiler() -> Compiler:
    """The compiler that CXX names, else g++, c++ or clang++.

    Raises CompilerError, with what to install, where there is none.
    """
    return _find(os.environ.get("CXX", ""), os.environ.get("PATH", ""))


@cache
def _find(named: str, path: str) -> Compiler:
    for command in _candidates(named, path):
        version = _version(command)
        if version is not None:
            return Compiler(command, version, _flags(version), _libraries())
    asked = (
        f"CXX names {named!r}, which does not run" if named else "there is no C++ compiler on this machine"
    )
    raise CompilerError(f"{asked}; {_INSTALL}")


def _version(command: tuple[str, ...]) -> str | None:
    """The version text of a compiler, from the disk cache where it is there; None where it does not run."""

    def ask() -> str | None:
        said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
        lines = said.stdout.splitlines()
        return None if said.returncode != 0 else lines[0] if lines else ""

    return disk.remembered("\0".join([*command, _binary(command)]), ask, ".version")


def _binary(command: tuple[str, ...]) -> str:
    """The file that a command runs, with its size and time."""
    path = os.path.realpath(command[0])
    state = os.stat(path)
    return f"{path} {state.st_size} {state.st_mtime_ns}"


def _flags(version: str) -> tuple[str, ...]:
    wide = platform.machine() in ("x86_64", "AMD64") and "clang" not in version
    return (*_FLAGS, "-mprefer-vector-width=512") if wide else _FLAGS


def _libraries() -> tuple[str, ...]:
    """Those of functions of numbers, by the names that the loader knows: the linker reads nothing else."""
    vector = platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"
    if vector:
        return "-Wl,--as-needed", "-l:libmvec.so.1", "-l:libm.so.6"
    return ("-lm",) if _ON_MAC else ("-lgcc", "-lm")


@cache
def processor_features() -> str:
    """The features of the processor, for which alone kernels are compiled."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            said = [line for line in lines if line.startswith(("flags", "Features", "model name"))]
    except OSError:
        said = []
    return " ".join(dict.fromkeys(said)) or f"{platform.machine()} {platform.processor()}"
