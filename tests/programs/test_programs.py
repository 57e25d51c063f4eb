"""Programs as people write them: NumPy, the formula, two derivatives and the kernels agree."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from tests.constructs.columns import assert_same, flattened
from tests.sampling import sampled

from .corpus import SAMPLES, outcome_of_kernels
from .outcomes import KERNELS, REFUSED, TAKES_LONG

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

READ = [sample for sample in SAMPLES if sample.function.__name__ not in REFUSED]
BY_LENGTH = sampled(
    READ, 6, lambda sample: sample.name, lambda sample: sample.function.__name__ in TAKES_LONG
)


def of_samples(samples):
    return pytest.mark.parametrize("sample", samples, ids=[sample.name for sample in samples])


def test_the_corpus_is_large_and_its_tables_name_its_programs():
    assert len({sample.function for sample in SAMPLES}) >= 200
    names = {sample.name for sample in SAMPLES} | {sample.function.__name__ for sample in SAMPLES}
    assert {*REFUSED, *KERNELS, *TAKES_LONG} <= names


@of_samples(SAMPLES)
def test_numpy_computes_a_finite_result(sample):
    result = sample.call.of(sample.function)
    for part in result if isinstance(result, tuple) else (result,):
        assert np.all(np.isfinite(part))


@pytest.mark.parametrize("sample", sampled(READ, 4, lambda sample: sample.name))
def test_the_formula_computes_what_numpy_does(sample):
    formula = pb.derive_pullback(sample.function)
    with pb.use_engine("reference"):
        assert_same(sample.call.of(sample.function), sample.call.of(formula))


@pytest.mark.parametrize("sample", BY_LENGTH)
def test_two_derivatives_are_those_of_finite_differences(sample):
    with pb.use_engine("reference"):
        function, arrays = flattened(pb.derive_pullback(sample.function), sample.call)
        assert pb.gradcheck(function, *arrays, order=2)


@of_samples([sample for sample in SAMPLES if sample.function.__name__ in REFUSED])
def test_what_is_outside_of_the_language_is_refused_in_its_place(sample):
    with pytest.raises(FormulaError) as refused:
        _ = pb.derive_pullback(sample.function).operator
    first = refused.value.diagnostics[0]
    code, message = REFUSED[sample.function.__name__].split(" ", 1)
    assert first.code == code
    assert message in first.message
    assert first.span.path.endswith(f"{sample.function.__module__.rsplit('.', 1)[-1]}.py")
    assert first.span.line > 1


@of_samples(READ)
@pytest.mark.compiler
@pytest.mark.slow
def test_kernels_compute_the_result_and_two_derivatives(sample):
    assert outcome_of_kernels(sample) == KERNELS.get(sample.name, "")
