"""`docs/conformance.md`: every file of the conformance suite has its place on it, and one only."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_file_of_the_suite_is_in_one_row():
    rows = [line for line in (ROOT / "docs/conformance.md").read_text().splitlines() if line.startswith("| ")]
    named = Counter(name for row in rows for name in re.findall(r"`(test_\w+)`", row))
    assert set(named) == {path.stem for path in (ROOT / "tests/conformance").glob("test_*.py")}
    assert set(named.values()) == {1}


def test_its_pages_exist():
    for page in re.findall(r"\]\(([^)]+)\)", (ROOT / "docs/conformance.md").read_text()):
        assert (ROOT / "docs" / page).exists(), page
