"""The interpreter and the compiled C++ give the same values: of one program, two ways to run it."""

import numpy as np
import pytest

import pullback as pb
from tests.constructs.columns import second_order
from tests.formulas.compiled import every_kernel, run
from tests.programs.corpus import SAMPLES
from tests.sampling import sampled

from .compared import comparison, same

pytestmark = pytest.mark.compiler

# Functions of the runtime that the interpreter does not have, of those that library formulas call.
# SciPy's functions, derivatives of sinc, and the pseudo-inverse, which all need more than a line of NumPy.
NOT_INTERPRETED = {"pinv", "require_special", "sinc_derivative", "sinc_slope"}
# Programs with loops, branches, lists, packed sizes, indices by arrays and solvers.
PROGRAMS = (
    "heat_equation",
    "verlet",
    "kepler_leapfrog",
    "lennard_jones_cutoff",
    "hmm_forward",
    "group_means",
    "ridge_regression",
    "barrier_option",
)


@pytest.fixture(scope="module")
def found():
    """Every formula of the library, with two derivatives."""
    with comparison() as compared:
        for kernels in every_kernel().values():
            run(kernels, kernels.case.args)
    return compared


@pytest.mark.slow
def test_forward_and_backward_kernels_of_the_library_give_the_same(found):
    forward = {name for name in found.agree if name.endswith("_forward")}
    backward = {name for name in found.agree if name.endswith("_backward")}
    assert len(forward) >= 230
    assert len(backward) >= 240


@pytest.mark.slow
def test_what_is_not_interpreted_is_on_the_list(found):
    assert found.not_interpreted == NOT_INTERPRETED


@pytest.mark.parametrize("name", sampled(PROGRAMS, 3))
def test_kernels_of_programs_give_the_same(name):
    sample = next(sample for sample in SAMPLES if sample.function.__name__ == name)
    with comparison() as compared, pb.use_engine("reference"):
        second_order(pb.compile(pb.derive_pullback(sample.function), order=2), sample.call)
    assert compared.agree.keys() >= {f"{name}_forward", f"{name}_backward"}
    assert not compared.not_interpreted


def test_another_value_is_noticed():
    with pytest.raises(AssertionError, match="some_kernel"):
        same(np.ones(2), np.array([1, 1 + 1e-11]), "some_kernel")
