"""`pb.random`: derivatives of samples to second order, distributions, and what is refused."""

import numpy as np
import pytest
from scipy import special, stats

import pullback as pb

A, B = np.array([0.6, 2.5]), np.array([1.5, 0.8])
COV = np.array([[2.0, 0.3], [0.3, 1.0]])
# Of each: a sample for a state of the generator, by parameters.
SAMPLES = {
    "uniform": (lambda rng, a, b: pb.random.uniform(rng, a, a + b), (A, B)),
    "normal": (pb.random.normal, (A, B)),
    "lognormal": (pb.random.lognormal, (A, B)),
    "multivariate_normal": (pb.random.multivariate_normal, (A, COV)),
    "exponential": (pb.random.exponential, (A,)),
    "laplace": (pb.random.laplace, (A, B)),
    "logistic": (pb.random.logistic, (A, B)),
    "gumbel": (pb.random.gumbel, (A, B)),
    "cauchy": (pb.random.cauchy, (A, B)),
    "rayleigh": (pb.random.rayleigh, (A,)),
    "weibull": (pb.random.weibull, (A,)),
    "pareto": (pb.random.pareto, (A,)),
    "power": (pb.random.power, (A,)),
    "gumbel_softmax": (pb.random.gumbel_softmax, (A, np.array(0.7))),
}
# Of which samples of other parameters are no function of the same noise: by scipy.stats.
IMPLICIT = {
    "gamma": (pb.random.gamma, (A, B), lambda a, b: stats.gamma(a, scale=b)),
    "chisquare": (pb.random.chisquare, (A,), stats.chi2),
    "beta": (pb.random.beta, (A, B), stats.beta),
    "standard_t": (pb.random.standard_t, (B,), stats.t),
    "f": (pb.random.f, (A, B), stats.f),
}


def test_every_name_is_here():
    assert {*SAMPLES, *IMPLICIT, "dirichlet"} == {*pb.random.__all__}


@pytest.mark.parametrize("name", SAMPLES)
def test_derivatives_to_second_order_are_finite_differences(engine, name):
    function, parameters = SAMPLES[name]
    assert pb.gradcheck(lambda *given: function(np.random.default_rng(4), *given), parameters, order=2)


@pytest.mark.parametrize("u", [1e-3, 0.2, 0.7, 0.999])
def test_derivatives_of_a_gamma_sample_are_those_of_its_quantile(engine, u, monkeypatch):
    """To second order, against differences of the quantile function at the same probability."""
    a = np.array([0.3, 1.0, 4.5, 60.0])

    class Quantile(np.random.Generator):
        def standard_gamma(self, shape, size=None, dtype=float, out=None):
            return special.gammaincinv(shape, u)

    rng = Quantile(np.random.PCG64(0))
    h = 1e-3 * a
    points = [special.gammaincinv(a + k * h, u) for k in range(-3, 4)]
    first = (points[6] - 9 * points[5] + 45 * points[4] - 45 * points[2] + 9 * points[1] - points[0]) / (
        60 * h
    )
    second = (2 * points[6] - 27 * points[5] + 270 * points[4] - 490 * points[3] + 270 * points[2]
              - 27 * points[1] + 2 * points[0]) / (180 * h * h)  # fmt: skip
    tensor = pb.tensor(a, requires_grad=True)
    z = pb.random.gamma(rng, tensor)
    (slope,) = pb.grad(z.sum(), tensor, create_graph=True)
    np.testing.assert_allclose(slope.detach().numpy(), first, rtol=1e-8)
    (curvature,) = pb.grad(slope.sum(), tensor)
    np.testing.assert_allclose(curvature.numpy(), second, rtol=1e-4, atol=1e-6 * np.abs(second).max())


