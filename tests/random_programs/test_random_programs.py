"""Random programs: NumPy, the derived formula, and kernels give the same values and two derivatives."""

import random
import warnings
from pathlib import Path

import pytest
from hypothesis import settings

from .generator import Generator
from .run import compare, compare_without_compiler, reads
from .shrink import shrunk

PROGRAMS, BATCH, MANY = 240, 12, 3000


def _first_seed():
    """Where seeds begin: `make test-all` draws programs that nobody has seen."""
    return 0 if settings.default.derandomize else random.SystemRandom().randrange(10**9)


def _compare_all(folder, seeds):
    """How many programs ran on kernels. A failure is raised for the smallest program that has it."""
    refusals = []
    for seed in seeds:
        text = Generator(random.Random(seed)).program()
        try:
            refusals.append(_compare(folder, text))
        except Exception as error:
            kind = type(error)

            def fails(smaller, kind=kind):
                try:
                    _compare(folder, smaller)
                except kind:
                    return True
                except Exception:
                    return False
                return False

            smallest = shrunk(text, fails)
            raise AssertionError(f"seed {seed}: {error}\n\n{smallest}") from error
    return sum(not refusal for refusal in refusals)


def _compare(folder: Path, text: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # divisions and powers that other programs would not make
        return compare(text, folder)


@pytest.mark.compiler
@pytest.mark.parametrize("batch", range(PROGRAMS // BATCH))
def test_a_program_has_its_values_and_derivatives(tmp_path, batch):
    compiled = _compare_all(tmp_path, range(batch * BATCH, (batch + 1) * BATCH))
    assert compiled >= BATCH // 4  # what is refused proves nothing


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("batch", range(60))
def test_a_program_that_nobody_has_seen(tmp_path, batch):
    first = _first_seed() + batch * (MANY // 60)
    _compare_all(tmp_path, range(first, first + MANY // 60))


def _long(folder, seed, statements):
    text = Generator(random.Random(seed)).long_program(statements, lambda text: reads(text, folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare_without_compiler(text, folder)
    return text


@pytest.mark.parametrize("seed", range(8))
def test_a_long_program_has_its_value_and_derivative(tmp_path, seed):
    assert len(_long(tmp_path, seed, 60).splitlines()) > 60


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_a_program_of_three_hundred_statements_has_its_value_and_derivative(tmp_path, number):
    _long(tmp_path, _first_seed() + number, 300)
