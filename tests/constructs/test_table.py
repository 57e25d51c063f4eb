"""The table in docs/constructs.md is what trying its constructs gives."""

import re

import pytest

from tests.sampling import sampled

from .columns import compiled, differentiated, emitted
from .costs import BY_COST
from .regenerate import CONSTRUCTS, PAGE, label

HINT = "review the change: python -m tests.constructs.regenerate, then git diff"
LINES = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
ROWS = {line[: line.index("|", 1) + 1]: line for line in LINES}
EACH = pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda construct: construct.name)
HALF = pytest.mark.parametrize("construct", sampled(CONSTRUCTS, 2, lambda construct: construct.name))


def cells(construct):
    """What the page says of a construct: Python, derivatives, C++."""
    line = ROWS[label(construct)]
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[2:-1]]


def test_the_page_has_a_row_for_each_construct_and_no_other():
    rows = [name for name in ROWS if name not in ("| construct |", "| --- |")]
    assert rows == [label(construct) for construct in CONSTRUCTS], HINT


class TestConstruct:
    @HALF
    def test_emitted_python(self, construct):
        assert emitted(construct) == cells(construct)[0], HINT

    @HALF
    @pytest.mark.native
    def test_derivatives(self, construct):
        assert differentiated(construct) == cells(construct)[1], HINT

    @BY_COST
    @pytest.mark.compiler
    def test_cpp(self, construct):
        assert compiled(construct) == cells(construct)[2], HINT
