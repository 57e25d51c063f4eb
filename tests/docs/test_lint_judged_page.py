"""The counts in the page of judged classes are those of its tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "lint-judged.md"
SECTIONS = PAGE.read_text(encoding="utf-8").split("\n## ")
ROW = re.compile(r"^\| (`[^|]*) \| ([^|]*) \|", re.MULTILINE)
JUDGED = re.compile(r"^\| `\w+` \| (\w+)[^|]* \| (?:run|read) \| ([^|]*) \|$", re.MULTILINE)
HEADS = [part.split("\n### ")[0] for part in SECTIONS[:3]]


@pytest.mark.parametrize("section", range(3))
def test_a_set_has_the_counts_that_are_stated(section: int) -> None:
    found = [(verdict, codes.strip() != "-") for verdict, codes in JUDGED.findall(SECTIONS[section])]
    wrong = [flagged for verdict, flagged in found if verdict == "wrong"]
    right = [flagged for verdict, flagged in found if verdict != "wrong"]
    head = HEADS[section]
    stated_wrong = re.search(r"^\| wrong \| (\d+) \|.*\D(\d+) \((\d+) %\) \| \|", head, re.MULTILINE)
    stated_right = re.search(r"^\| right \| (\d+) \|", head, re.MULTILINE)
    assert stated_wrong is not None
    assert stated_right is not None
    flagged = sum(wrong)
    assert [int(n) for n in stated_wrong.groups()] == [len(wrong), flagged, round(100 * flagged / len(wrong))]
    assert int(stated_right[1]) == len(right)
    assert f"{len(found)} " in head


def test_the_number_of_repaired_classes_is_that_of_the_table() -> None:
    section = SECTIONS[3]
    rows = [(row.count("`") // 2, verdict) for row, verdict in ROW.findall(section)]
    repaired = sum(count for count, verdict in rows if verdict.startswith("repaired"))
    assert f"Of the {sum(count for count, _ in rows)} others, `--fix` alone repairs {repaired}:" in section
