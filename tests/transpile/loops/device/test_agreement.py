"""The interpreter of loops gives what a formula's emitted Python gives, forward and backward."""

import numpy as np
import pytest

from pullback.engine.core.registry import FORMULAS
from pullback.transpile.library import standard_library
from tests.cuda.gpu_check import SHAPES, formulas, inputs_of, staged

from .agreement import compare

FORMULAS.load_library()
LIBRARY = standard_library()
# NumPy refuses the largest of no entries.
NOT_EMPTY = [shapes for shapes in SHAPES if all(0 not in shape for shape in shapes)]
QUICK = ("exp", "multiply", "where", "sum", "mean", "softmax", "logsumexp", "maximum")


def _namespace(name):
    return FORMULAS.operator(name).operator.namespace


def _compare(formula, library):
    """Whether the formula is lowered; raises AssertionError where its loops compute something else."""
    stages = staged(formula, library, "float64")
    for shapes in NOT_EMPTY if stages else ():
        values, _ = inputs_of(stages[0], formula, shapes, "float64", np.random.default_rng(1))
        compare(stages, _namespace(formula.name), values, "float64")
    return bool(stages)


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_formula_and_its_loops_agree(name):
    assert _compare(LIBRARY.formula(name), LIBRARY)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_formula_that_is_lowered_and_its_loops_agree():
    found = [f for f, library in formulas() if FORMULAS.operator(f.name) is not None and _compare(f, library)]
    assert len(found) >= 60
