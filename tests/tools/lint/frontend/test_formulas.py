"""Formulas of edited texts: what an edit cannot change is not read again, and the findings are the text's."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from pullback.tools.lint.frontend import formulas
from pullback.tools.lint.linter import Known, lint_source
from pullback.transpile.frontend import Outline
from pullback.transpile.ir import Formula, Source

FOLDERS = [Path(__file__).parents[4] / name for name in ("formulas", "examples")]
FILES = sorted(path for folder in FOLDERS for path in folder.glob("*.py") if "pb.formula" in path.read_text())
PIECES = (
    "\n", "k = 3\n", "\f", "    ", "def doubled(x):\n    return x\n", "x = x + 1\n", "# here\n", "return x\n",
    "import numpy as np\n", "np = 3\n", "while x:\n    pass\n", "@pb.formula\n", "if True:\n", "k = k + 1\n",
)  # fmt: skip
TEXT = """import numpy as np
import pullback as pb

k = 2


def doubled(x):
    return tripled(x) * k


def tripled(x):
    return x * 3


@pb.formula
def first(x):
    t = np.exp(x)
    return t * x, lambda grad: grad * t * (x + 1)


@pb.formula
def second(x):
    y = doubled(x)
    return y * y, lambda grad: 72 * grad * x


@pb.formula
def third(x):
    y = first(x)
    return y, lambda grad: grad * np.exp(x) * (x + 1)
"""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operators that are read."""
    names: list[str] = []
    real = formulas.read_operator

    def noted(outline: Outline, operator: str) -> Formula | None:
        names.append(operator)
        return real(outline, operator)

    monkeypatch.setattr(formulas, "read_operator", noted)
    return names


def _again(text: str, read: list[str]) -> list[str]:
    """The formulas that are read again after `TEXT` was, where the findings are those of the text."""
    known = Known()
    lint_source(Source("f.py", TEXT), known=known)
    read.clear()
    found = lint_source(Source("f.py", text), known=known)
    again = list(read)
    assert found == lint_source(Source("f.py", text))
    return again


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("import numpy", "\n\nimport numpy", []),
        ("k = 2\n", "k = 2\nj = 4\n", []),
        ("k = 2\n", "k = 2.0\n", ["second"]),
        ("x * 3", "x * 4", ["second"]),
        ("t = np.exp(x)", "t = np.exp(-x)", ["first"]),
        ("def first(x)", "def first(x, z)", ["first", "third"]),
        ("import numpy as np", "import math as np", ["first", "third"]),
        ("    return x * 3\n", "    return x * 3\n\n\n", ["second"]),  # the helper is further away
        ("return x * 3", "return second(x)", ["second"]),
    ],
)
def test_formulas_are_read_again_that_depend_on_a_change(
    old: str, new: str, expected: list[str], read: list[str]
) -> None:
    assert _again(TEXT.replace(old, new, 1) if old else TEXT, read) == expected


def test_a_finding_moves_with_its_formula_and_so_does_the_line_that_it_names(read: list[str]) -> None:
    known = Known()
    for above in range(3):
        found = lint_source(Source("f.py", "\n" * above + TEXT), known=known).findings
        promoted = next(f for f in found if f.code == "PB101")
        assert promoted.span.line == 18 + above
        assert f"(line {17 + above})" in promoted.message
    assert len(read) == 3


def test_formulas_that_call_each_other_are_found_again(read: list[str]) -> None:
    looped = TEXT.replace("t = np.exp(x)", "t = third(x)")
    known = Known()
    for text in (looped, f"\n{looped}", TEXT, looped):
        found = lint_source(Source("f.py", text), known=known)
        assert found == lint_source(Source("f.py", text))
        assert ("PB105" in {f.code for f in found.findings}) == (text is not TEXT)


def test_two_formulas_of_one_name_are_told_apart() -> None:
    twice = TEXT + TEXT[TEXT.index("\n\n@pb.formula\ndef second") : TEXT.index("\n\n@pb.formula\ndef third")]
    names = [subject.name for subject in lint_source(Source("f.py", twice)).subjects]
    assert names == ["first", "second", "third", "second:34"]


@pytest.mark.parametrize("seed", range(3))
def test_edits_find_what_the_whole_text_has(seed: int) -> None:
    chance = random.Random(seed)
    for path in chance.sample(FILES, 2):
        text, known = f"{TEXT}\n{path.read_text()}", Known()
        for _ in range(10):
            source = Source("f.py", text)
            assert lint_source(source, known=known) == lint_source(source)
            text = _edited(text, chance)


def _edited(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            lines.insert(one, chance.choice(PIECES).rstrip("\n"))
        case 1:
            del lines[one]
        case 2:
            lines[one] = re.sub(r"\bx\b", "k", lines[one])
        case _:
            lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)
