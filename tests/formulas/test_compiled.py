"""Every formula as C++: its result and two derivatives are the reference's, whatever the arrays are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pullback as pb
from pullback.engine.core.registry import FORMULAS
from pullback.engine.formula.formula import Composite
from pullback.engine.kernels.launch import CompiledKernel
from pullback.engine.kernels.tensors import NotTaken
from pullback.transpile.operators import OPERATORS, SCIPY_ONLY
from tests.sampling import sampled, selected

from .compiled import every_formula, every_kernel, leaves_of, run
from .samples import DECOMPOSITIONS, OF_COMPLEX

pytestmark = pytest.mark.compiler

# What SciPy computes is compared in `tests/engine/kernels/test_scipys_functions.py`.
CASES = sorted({str(case) for case in every_formula() if case.name not in SCIPY_ONLY})
# Attributes that hold for the lengths of the sample's axes alone.
OF_LENGTHS = {"shape", "index", "indices", "region", "like", "repeats"}
# Sums of products: NumPy multiplies by zero off a diagonal and by sums of nothing, which leaves a NaN there.
PRODUCTS = {"contract", "tensordot", "dot", "inner"}
# Of matrices that are far from singular ones, and symmetric ones where they have to be.
MATRICES = {"solve", "inv", "det", "cholesky", "pinv", *DECOMPOSITIONS}


@pytest.fixture(scope="module")
def kernels(request):
    return every_kernel(*selected(request, "name"))


@pytest.mark.slow
def test_every_case_of_every_formula_is_compiled(kernels):
    assert set(CASES) <= kernels.keys()
    formulas = [e for e in pb.formulas() if FORMULAS.of_library(e) and not isinstance(e, Composite)]
    names = {FORMULAS.operator_name(entry) for entry in formulas}
    in_python = {*SCIPY_ONLY, *OF_COMPLEX, "eig", "slogdet_of_complex", "refuse_gradient", "gradient_like"}
    assert (names & OPERATORS.keys()) - in_python <= {kernel.case.name for kernel in kernels.values()}


@st.composite
def arguments(draw, case):
    """Arrays of the sample's entries, in shapes that fit as the sample's do, in any memory layout."""
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    if case.name in MATRICES:
        return tuple(draw(stacks(arg, dtype)) for arg in case.args)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    free = not OF_LENGTHS & set(case.kwargs)
    lengths = {0: 0, 1: 1}
    leaves = leaves_of(case.args)
    for n in sorted({n for leaf in leaves for n in np.shape(leaf)} - {0, 1}):
        lengths[n] = draw(st.sampled_from([0, 1, 2, 3, 5, 9])) if free else n
    broadcasts = OPERATORS[case.name].pointwise and len(leaves) > 1
    found = []
    for leaf in leaves:
        if leaf is None:
            found.append(None)
            continue
        shape = tuple(lengths[n] for n in np.shape(leaf))
        if broadcasts:
            shape = tuple(draw(st.sampled_from([n, 1])) for n in shape)[draw(st.integers(0, len(shape))) :]
        pool = np.asarray(leaf, dtype).ravel()
        if draw(st.integers(0, 7)) == 0 and case.name not in PRODUCTS:
            pool = np.append(pool, dtype(np.nan))
        array = rng.choice(pool, shape).astype(dtype)
        ways = ["C", "F", "reversed", "sparse", "repeated"]
        # Which of two equal entries comes first is not NumPy's promise, nor how a mean of them is rounded,
        # by which a deviation of nearly nothing is divided.
        if case.name in ("sort", "std"):
            array = rng.permutation(array.size).reshape(shape).astype(dtype)
        if case.name == "std":
            ways.remove("repeated")
        found.append(laid_out(array, draw(st.sampled_from(ways))))
    rest = iter(found)
    return tuple([next(rest) for _ in arg] if isinstance(arg, list) else next(rest) for arg in case.args)


@st.composite
def stacks(draw, sample, dtype):
    """Some of a sample's matrices, or none, larger or smaller, in any memory layout."""
    array = sample.astype(dtype) * dtype(draw(st.sampled_from([0.5, 1.0, 3.0])))
    if array.ndim > 2:
        array = array[draw(st.lists(st.integers(0, len(array) - 1), max_size=3))]
    return laid_out(array, draw(st.sampled_from(["C", "F", "sparse"])))


def laid_out(array, way):
    """The same shape in C order, transposed, read backwards, as every second entry, or one row repeated."""
    if array.ndim == 0 or way == "C":
        return array
    if way == "F":
        return np.asfortranarray(array)
    if way == "reversed":
        return np.flip(np.flip(array).copy())
    if way == "sparse":
        wide = np.repeat(array, 2, axis=-1)
        return wide[..., ::2]
    return np.broadcast_to(array[:1], array.shape) if len(array) else array


@pytest.mark.parametrize("name", CASES[::20])
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_two_derivatives_agree_with_the_reference(name, kernels, data):
    run(kernels[name], data.draw(arguments(kernels[name].case)))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_two_derivatives_agree_with_the_reference_on_many_arrays(name, kernels, data):
    run(kernels[name], data.draw(arguments(kernels[name].case)))


@pytest.mark.parametrize("name", sampled(CASES, 10))
def test_no_kernel_refuses_the_sample(name, kernels, monkeypatch):
    refused = []
    call = CompiledKernel.with_plain_outputs

    def watched(self, *args):
        try:
            return call(self, *args)
        except NotTaken as error:
            refused.append((self.kernel.name, str(error)))
            raise

    monkeypatch.setattr(CompiledKernel, "with_plain_outputs", watched)
    # A Python number becomes a tensor of its own type, which the arguments of the kernel are not.
    args = (float(arg) if type(arg) is int else arg for arg in kernels[name].case.args)
    run(kernels[name], tuple(args))
    assert refused == []
