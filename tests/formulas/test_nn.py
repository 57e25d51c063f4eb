"""Activations where they are nearly flat or nearly straight: no overflow, no NaN, right limits."""

import numpy as np
import pytest

import pullback as pb

FAR = np.array([-1000.0, -40.0, 0.0, 40.0, 1000.0])


def value_and_slopes(function, at):
    """The value, the first and the second derivative of a pointwise function."""
    x = pb.tensor(at, requires_grad=True)
    y = function(x)
    (first,) = pb.grad(y.sum(), [x], create_graph=True)
    second = pb.grad(first.sum(), [x])[0] if first.requires_grad else pb.tensor(np.zeros_like(at))
    return [v.detach().numpy() for v in (y, first, second)]


@pytest.mark.parametrize(
    ("function", "value", "first", "second"),
    [
        ("sigmoid", [0, 4.248354255291589e-18, 0.5, 1, 1], [0, 4.248354255291589e-18, 0.25, 0, 0], 0),
        (
            "softplus",
            [0, 4.248354255291589e-18, np.log(2), 40, 1000],
            [0, 4.248354255291589e-18, 0.5, 1, 1],
            0.25,
        ),
        ("relu", [0, 0, 0, 40, 1000], [0, 0, 0, 1, 1], 0),
        ("gelu", [0, 0, 0, 40, 1000], [0, 0, 0.5, 1, 1], np.sqrt(2 / np.pi)),
    ],
)
def test_far_out_and_at_zero(engine, function, value, first, second):
    with np.errstate(over="raise", invalid="raise"):
        found = value_and_slopes(getattr(pb, function), FAR)
    np.testing.assert_allclose(found[0], value, rtol=1e-12, atol=1e-30)
    np.testing.assert_allclose(found[1], first, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found[2], [0, 0, second, 0, 0], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_large_entries_do_not_overflow(engine, name):
    formula = pb.formulas()[name]
    with np.errstate(over="raise", invalid="raise"):
        x = pb.tensor([[1000.0, 999.0, -1000.0], [0.0, 0.0, 0.0]], requires_grad=True)
        (gradient,) = pb.grad((formula(x, axis=-1) ** 2).sum(), [x], create_graph=True)
        (second,) = pb.grad(gradient.sum(), [x])
    assert np.isfinite(gradient.detach().numpy()).all()
    assert np.isfinite(second.detach().numpy()).all()


def test_logsumexp_ignores_a_masked_entry(engine):
    x = pb.tensor([0.0, -np.inf, 1.0], requires_grad=True)
    y = pb.formulas()["logsumexp"](x)
    (gradient,) = pb.grad(y, [x])
    assert y.item() == pytest.approx(np.log1p(np.e))
    np.testing.assert_allclose(gradient.detach().numpy(), [1 / (1 + np.e), 0, np.e / (1 + np.e)])


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_softmax_along_axes(engine, axis):
    a = np.random.default_rng(3).standard_normal((2, 3))
    for name in ("softmax", "log_softmax", "logsumexp"):
        formula = pb.formulas()[name]
        assert pb.gradcheck(lambda x, f=formula: f(x, axis=axis), a, order=3)
