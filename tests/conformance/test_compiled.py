"""`pb.compile` under both engines: the same results as the formula, to every order."""

import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels import find_compiler

from .formulas import simple

pytestmark = pytest.mark.compiler

RNG = np.random.default_rng(0)
A, B = RNG.uniform(0.5, 1.5, (3, 1)), RNG.uniform(0.5, 1.5, (4,))


@pb.formula
def two_results(x, y):
    t = np.exp(x * y)
    first = np.tanh(t)
    second = np.sum(t * x)

    def two_results_pullback(grad_first, grad_second):
        g = grad_first * (1 - first * first) + grad_second * x
        return g * t * y + grad_second * t, g * t * x

    return (first, second), two_results_pullback


@pytest.fixture(params=[simple, two_results], ids=["simple", "two_results"])
def formula(request):
    try:
        find_compiler()
    except pb.errors.CompilerError:
        pytest.skip("no C++ compiler")
    return request.param


def test_derivatives_of_three_orders(engine, formula):
    compiled = pb.compile(formula, order=2)
    assert pb.gradcheck(compiled, A, B, order=3)


def several(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_and_gradients_are_the_formulas(engine, formula, dtype):
    compiled = pb.compile(formula)
    found = []
    for f in (compiled, formula):
        a, b = (pb.tensor(value.astype(dtype), requires_grad=True) for value in (A, B))
        results = several(f(a, b))
        total = sum((r * r).sum() for r in results)
        da, db = pb.grad(total, [a, b], create_graph=True)
        dda, ddb = pb.grad((da.sum() * db).sum(), [a, b])
        found.append([value.detach().numpy() for value in (*results, da, db, dda, ddb)])
    for compiled_value, value in zip(*found, strict=True):
        assert compiled_value.dtype == value.dtype == dtype
        tolerance = 1e-4 if dtype == np.float32 else 1e-12
        np.testing.assert_allclose(compiled_value, value, rtol=tolerance, atol=tolerance)


def test_arrays_in_arrays_out(engine, formula):
    for compiled_value, value in zip(several(pb.compile(formula)(A, B)), several(formula(A, B)), strict=True):
        assert not isinstance(compiled_value, pb.Tensor)
        np.testing.assert_allclose(compiled_value, value)


@pb.formula
def squares_joined(parts: list[pb.Tensor]):
    r = np.concatenate(parts, axis=0)
    return r * r, lambda grad: pb.primitives.split_like(2 * grad * r, pb.primitives.like(parts), 0)


def test_tangents_of_a_list_whose_arrays_differ_in_shape(engine):
    """Each has a shape of its own: that of one would broadcast or add up the other's tangent."""
    parts = [A[:1], A[1:]]
    tangents = [np.ones((1, 1)), np.array([[2.0], [3.0]])]
    with pb.forward_ad.dual_level():
        pairs = zip(parts, tangents, strict=True)
        duals = [pb.forward_ad.make_dual(pb.tensor(part), tangent) for part, tangent in pairs]
        found = pb.forward_ad.unpack_dual(pb.compile(squares_joined)(duals)).tangent
    np.testing.assert_allclose(found.numpy(), 2 * A * np.concatenate(tangents))


def test_results_that_are_constant_between_their_jumps_have_no_gradient(engine):
    def parts(x, y):
        return x // y, x % y

    x, y = pb.tensor([1.5, 4.0], requires_grad=True), pb.tensor([1.0, 3.0], requires_grad=True)
    for call in (pb.compile(parts), pb.derive_pullback(parts)):
        quotient, rest = call(x, y)
        assert (quotient.requires_grad, rest.requires_grad) == (False, True)
        assert pb.grad(rest.sum(), y)[0].tolist() == [-1.0, -1.0]


def test_interpolation_is_in_float64_as_numpys(engine):
    def between(x, xp, fp):
        return np.interp(x, xp, fp)

    x, points = np.float32([0.1, 0.7]), np.float32([0.0, 0.3, 1.0])
    found = pb.compile(between)(pb.tensor(x, requires_grad=True), points, points**2)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.detach().numpy(), np.interp(x, points, points**2), rtol=1e-15)