@pytest.mark.parametrize("name", IMPLICIT)
def test_samples_are_of_the_distribution(name):
    function, parameters, distribution = IMPLICIT[name]
    first = [float(x[1]) for x in parameters]
    found = function(np.random.default_rng(7), *first, size=4000)
    assert stats.kstest(found, distribution(*first).cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", IMPLICIT)
def test_the_gradient_of_a_mean_is_that_of_the_expectation(name):
    """Of a bounded function, by differences of its expectation."""
    function, parameters, distribution = IMPLICIT[name]
    first = [float(x[1]) for x in parameters]

    def mean(*given):
        x = function(np.random.default_rng(3), *given, size=20000)
        return np.mean(np.tanh(x))

    found = pb.func.grad(mean, tuple(range(len(first))))(*first)
    for i, value in enumerate(found):
        h = 1e-3
        around = [[x + h * s * (i == j) for j, x in enumerate(first)] for s in (1, -1)]
        plus, minus = (distribution(*x).expect(np.tanh) for x in around)
        assert value == pytest.approx((plus - minus) / (2 * h), abs=0.01)


def test_dirichlet_samples_sum_to_1_and_have_gradients():
    alpha = pb.tensor([0.5, 2.0, 3.0], requires_grad=True)
    x = pb.random.dirichlet(np.random.default_rng(0), alpha, 5)
    np.testing.assert_allclose(x.detach().numpy().sum(axis=1), 1)
    (g,) = pb.grad((x * np.array([1.0, 2.0, 4.0])).sum(), alpha)
    assert np.all(np.isfinite(g.numpy()))
    assert np.any(g.numpy())


def test_float32_stays_and_arrays_give_arrays():
    rng = np.random.default_rng(0)
    assert pb.random.normal(rng, np.float32(1.0), np.float32(2.0), 3).dtype == np.float32
    a = pb.tensor(np.ones(3, np.float32), requires_grad=True)
    z = pb.random.gamma(rng, a, np.float32(2.0))
    assert z.dtype == np.float32
    assert pb.grad(z.sum(), a)[0].dtype == np.float32
    assert isinstance(pb.random.gamma(rng, np.ones(3)), np.ndarray)


def test_a_sample_of_0_has_no_gradient():
    a = pb.tensor(np.full(50, 1e-3), requires_grad=True)
    z = pb.random.gamma(np.random.default_rng(0), a)
    assert np.any(z.detach().numpy() == 0)
    (g,) = pb.grad(z.sum(), a)
    assert np.all(np.isfinite(g.numpy()))
    assert np.all(g.numpy()[z.detach().numpy() == 0] == 0)


def test_hard_samples_are_one_hot_with_the_soft_derivative():
    logits = pb.tensor(A, requires_grad=True)
    hard, soft = (
        pb.random.gumbel_softmax(np.random.default_rng(1), logits, 0.5, hard=hard) for hard in (True, False)
    )
    assert sorted(hard.detach().numpy().round(12)) == [0, 1]
    gradients = [pb.grad((y * B).sum(), logits)[0].numpy() for y in (hard, soft)]
    np.testing.assert_array_equal(*gradients)


RNG = np.random.default_rng(0)
REFUSED = [
    (lambda: pb.random.normal(0, 1.0, 2.0), TypeError, "draws from a numpy.random.Generator"),
    (lambda: pb.random.normal(RNG, 0.0, -1.0), ValueError, "normal: scale is above 0"),
    (lambda: pb.random.normal(RNG, np.zeros(3), 1.0, size=2), ValueError, r"shape \(3,\) are not broadcast"),
    (lambda: pb.random.normal(RNG, 1j), TypeError, "is of floats"),
    (lambda: pb.random.uniform(RNG, 1.0, 1.0), ValueError, "range is above 0"),
    (lambda: pb.random.gamma(RNG, 0.0), ValueError, "shape is above 0"),
    (lambda: pb.random.gamma(RNG, 2e4), ValueError, "at most 10000"),
    (lambda: pb.random.dirichlet(RNG, 1.0), ValueError, "not a number"),
    (lambda: pb.random.multivariate_normal(RNG, A, A), ValueError, r"cov \(n, n\)"),
    (lambda: pb.random.gumbel_softmax(RNG, A, 0.0), ValueError, "tau is above 0"),
]


@pytest.mark.parametrize("k", range(len(REFUSED)))
def test_a_mistake_is_named(k):
    call, error, message = REFUSED[k]
    with pytest.raises(error, match=message):
        call()
