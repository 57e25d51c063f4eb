"""Mistakes planted in formulas are found, every one; the formulas without them pass."""

from pathlib import Path

import pytest

from .__main__ import table
from .finding import copied, formulas, plant, said_of
from .mistakes import KINDS

FORMULAS = {formula.__name__: formula for formula in formulas()}
QUICK = ("power", "tanh", "inv", "fft", "roll", "xlogy", "var")
PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def missed(found):
    return [(each.formula, each.kind, each.text) for each in found if not each.said]


def test_each_kind_is_planted_and_found(tmp_path):
    found = [each for name in QUICK for each in plant(FORMULAS[name], tmp_path, places=1)]
    assert not missed(found)
    assert {each.kind for each in found} == set(KINDS)


@pytest.mark.parametrize("name", QUICK)
def test_the_formula_itself_passes(name, tmp_path):
    assert not said_of(copied(FORMULAS[name], tmp_path), FORMULAS[name])


@pytest.mark.slow
def test_all_are_found_and_counted_on_the_page(tmp_path):
    assert not [name for name, formula in FORMULAS.items() if said_of(copied(formula, tmp_path), formula)]
    found = [each for formula in FORMULAS.values() for each in plant(formula, tmp_path)]
    assert not missed(found)
    assert table(found) in PAGE.read_text()
    assert f"{len(found)} mistakes in {len(FORMULAS)} formulas" in PAGE.read_text()
