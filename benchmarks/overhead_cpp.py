"""The native engine from a C++ program: compiles overhead.cpp and runs it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from operators import has_compiler

from pullback.engine.dispatch import available
from pullback.engine.kernels.compiler import find_compiler

SOURCE = Path(__file__).with_name("overhead.cpp")


def native_in_cpp(length: int, rounds: int) -> tuple[float, float] | None:
    """Nanoseconds per operator, forward and backward; None without a compiler or without that engine."""
    if "native" not in available() or not has_compiler():
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "overhead")
        compiler = [find_compiler().command[0], "-O2", *_options("--cflags")]
        subprocess.run([*compiler, str(SOURCE), "-o", str(program), *_options("--libs")], check=True)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        said = subprocess.run(
            [str(program), str(length), str(rounds)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    forward, backward = map(float, said.stdout.split())
    return forward, backward


def _options(what: str) -> list[str]:
    said = subprocess.run(
        [sys.executable, "-m", "pullback", "config", what], capture_output=True, text=True, check=True
    )
    return shlex.split(said.stdout)
