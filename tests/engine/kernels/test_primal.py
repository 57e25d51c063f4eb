"""Calls of compiled loops that are not recorded: a kernel that saves nothing for a derivative."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler

A = np.random.default_rng(0).uniform(0.1, 1.0, (5, 5))


def rank(a, d=0.85, tol=1e-10, most: int = 100):
    m = a / a.sum(axis=0)
    r = np.ones(a.shape[0]) / a.shape[0]
    for _ in range(most):
        new = d * m @ r + (1 - d) / a.shape[0]
        if np.abs(new - r).sum() < tol:
            return new
        r = new
    return r


def grown(x, most: int = 3):
    for _ in range(most):
        x = x * x
        if np.sum(x) > 100.0:
            raise ValueError("it grows")
    return x


def product(x, y):
    return np.exp(x) * y


def test_arrays_and_tensors_have_kernels_of_their_own_whichever_comes_first(engine):
    compiled = pb.compile(rank, order=1)
    x = pb.tensor(A, requires_grad=True)
    weights = np.arange(5.0)
    want = pb.grad((pb.derive_pullback(rank)(x) * weights).sum(), x)[0].numpy()
    np.testing.assert_allclose(compiled(A), rank(A), rtol=1e-14)
    for _ in range(3):
        np.testing.assert_allclose(pb.grad((compiled(x) * weights).sum(), x)[0].numpy(), want, rtol=1e-12)
        got = compiled(A)
        assert type(got) is np.ndarray
        np.testing.assert_allclose(got, rank(A), rtol=1e-14)


def test_it_has_no_output_besides_the_results():
    compiled = pb.compile(rank, order=1)
    compiled(A)
    assert not compiled._operators
    (operator,) = compiled._primal._operators.values()
    kernel = operator.kernel.kernel
    assert [len(kernel.outputs), len(kernel.plain_results)] == [1, 0]


def test_a_formula_without_loops_has_one_kernel():
    assert pb.compile(product, order=1)._primal is None


@pytest.mark.parametrize("most", [1, 4])
def test_attributes_decide_as_in_a_recorded_call(most):
    compiled = pb.compile(rank, order=1)
    np.testing.assert_allclose(compiled(A, most=most), rank(A, most=most), rtol=1e-14)
    np.testing.assert_allclose(compiled(pb.tensor(A), most=most).numpy(), rank(A, most=most), rtol=1e-14)


def test_dtypes_and_errors_are_those_of_the_function():
    compiled = pb.compile(grown, order=1)
    for x in (np.full(2, 1.5, np.float32), np.full(2, 1.5), np.array([1, 2]), np.full(2, 0.5 + 0.5j)):
        got, want = compiled(x, most=2), grown(x, most=2)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want)
    for x in (np.full(2, 9.0), pb.tensor(np.full(2, 9.0))):
        with pytest.raises(ValueError, match="it grows"):
            compiled(x)
