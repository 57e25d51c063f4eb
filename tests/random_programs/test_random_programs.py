"""Random programs: NumPy, the derived formula, and kernels give the same values and two derivatives."""

import random
import warnings

import pytest
from hypothesis import settings

from .generator import Generator
from .run import compare_without_compiler, reads
from .sweep import Sweep

PROGRAMS, BATCH, MANY, MANY_BATCHES = 12, 6, 300, 10


def _first_seed():
    """Where seeds begin: `make test-all` draws programs that nobody has seen."""
    return 0 if settings.default.derandomize else random.SystemRandom().randrange(10**9)


@pytest.mark.compiler
@pytest.mark.parametrize("batch", range(PROGRAMS // BATCH))
def test_a_program_has_its_values_and_derivatives(tmp_path, batch):
    sweep = Sweep(tmp_path, more=1)
    sweep.over(range(batch * BATCH, (batch + 1) * BATCH))
    assert not sweep.wrong, sweep.wrong[0]
    assert sweep.totals["compiled"] >= BATCH // 2  # what is refused proves nothing
    assert sweep.totals["calls by kernel"] >= sweep.totals["calls by Python"]


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("batch", range(MANY_BATCHES))
def test_a_program_that_nobody_has_seen(tmp_path, batch):
    first, count = _first_seed(), MANY // MANY_BATCHES
    sweep = Sweep(tmp_path, more=3)
    sweep.over(range(first + batch * count, first + (batch + 1) * count))
    assert not sweep.wrong, sweep.wrong[0]


def _long(folder, seed, statements):
    generator = Generator(random.Random(seed))
    text = generator.long_program(statements, lambda text: reads(text, folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare_without_compiler(text, folder, generator.case)
    return text


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 8))])
def test_a_long_program_has_its_value_and_derivative(tmp_path, seed):
    assert len(_long(tmp_path, seed, 60).splitlines()) > 60


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))  # minutes each
def test_a_program_of_three_hundred_statements_has_its_value_and_derivative(tmp_path, number):
    _long(tmp_path, _first_seed() + number, 300)
