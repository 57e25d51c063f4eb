"""Arguments that have a derivative though they look like options: each has its gradient."""

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

V = np.array([0.3, 1.7, 2.9, 0.9])
BINS = np.array([0.0, 1.0, 3.0])

FUNCTIONS = {
    "quantile": (lambda q: np.quantile(pb.tensor(V), q), 0.3),
    "quantile of an array": (lambda q: pnp.quantile(V, q), 0.3),
    "quantiles": (lambda q: np.quantile(pb.tensor(V.reshape(2, 2)), q, axis=1), np.array([0.3, 0.8])),
    "percentile": (lambda q: np.percentile(pb.tensor(V), q), 30.0),
    "nanquantile": (lambda q: np.nanquantile(pb.tensor([*V, np.nan]), q), 0.7),
    "nanpercentile": (lambda q: np.nanpercentile(pb.tensor([*V, np.nan]), q), 70.0),
    "both of a quantile": (lambda x: np.quantile(x, x[1] / 4), V),
    "histogram's weights": (lambda w: np.histogram(V, 3, weights=w)[0] ** 2, V + 1),
    "histogram's weights in a range": (lambda w: np.histogram(V, 3, (0.5, 2.0), weights=w)[0], V),
    "histogram's density": (lambda w: np.histogram(V, 3, weights=w, density=True)[0], V),
    "histogram's edges": (lambda x: np.histogram(x, 3)[1] ** 2, V),
    "histogram's density by its entries": (lambda x: np.histogram(x, 3, density=True)[0], V),
    "histogram's density by its bins": (
        lambda b: np.histogram(V, b, density=True)[0],
        BINS,
    ),
    "histogram_bin_edges": (lambda x: np.histogram_bin_edges(x, 3) ** 2, V),
    "histogram_bin_edges of a range": (lambda r: np.histogram_bin_edges(V, 3, (r[0], r[1])), V[:2]),
    "histogram2d's weights": (lambda w: np.histogram2d(V, V[::-1], 2, weights=w)[0] ** 2, V),
    "histogram2d's edges": (lambda x: np.histogram2d(x, V, [2, 3], density=True)[0], V),
    "histogramdd's weights": (lambda w: np.histogramdd([V, V, V], 2, weights=w)[0] ** 2, V),
    "histogramdd's edges": (lambda x: np.histogramdd(np.stack([x, x * x], 1), 2)[1][1], V),
    "lstsq's singular values": (
        lambda a: np.linalg.lstsq(np.outer(a, a) + np.diag(V), V, None)[3] ** 2,
        V,
    ),
    "heaviside at zero": (lambda h: np.heaviside(0.0, h) ** 2, 0.5),
    "heaviside": (lambda h: np.heaviside(np.array([0.0, 1.0, -1.0, 0.0]), h) * h, V),
    "arange from": (lambda a: pnp.arange(a, 3.0), 0.5),
    "arange by": (lambda a: pnp.arange(0.0, 3.1, a) ** 2, 0.5),
    "arange, by name": (lambda a: pnp.arange(start=a, stop=3.0, step=2 * a), 0.5),
    "nextafter": (lambda x: np.nextafter(x, 10.0) ** 2, V),
    "full_like": (lambda x: pnp.full_like(pb.tensor(V), x) ** 2, 2.0),
    "full_like, by name": (lambda x: pnp.full_like(V, fill_value=x) ** 2, 2.0),
    "full": (lambda x: pnp.full((2, 2), x) ** 2, 2.0),
}


@pytest.mark.parametrize(("function", "point"), FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_a_gradient_is_there(engine, function, point):
    assert pb.gradcheck(function, point, order=2)
    x = pb.tensor(point, requires_grad=True)
    gradient = pb.grad(function(x).sum(), x)[0]
    assert np.any(gradient.numpy() != 0)
    with pb.forward_ad.dual_level():
        dual = pb.forward_ad.make_dual(pb.tensor(point), np.ones_like(point))
        tangent = pb.forward_ad.unpack_dual(function(dual).sum()).tangent
    np.testing.assert_allclose(tangent.item(), gradient.numpy().sum(), rtol=1e-9, atol=1e-12)


def test_a_tangent_goes_through_the_transforms(engine):
    with pb.forward_ad.dual_level():
        x = pb.forward_ad.make_dual(pb.tensor(2.0), pb.tensor(1.0))
        value, product = pb.vjp(lambda y: y * y * x, pb.tensor(3.0))
        assert [pb.forward_ad.unpack_dual(t).tangent.item() for t in (value, product)] == [9.0, 6.0]
        value, product = pb.vjp(lambda y: y * y * y, x)
        assert [pb.forward_ad.unpack_dual(t).tangent.item() for t in (value, product)] == [12.0, 12.0]
        matrix = pb.hessian(lambda y: y * y * y * x, pb.tensor(3.0))
        assert pb.forward_ad.unpack_dual(matrix).tangent.item() == 18.0


def test_arrays_take_no_tangent_along(engine):
    with pb.forward_ad.dual_level():
        x = pb.forward_ad.make_dual(pb.tensor(2.0), pb.tensor(1.0))
        for call in (lambda: pb.value_and_grad(lambda y: y * x)(3.0), lambda: pb.value_and_grad(np.sin)(x)):
            with pytest.raises(pb.errors.NotDifferentiableError, match="tangent"):
                call()


ZERO_DEVIATION = {
    "std where": (lambda x: np.std(x, where=np.array([True, False, False])), [1.0, 2.0, 3.0]),
    "std of equal entries": (lambda x: np.std(x, where=np.array([True, True, False])), [2.0, 2.0, 3.0]),
    "std": (np.std, [2.0, 2.0]),
    "nanstd": (np.nanstd, [2.0, np.nan, np.nan]),
    "nanstd of rows": (lambda x: np.nanstd(x, axis=1), [[2.0, np.nan], [3.0, 3.0]]),
}


@pytest.mark.parametrize(("function", "point"), ZERO_DEVIATION.values(), ids=list(ZERO_DEVIATION))
def test_a_deviation_of_zero_has_the_derivative_zero(engine, function, point):
    x = pb.tensor(point, requires_grad=True)
    slope = pb.grad(function(x).sum(), x, create_graph=True)[0]
    assert not np.any(slope.detach().numpy())
    second = pb.grad((slope * 2.0).sum(), x, allow_unused=True, materialize_grads=True)[0]
    assert not np.any(second.numpy())
