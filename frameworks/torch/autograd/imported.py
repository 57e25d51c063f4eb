"""PyTorch's table of derivatives as Python formulas, written at first use into the folder of caches."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import torch

import pullback
from pullback.formulas.aten import MissingDerivativeError
from pullback.transpile.places import cache_folder


@cache
def imported_formulas() -> Path:
    """The folder of the formulas of the installed PyTorch's table.

    `pullback import-derivatives` writes it where it is not there yet, which takes some seconds. Raises
    MissingDerivativeError where the table cannot be read.
    """
    folder = cache_folder() / "derivatives" / f"torch-{torch.__version__}-{_importer()}"
    if not folder.is_dir():
        _write(folder)
    return folder


def _importer() -> str:
    """A digest of the importer's own text: another importer writes another folder."""
    texts = sorted((Path(pullback.__file__).parent / "tools" / "aten").rglob("*.py"))
    return hashlib.sha256(b"\n".join(path.read_bytes() for path in texts)).hexdigest()[:12]


def _write(folder: Path) -> None:
    """Write the formulas into a folder of another name, and rename it: nobody sees a part of them."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="importing-", dir=folder.parent))
    try:
        print(
            f"pullback: importing the derivatives of PyTorch {torch.__version__}, once (some seconds)",
            file=sys.stderr,
            flush=True,
        )
        command = [sys.executable, "-m", "pullback", "import-derivatives", "--no-lint", "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or not any(made.glob("*.py")):  # 1: an entry was not written
            raise MissingDerivativeError(
                f"PyTorch's table of derivatives could not be imported: {done.stderr.strip()}"
            )
        try:
            os.rename(made, folder)
        except OSError:
            if not folder.is_dir():
                raise  # else another process was first
    finally:
        shutil.rmtree(made, ignore_errors=True)
