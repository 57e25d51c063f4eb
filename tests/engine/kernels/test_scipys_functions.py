"""SciPy's functions of several arguments in kernels, and families of them: the reference engine's results."""

import numpy as np
import pytest
from scipy import special

import pullback as pb
from pullback import primitives

pytestmark = pytest.mark.compiler

VALUES = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0, -1.0, 2.0, -3.0, 0.5, -0.25, 1.5, 5.25, 20.0, 1e-8])


def of_one(x):
    return (
        special.ellipk(x), special.ellipe(x), special.ellipkm1(x), special.exprel(x), special.sindg(x),
        special.cosdg(x), special.tandg(x), special.cotdg(x), special.spence(x), special.wrightomega(x),
        special.ndtri_exp(x), primitives.elliptic_integral(x, kind="B"),
        primitives.elliptic_integral(x, kind="D"), *special.sici(x), *special.shichi(x), *special.fresnel(x),
        *special.airy(x),
    )  # fmt: skip


def of_two(x, y):
    return (
        special.yv(x, y), special.kv(x, y), special.ive(x, y), special.kve(x, y), special.gammainc(x, y),
        special.gammaincc(x, y), special.gammaincinv(x, y), special.gammainccinv(x, y), special.hyp0f1(x, y),
        special.ellipkinc(x, y), special.ellipeinc(x, y), special.owens_t(x, y), special.struve(x, y),
        special.modstruve(x, y), special.boxcox(x, y), special.boxcox1p(x, y), special.inv_boxcox(x, y),
        special.tklmbda(x, y), special.inv_boxcox1p(x, y), special.powm1(x, y), special.stdtr(x, y),
        special.stdtrit(x, y), special.poch(x, y), special.binom(x, y), special.agm(x, y),
        primitives.gamma_density(x, y), *special.ellipj(x, y),
    )  # fmt: skip


def of_degree(x, *, n):
    return (
        special.eval_legendre(n, x), special.eval_chebyt(n, x), special.eval_chebyu(n, x),
        special.eval_laguerre(n, x), special.eval_hermite(n, x), special.eval_hermitenorm(n, x),
        special.eval_gegenbauer(n, 1.5, x), special.eval_genlaguerre(n, 0.5, x),
        special.eval_jacobi(n, 0.5, 1.5, x), special.expn(n, x),
    )  # fmt: skip


def of_real_degree(n, x):
    return (
        special.eval_legendre(n, x), special.eval_chebyt(n, x), special.eval_chebyu(n, x),
        special.eval_laguerre(n, x), special.eval_gegenbauer(n, 1.5, x),
        special.eval_genlaguerre(n, 0.5, x), special.eval_jacobi(n, 0.5, 1.5, x),
    )  # fmt: skip


def of_more(x, y, z):
    return (
        special.betainc(x, y, z), special.betaincc(x, y, z), special.betaincinv(x, y, z),
        special.betainccinv(x, y, z), special.hyp1f1(x, y, z), special.hyperu(x, y, z),
        special.hyp2f1(x, y, 2.5, z), primitives.beta_density(x, y, z),
    )  # fmt: skip


def agree(function, arrays, rtol, **attributes):
    with np.errstate(all="ignore"), pb.use_engine("native"):
        expected = function(*arrays, **attributes)
        found = pb.compile(function, order=0)(*arrays, **attributes)
    for position, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert one.dtype == np.asarray(other).dtype, position
        np.testing.assert_allclose(one, other, rtol, 1e-300, err_msg=str(position))


def grid(*values):
    return [side.ravel().copy() for side in np.meshgrid(*values)]


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-13), (np.float32, 2e-5)])
def test_functions_of_one_number(dtype, rtol):
    if dtype == np.float64:
        agree(of_one, [np.concatenate([VALUES, np.linspace(-4, 4, 41)])], rtol)
    else:
        agree(of_one, [np.linspace(0.05, 0.95, 19).astype(dtype)], rtol)


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-13), (np.float32, 1e-4)])
def test_functions_of_two_numbers(dtype, rtol):
    values = VALUES if dtype == np.float64 else np.linspace(0.5, 0.95, 6).astype(dtype)
    agree(of_two, grid(values, values), rtol)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_functions_of_a_whole_degree(n, dtype):
    agree(of_degree, [np.concatenate([[np.nan, 0.0], np.linspace(-1, 3, 17)]).astype(dtype)], 1e-15, n=n)


def test_functions_of_a_real_degree():
    agree(of_real_degree, grid([0.5, -0.5, 2.5, 3.0], np.linspace(-0.9, 0.9, 8)), 1e-11)


def test_functions_of_three_numbers():
    agree(of_more, grid(VALUES[3:], VALUES[3:], np.linspace(0.05, 0.95, 4)), 1e-13)


def incomplete(x):
    return special.gammainc(2, x) * special.betainc(2.0, 3.0, np.exp(-x)) + special.struve(1, x)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_two_derivatives(engine):
    x = pb.tensor([0.3, 1.2, 2.5], requires_grad=True)
    with pb.use_engine(engine):
        pb.gradcheck(pb.compile(incomplete, order=2), x, order=2)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_number_beside_float32_widens_as_in_scipy(engine):
    x = np.array([0.3, 1.2], np.float32)
    with pb.use_engine(engine):
        for function in (special.gammainc, special.eval_legendre, special.expn, special.struve):
            found = pb.numpy.asarray(getattr(pb.special, function.__name__)(2, pb.tensor(x))).numpy()
            assert found.dtype == np.float64
            np.testing.assert_allclose(found, function(2, x), rtol=1e-6)
