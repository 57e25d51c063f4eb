"""Formulas as people write them: attributes, lists, options, branches, several results, no closure at all."""

import numpy as np
import pytest
from scipy import special

import pullback as pb
from pullback import primitives

X = np.array([0.3, -0.7, 1.2])


@pb.formula
def scaled(x, *, by: float = 2.0):
    t = np.sin(x)
    r = t * t * by

    def scaled_pullback(grad):
        return 2 * by * grad * t * np.cos(x)

    return r, scaled_pullback


def test_attributes_by_name_position_and_default(engine):
    x = pb.tensor(X, requires_grad=True)
    for result, by in ((scaled(x), 2.0), (scaled(x, by=3.0), 3.0), (scaled(x, 4.0), 4.0)):
        np.testing.assert_allclose(result.detach().numpy(), by * np.sin(X) ** 2)
    assert pb.gradcheck(lambda x: scaled(x, by=3.0), X, order=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'to'"):
        scaled(x, to=3.0)
    with pytest.raises(TypeError, match="missing required argument 'x'"):
        scaled(by=3.0)


@pb.formula
def leaky(x, slope: float = 0.1, reduction: str = "mean"):
    t = np.where(x > 0, x, slope * x)
    r = t * t
    if reduction == "mean":
        r = np.mean(r)

    def leaky_pullback(grad):
        each = grad / x.size if reduction == "mean" else grad
        return 2 * each * t * np.where(x > 0, 1, slope)

    return r, leaky_pullback


@pytest.mark.parametrize("function", [leaky, pytest.param(pb.compile, marks=pytest.mark.compiler)])
def test_values_before_the_star_are_attributes(engine, function):
    run = leaky if function is leaky else function(leaky)
    x = pb.tensor(X, requires_grad=True)
    t = np.where(X > 0, X, 0.5 * X)
    np.testing.assert_allclose(run(x, 0.5, "none").detach().numpy(), t * t)
    np.testing.assert_allclose(run(x, reduction="mean", slope=0.5).item(), np.mean(t * t))
    assert pb.gradcheck(lambda x: run(x, 0.5), X, order=3)


def test_arrays_in_arrays_out(engine):
    assert type(scaled(X)) is np.ndarray
    assert isinstance(scaled(pb.tensor(X)), pb.Tensor)


@pb.formula
def joined(xs: list[pb.Tensor], y):
    t = np.concatenate(xs)
    r = t * t * y

    def joined_pullback(grad):
        g = 2 * grad * t * y
        return primitives.split_like(g, primitives.like(xs)), np.sum(grad * t * t)

    return r, joined_pullback


def test_a_list_of_tensors(engine):
    assert pb.gradcheck(lambda a, b, y: joined([a, b], y), X, X[:2] * 2, np.array(0.7), order=3)
    assert pb.gradcheck(lambda b: joined([X, b], 2.0), X[:1], order=2)


@pb.formula
def shifted(x, bias: pb.Tensor | None = None):
    t = np.exp(x)
    r = t * x if bias is None else t * x + bias

    def shifted_pullback(grad):
        return grad * t * (1 + x), grad

    return r, shifted_pullback


def test_an_optional_tensor(engine):
    assert pb.gradcheck(shifted, X, order=2)
    assert pb.gradcheck(shifted, X, np.array(0.4), order=2)


@pb.formula(nondifferentiable=(1,))
def peak(x):
    value = np.max(x)
    where = np.argmax(x)
    mask = x == value

    def peak_pullback(grad, _):
        return grad * mask

    return (value, where), peak_pullback


def test_a_result_without_gradient(engine):
    x = pb.tensor(X, requires_grad=True)
    value, where = peak(x)
    assert value.requires_grad
    assert not where.requires_grad
    assert where.item() == 2
    assert pb.grad(value, x)[0].tolist() == [0.0, 0.0, 1.0]


@pb.formula
def branching(x, *, squared: bool = True):
    if squared:
        t = x * x
        r = np.sin(t)
    else:
        t = np.exp(x)
        r = t

    def branching_pullback(grad):
        return grad * np.cos(t) * 2 * x if squared else grad * t

    return r, branching_pullback


@pytest.mark.parametrize("squared", [True, False])
def test_an_intermediate_of_a_branch(engine, squared):
    assert pb.gradcheck(lambda x: branching(x, squared=squared), X, order=3)


def area(r):
    return np.pi * r * r * np.exp(-r)


def test_a_function_without_closure_is_given_one(engine):
    assert pb.gradcheck(pb.derive_pullback(area), np.array([0.5, 1.5]), order=3)


@pb.composite(np.ptp)
def ptp(a, axis=None):
    return np.max(a, axis=axis) - np.min(a, axis=axis)


def test_a_composite_stands_for_a_function_of_numpy(engine):
    x = pb.tensor(X, requires_grad=True)
    assert pb.grad(np.ptp(x), x)[0].tolist() == [0.0, -1.0, 1.0]
    assert np.ptp(X) == pytest.approx(1.9)


cospi = special._ufuncs._cospi  # of the ufuncs that SciPy hands out each has a formula or a reason


@pb.formula(cospi)
def cosine_of_half_turns(x):
    r = cospi(x)

    def cosine_of_half_turns_pullback(grad):
        return -grad * np.sin(x * np.pi) * np.pi

    return r, cosine_of_half_turns_pullback


def test_a_formula_for_a_function_outside_the_vocabulary(engine):
    x = pb.tensor(0.5, requires_grad=True)
    y = cospi(x)
    assert y.item() == pytest.approx(0)
    assert pb.grad(y, x)[0].item() == pytest.approx(-np.pi)
    assert pb.gradcheck(cospi, np.array([0.5, 2.2]), order=2)
    assert pb.formulas()[cospi] is cosine_of_half_turns


def test_a_formula_tells_its_captures(engine):
    assert {(c.name, c.action) for c in scaled.captures} >= {("x", "saved"), ("t", "promoted")}
    assert "scaled" in repr(scaled)
    assert "def " in scaled.source("python")
