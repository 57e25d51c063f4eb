"""Floats that are cast to a dtype which the call decides: no gradient comes back through integers."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

X = np.array([1.7, 2.2, 3.1])
WHOLE = {
    "int64": np.array([3, 4, 5]),
    "uint8": np.array([3, 4, 5], dtype=np.uint8),
    "bool": np.array([True, False, True]),
}
FLOATS = {"float64": np.array([3.5, 4.5, 5.5]), "float32": np.array([3.5, 4.5, 5.5], dtype=np.float32)}


def written(x, a):
    v = a.copy()
    v[0] = x[0] * 3.0
    return v * x * 2.0


def written_in_a_loop(x, a):
    v = a.copy()
    for i in range(len(x)):
        v[i] = x[i] * 3.0
        v[i] = v[i] * 2 + x[i]
    return v * x


def written_in_a_branch(x, a):
    v = np.zeros_like(a)
    if x[0] > 0.5:
        v[1:] = x[1:] * 2.0
    else:
        v[0] = x[0]
    return v * x


def cast(x, a):
    w = x.astype(a.dtype)
    return w * x + w


def only_its_dtype(x, a):
    return x + np.zeros(3, dtype=a.dtype)


FUNCTIONS = [written, written_in_a_loop, written_in_a_branch, cast, only_its_dtype]


@pytest.fixture(params=["derived", pytest.param("compiled", marks=pytest.mark.compiler)])
def way(request):
    return pb.derive_pullback if request.param == "derived" else pb.compile


def derivatives(function, a):
    """The value, the gradient of its half square by x, and that of half the gradient's square."""
    x = pb.tensor(X, requires_grad=True)
    value = function(x, a)
    (first,) = pb.grad((value * value).sum() * 0.5, x, create_graph=True)
    (second,) = pb.grad((first * first).sum() * 0.5, x)
    return [part.detach().numpy() for part in (value, first, second)]


@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize("function", sampled(FUNCTIONS, 2))
def test_what_integers_hold_is_constant(engine, way, function, dtype):
    a = WHOLE[dtype]
    near = [function(X + step, a) for step in (-1e-3, 0.0, 1e-3)]  # NumPy's: linear in x here
    slope = (near[2] - near[0]) / 2e-3
    expected = [near[1], near[1] * slope, near[1] * slope**3]
    for found, wanted in zip(derivatives(way(function), a), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
    np.testing.assert_array_equal(way(function)(X, a), near[1])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("function", sampled(FUNCTIONS, 2))
def test_what_floats_hold_is_not(engine, way, function, dtype):
    a = FLOATS[dtype]
    assert way(function)(X, a).dtype == function(X, a).dtype
    by_float = pb.gradcheck(way(function), X, FLOATS["float64"], order=2)
    assert by_float
    found, wanted = (derivatives(way(function), given) for given in (a, a.astype(np.float64)))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5)
