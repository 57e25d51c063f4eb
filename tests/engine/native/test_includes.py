"""Includes of the engine's C++ go downwards: a file includes what is in its own room or a lower one."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3] / "engine" / "native"
ROOMS = ("base", "runtime", "core", "dispatch", "fast_paths", "backward", "python")
WRITTEN = {"sources.h"}  # by the build


def included(file):
    return re.findall(r'^#include "(.+)"', file.read_text(encoding="utf-8"), re.M)


def test_every_file_stands_in_a_room():
    assert {path.name for path in (ROOT / "src").iterdir()} == set(ROOMS)


def test_the_engine_includes_downwards():
    seen = 0
    for file in sorted((ROOT / "src").rglob("*.[ch]*")):
        room = file.parent.name
        for name in included(file):
            other = name.split("/")[0]
            if other == "pullback" or name in WRITTEN:
                continue
            assert (ROOT / "src" / name).is_file(), f"{file}: {name}"
            assert ROOMS.index(other) <= ROOMS.index(room), f"{file} includes {name}"
            seen += 1
    assert seen > 100


def test_what_others_include_is_complete_without_the_engine():
    for file in sorted((ROOT / "include").rglob("*.h")):
        for name in included(file):
            assert (ROOT / "include" / name).is_file() or name == "pullback/operators.h", f"{file}: {name}"
