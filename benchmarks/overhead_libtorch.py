"""PyTorch in C++ beside the Python contenders: compiled when it is first needed, and kept."""

from __future__ import annotations

import hashlib
import statistics
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from operators import has_compiler

from pullback.engine.kernels.compiler import find_compiler
from pullback.transpile.places import cache_folder

LIBTORCH = "libtorch in C++"
HERE = Path(__file__).parent


def measure_libtorch(length: int, rounds: int) -> tuple[float, float] | None:
    """Medians in nanoseconds per operator, forward and backward; None where it isn't compiled, and said."""
    program = libtorch()
    if program is None:
        return None
    forward, backward = zip(*samples(program, length, rounds), strict=True)
    return statistics.median(forward), statistics.median(backward)


def libtorch() -> Path | None:
    """The program ``overhead_torch.cpp``."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return _skipped("PyTorch is not installed")
    folder = Path(spec.origin).parent
    if not (folder / "include/ATen/ATen.h").exists():
        return _skipped("this PyTorch came without headers")
    if not has_compiler():
        return _skipped("there is no C++ compiler")
    includes = [f"-isystem{folder / 'include'}", f"-isystem{folder / 'include/torch/csrc/api/include'}"]
    libraries = folder / "lib"
    link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-Wl,--no-as-needed", "-ltorch_cpu", "-lc10"]
    return _compiled("overhead_torch.cpp", ["-std=c++20", *includes], link, version("torch"))


def samples(program: Path, length: int, rounds: int) -> list[tuple[float, float]]:
    """A pair of nanoseconds per operator for each round."""
    command = [str(program), str(length), str(rounds)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return [
        (float(forward), float(backward)) for forward, backward in map(str.split, said.stdout.splitlines())
    ]


def _skipped(why: str) -> None:
    print(f"{LIBTORCH}: skipped, {why}")


def _compiled(source: str, cflags: Sequence[str], libs: Sequence[str], depends: str) -> Path:
    """A source file's program, from the cache where all that it is made of is the same."""
    compiler = [*find_compiler().command, "-O2", *cflags, str(HERE / source)]
    key = "\0".join([*compiler, *libs, (HERE / source).read_text(encoding="utf-8"), depends])
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
