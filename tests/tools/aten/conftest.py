"""The table of the installed PyTorch, imported once for the whole folder."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Run:
    """A run of the command: its status, the counts that it printed, and the folder that it wrote."""

    status: int
    counts: dict[str, int]
    folder: Path


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """PyTorch's own table as files of formulas."""
    # Imported here: what a conftest imports at its top comes before typeguard's instrumentation.
    from pullback.tools.cli import main

    folder = tmp_path_factory.mktemp("table")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(["import-derivatives", "-o", str(folder), "--format", "json"])
    return Run(status, json.loads(printed.getvalue()), folder)
