"""Published packages at pinned versions, fetched into a temporary folder."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest


def fetched(versions: Mapping[str, str], folder: Path) -> dict[str, Path]:
    """The folder of each package's text. Skips the test where they cannot be fetched."""
    wanted = [f"{name.replace('_', '-')}=={version}" for name, version in versions.items()]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(folder)]
    done = subprocess.run([*command, *wanted], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"the packages cannot be fetched: {done.stderr.strip()[-200:]}")
    found = {}
    for wheel in folder.glob("*.whl"):
        name = wheel.name.partition("-")[0]
        found[name] = folder / name
        zipfile.ZipFile(wheel).extractall(found[name])
    return found
