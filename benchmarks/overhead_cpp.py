"""C++ beside the Python contenders: compiled when it is first needed, and kept."""

from __future__ import annotations

import ctypes
import hashlib
import shlex
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from operators import has_compiler

import pullback as pb
from pullback.engine.dispatch import available
from pullback.engine.kernels.compiler import find_compiler
from pullback.engine.loaded import engine_table
from pullback.transpile.places import cache_folder

LIBTORCH = "libtorch in C++"
IN_CPP = "native in C++"
WITHOUT_PYTHON = "C++ without Python"
HERE = Path(__file__).parent


@dataclass
class InCpp:
    """A chain in C++. `sample(length, rounds)` gives nanoseconds per operator, forward and backward."""

    name: str
    sample: Callable[[int, int], list[tuple[float, float]]]
    samples: list[tuple[float, float]] = field(default_factory=list)

    def medians(self) -> tuple[float, float]:
        """Nanoseconds per operator, forward and backward."""
        forward, backward = map(statistics.median, zip(*self.samples, strict=True))
        return forward, backward


def measure_in_cpp(length: int, rounds: int, turns: int = 5) -> list[InCpp]:
    """Everyone who can be compiled here, taking turns; says who can't."""
    everyone = [one for one in (native(), without_python(), libtorch()) if one is not None]
    for turn in range(turns):
        for one in everyone if turn % 2 == 0 else reversed(everyone):
            one.samples += one.sample(length, -(-rounds // turns))
    return everyone


def native(go_back: bool = True) -> InCpp | None:
    """The native engine of this process, through the C++ surface; `go_back`: backward too."""
    if not _can_compile(IN_CPP):
        return None
    with pb.use_engine("native"):
        tensors = [pb.tensor(np.ones(4, np.float32), requires_grad=k == 0) for k in range(3)]
    inputs = (ctypes.py_object * 3)(*tensors)
    engine = ctypes.c_void_p(engine_table())
    library = ctypes.PyDLL(str(_compiled("overhead.cpp", _options("--operator-flags"), [], "")))

    def sample(length: int, rounds: int) -> list[tuple[float, float]]:
        numbers = (ctypes.c_double * (2 * rounds))()
        if library.overhead_samples(engine, inputs, length, rounds, go_back, numbers) != 0:
            raise RuntimeError("the chain failed in C++")
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    return InCpp(IN_CPP, sample)


def without_python() -> InCpp | None:
    """The engine for C++ programs."""
    program = program_without_python()
    if program is None:
        return None
    return InCpp(WITHOUT_PYTHON, lambda length, rounds: _run(program, length, rounds))


def program_without_python() -> Path | None:
    """``overhead.cpp`` on the engine for C++ programs."""
    if not _can_compile(WITHOUT_PYTHON):
        return None
    library = hashlib.sha256(Path(_options("--library")[0]).read_bytes()).hexdigest()
    return _compiled("overhead.cpp", _options("--cflags"), _options("--libs"), library)


def libtorch() -> InCpp | None:
    """PyTorch without Python."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return _skipped(LIBTORCH, "PyTorch is not installed")
    folder = Path(spec.origin).parent
    if not (folder / "include/ATen/ATen.h").exists():
        return _skipped(LIBTORCH, "this PyTorch came without headers")
    if not has_compiler():
        return _skipped(LIBTORCH, "there is no C++ compiler")
    includes = [f"-isystem{folder / 'include'}", f"-isystem{folder / 'include/torch/csrc/api/include'}"]
    libraries = folder / "lib"
    link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-Wl,--no-as-needed", "-ltorch_cpu", "-lc10"]
    program = _compiled("overhead_torch.cpp", ["-std=c++20", *includes], link, version("torch"))
    return InCpp(LIBTORCH, lambda length, rounds: _run(program, length, rounds))


def _can_compile(name: str) -> bool:
    if "native" not in available():
        _skipped(name, "the native engine is not built")
    elif not has_compiler():
        _skipped(name, "there is no C++ compiler")
    else:
        return True
    return False


def _skipped(name: str, why: str) -> None:
    print(f"{name}: skipped, {why}")


def _run(program: Path, length: int, rounds: int) -> list[tuple[float, float]]:
    command = [str(program), str(length), str(rounds)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return [
        (float(forward), float(backward)) for forward, backward in map(str.split, said.stdout.splitlines())
    ]


def _compiled(source: str, cflags: Sequence[str], libs: Sequence[str], depends: str) -> Path:
    """A source file's program or library, from the cache where all that it is made of is the same."""
    compiler = [find_compiler().command[0], "-O2", *cflags, str(HERE / source)]
    everything = [subprocess.run([*compiler, "-E"], capture_output=True, text=True, check=True).stdout]
    key = "\0".join([*compiler, *libs, *everything, depends])
    made = (
        cache_folder() / "benchmarks" / f"{Path(source).stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    )
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=made.parent) as folder:
            fresh = Path(folder, made.name)
            subprocess.run([*compiler, "-o", str(fresh), *libs], check=True)
            fresh.replace(made)
    return made


def _options(what: str) -> list[str]:
    said = subprocess.run(
        [sys.executable, "-m", "pullback", "config", what], capture_output=True, text=True, check=True
    )
    return shlex.split(said.stdout)
