"""Compiles C++ programs as a user does, with what `pullback config` prints."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from pullback.engine.kernels.compiler import find_compiler

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


def config(what: str) -> list[str]:
    """The words that ``pullback config --what`` prints."""
    command = [sys.executable, "-m", "pullback", "config", f"--{what}"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return shlex.split(said.stdout)


def compiled(folder: Path, source: Path | str, name: str = "program") -> Path:
    """A program of a file, or of a text."""
    if isinstance(source, str):
        path = folder / f"{name}.cpp"
        path.write_text(source)
    else:
        path = source
    program = folder / name
    run([*WARNINGS, "-O1", *config("cflags"), str(path), "-o", str(program), *config("libs")])
    return program


def library(folder: Path, source: str, name: str) -> Path:
    """A shared library of operators of a text."""
    path, made = folder / f"{name}.cpp", folder / f"lib{name}.so"
    path.write_text(source)
    run([*WARNINGS, "-O1", *config("operator-flags"), str(path), "-o", str(made)])
    return made


def run(arguments: list[str]) -> None:
    done = subprocess.run(
        [find_compiler().command[0], *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:4000]
