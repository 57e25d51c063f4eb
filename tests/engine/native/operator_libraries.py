"""Compiles libraries of operators as a user does, with what `pullback config` prints."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from pullback.engine.kernels.compiler import find_compiler

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


def library(folder: Path, source: str, name: str) -> Path:
    """A shared library of operators of a text."""
    asked = [sys.executable, "-m", "pullback", "config", "--operator-flags"]
    flags = shlex.split(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
    path, made = folder / f"{name}.cpp", folder / f"lib{name}.so"
    path.write_text(source)
    command = [*find_compiler().command, *WARNINGS, "-O1", *flags, str(path), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return made
