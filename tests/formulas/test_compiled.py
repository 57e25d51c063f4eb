"""Every formula as C++: its result and two derivatives are the reference's, whatever the arrays are."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pullback as pb
from pullback.engine.core.dispatch import engine_of
from pullback.engine.core.registry import FORMULAS
from pullback.engine.formula.decorators import Composite
from pullback.engine.kernels.launch import CompiledKernel
from pullback.engine.kernels.operator import CompiledOperator
from pullback.engine.kernels.tensors import NotTaken
from pullback.transpile.operators import OPERATORS

from .compiled import every_formula, every_kernel, leaves_of
from .samples import DECOMPOSITIONS

pytestmark = pytest.mark.compiler

CASES = sorted({str(case) for case in every_formula()})
# Attributes that hold for the lengths of the sample's axes alone.
OF_LENGTHS = {"shape", "index", "indices", "region", "like", "repeats"}
# Sums of products: NumPy multiplies by zero off a diagonal and by sums of nothing, which leaves a NaN there.
PRODUCTS = {"contract", "tensordot", "dot", "inner"}
# Of matrices that are far from singular ones, and symmetric ones where they have to be.
MATRICES = {"solve", "inv", "det", "cholesky", "pinv", *DECOMPOSITIONS}
TOLERANCE = {np.dtype("float32"): 3e-3, np.dtype("float64"): 1e-7}


@pytest.fixture(scope="module")
def kernels():
    return every_kernel()


def test_every_case_of_every_formula_is_compiled(kernels):
    assert {str(case) for case in every_formula()} == kernels.keys()
    formulas = [e for e in pb.formulas() if FORMULAS.of_library(e) and not isinstance(e, Composite)]
    names = {FORMULAS.operator_name(entry) for entry in formulas}
    assert names <= {kernel.case.name for kernel in kernels.values()}


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


def derivatives(operator, args, attributes, arrays=()):
    """The results, their gradients, and the gradients of those; cotangents are reproducible."""
    rng = np.random.default_rng(7)

    def like(tensor):
        return np.asarray(rng.uniform(0.5, 1.5, tensor.shape), tensor.dtype)

    with pb.use_engine("reference"):
        given = [
            None if leaf is None else pb.tensor(leaf, requires_grad=np.asarray(leaf).dtype.kind == "f")
            for leaf in leaves_of(args)
        ]
        present = [leaf for leaf in given if leaf is not None]
        leaves = [leaf for leaf in present if leaf.requires_grad]
        rest = iter(given)
        inputs = [[next(rest) for _ in arg] if isinstance(arg, list) else next(rest) for arg in args]
        if isinstance(operator, CompiledOperator):
            inputs = [*present, *arrays]
        found = []
        values = engine_of(*leaves).apply(operator, inputs, attributes)
        values = [v for v in (values if isinstance(values, tuple) else (values,)) if v.requires_grad]
        found.append([value.detach().numpy() for value in values])
        for _ in range(2):
            grads = pb.grad(values, leaves, [like(v) for v in values], create_graph=True, allow_unused=True)
            values = [g for g in grads if g is not None and g.requires_grad]
            found.append([None if g is None else g.detach().numpy() for g in grads])
            if not values:
                return [*found, *[[None] * len(leaves)] * (3 - len(found))]
    return found


def agree(found, expected, args):
    """Compare to the precision of the coarsest array: a sum of float32 may be cast to float64 afterwards."""
    given = [TOLERANCE[leaf.dtype] for leaf in leaves_of(args) if getattr(leaf, "dtype", None) in TOLERANCE]
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            if mine is None or theirs is None:
                there = mine if mine is not None else theirs
                assert there is None or not np.any(there)
                continue
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
            scale = np.max(np.abs(theirs), initial=1.0, where=np.isfinite(theirs))
            tolerance = max([TOLERANCE[theirs.dtype], *given])
            np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * scale)


def run(kernels, name, args):
    case, compiled = kernels[name].case, kernels[name].operator
    reference = pb.formulas()[case.name].operator
    attributes = reference.bind([None] * len(reference.inputs), case.kwargs)[1]
    runtime = {p.var.name: attributes[p.var.name] for p in compiled.attributes}
    arrays = kernels[name].arrays
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = derivatives(reference, args, attributes)
        except (ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                derivatives(compiled, args, runtime, arrays)
            return
        agree(derivatives(compiled, args, runtime, arrays), expected, args)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_two_derivatives_agree_with_the_reference(name, kernels, data):
    run(kernels, name, data.draw(arguments(kernels[name].case)))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_two_derivatives_agree_with_the_reference_on_many_arrays(name, kernels, data):
    run(kernels, name, data.draw(arguments(kernels[name].case)))


@pytest.mark.parametrize("name", CASES)
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
    run(kernels, name, tuple(args))
    assert refused == []
