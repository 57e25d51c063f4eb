"""The page on the native engine: its example runs, and its numbers are those of the source."""

import re
from pathlib import Path

import pullback as pb

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "native.md").read_text(encoding="utf-8")


def test_the_example_runs():
    names = {}
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    try:
        exec(code, names)
    except pb.EngineUnavailableError:
        return
    assert names["stats"].limit is None
    assert pb.memory_stats().limit is None


def test_the_numbers_are_those_of_the_source():
    source = ROOT / "engine" / "native"
    assert "kMostInLoop = 1 << 14" in (source / "include" / "pullback" / "layout.h").read_text()
    assert "kReleaseGil = 1 << 14" in (source / "src" / "launch.cpp").read_text()
    assert "kSmall = 64" in (source / "include" / "pullback" / "storage.h").read_text()
    assert PAGE.count("16384") == 2


def test_the_program_is_what_the_header_shows():
    assert "Tensor x({1.0, 2.0}, {2}, true)" in source_of("pullback.h")


def source_of(header):
    return (ROOT / "engine" / "native" / "include" / "pullback" / header).read_text(encoding="utf-8")
