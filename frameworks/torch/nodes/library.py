"""A folder of operators in C++, compiled in parallel, loaded, and put in the place of PyTorch's own.

`pullback export-derivatives --target aten` writes such a folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels import cache as disk
from pullback.engine.kernels.compile import key_of
from pullback.engine.kernels.compiler import find_compiler, identity


class Library:
    """A loaded library of operators."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.PyDLL(str(path))

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """A block in which these operators, with tensors of the CPU, are those of the library.

        What was computed in the block can be differentiated after it, too. It is for all threads.
        """
        self._library.pullback_operators_on()
        try:
            yield
        finally:
            self._library.pullback_operators_off()


def load(folder: str | os.PathLike[str], jobs: int | None = None) -> Library:
    """Compile the files of a folder, or take them from the cache of compiled code, and load the library.

    Parameters
    ----------
    folder : path
        What `pullback export-derivatives --target aten` wrote.
    jobs : int, optional
        How many files are compiled at once. Default: as many as there are processors.

    Raises
    ------
    CompilerError
        There is no compiler, or it refuses a file.
    """
    return Library(build(Path(folder), jobs))


def build(folder: Path, jobs: int | None = None) -> Path:
    """The compiled library of a folder."""
    sources = sorted(folder.glob("*.cpp"))
    if not sources:
        raise CompilerError(f"{folder} has no C++: pullback export-derivatives --target aten writes it")
    texts = [path.read_text(encoding="utf-8") for path in sorted([*sources, *folder.glob("*.h")])]
    key = key_of("operators of ATen", torch.__version__, identity(), *texts, *_flags(), *_linked())
    return disk.entry(key, lambda target: _compile(sources, target, jobs or os.cpu_count() or 1))


def _compile(sources: Sequence[Path], target: Path, jobs: int) -> None:
    command = find_compiler().command
    with tempfile.TemporaryDirectory(prefix="pullback-") as work, ThreadPoolExecutor(jobs) as pool:
        objects = [Path(work) / f"{path.stem}.o" for path in sources]
        compiled = [
            pool.submit(_run, [*command, *_flags(), "-c", str(path), "-o", str(made)])
            for path, made in zip(sources, objects, strict=True)
        ]
        for each in compiled:
            each.result()
        _run([*command, "-shared", *map(str, objects), "-o", str(target), *_linked()])


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CompilerError(f"{' '.join(command)}\nfailed with:\n{done.stderr.strip()}")


def _flags() -> tuple[str, ...]:
    root = Path(torch.__file__).parent
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    return ("-std=c++20", "-O1", "-fPIC", f"-D_GLIBCXX_USE_CXX11_ABI={abi}", f"-isystem{root / 'include'}")


def _linked() -> tuple[str, ...]:
    libraries = Path(torch.__file__).parent / "lib"
    return f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-ltorch_cpu", "-lc10"
