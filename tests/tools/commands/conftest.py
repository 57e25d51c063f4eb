"""Files to give to the commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a text into a file of the temporary folder and returns its path."""

    def write_file(text: str, name: str = "f.py") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_file
