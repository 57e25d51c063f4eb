"""Pages for people who come from elsewhere: what they show runs, and the names that they give exist."""

import doctest
import re
from pathlib import Path

import pytest

import pullback as pb

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_sharp_edges_are_as_shown():
    text = (DOCS / "sharp-edges.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```pycon\n(.*?)```", text, flags=re.DOTALL)
    parsed = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "sharp-edges.md", None, None)
    results = doctest.DocTestRunner().run(parsed)
    assert results.attempted > 20
    assert results.failed == 0


@pytest.mark.parametrize("page", ["jax-map.md", "autograd-map.md", "comparison.md", "sharp-edges.md"])
def test_the_names_exist(page):
    for name in re.findall(r"\bpb\.(\w+)", (DOCS / page).read_text(encoding="utf-8")):
        assert hasattr(pb, name), name
