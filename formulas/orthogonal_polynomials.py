"""Orthogonal polynomials, in their argument.

The derivative of each is one of the next parameters and the degree below, DLMF 18.9 (dlmf.nist.gov), so that
nothing is divided by at the ends of the interval. Derivatives in degree and parameters are refused.
"""

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_DEGREE = "a polynomial of another degree is another function"
_PARAMETER = "the derivative in a parameter has no closed form here"


@pb.formula(special.eval_legendre, complex=True)
def eval_legendre(n, x):
    """P_n(x) = C_n^(1/2)(x), DLMF 18.7.9: d = C_(n-1)^(3/2)(x) dx, 18.9.19; P_(-n-1) = P_n, 14.9.5."""
    r = special.eval_legendre(n, x)

    def eval_legendre_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_legendre", why=_DEGREE)
        degree = np.where(n < -0.5, -1 - n, n)
        lower = np.where(degree == 0, 1, degree)  # a constant has the derivative 0
        slope = special.eval_gegenbauer(lower - 1, 1.5, x)
        return in_n, grad * np.where(degree == 0, 0, slope)

    return r, eval_legendre_pullback


@eval_legendre.sample_inputs
def _eval_legendre_inputs(rng):
    yield (3, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.formula(special.eval_chebyt, complex=True)
def eval_chebyt(n, x):
    """T_n(x): d = n U_(n-1)(x) dx. DLMF 18.9.21."""
    r = special.eval_chebyt(n, x)

    def eval_chebyt_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_chebyt", why=_DEGREE)
        lower = np.where(n == 0, 1, n)  # a constant has the derivative 0
        slope = n * special.eval_chebyu(lower - 1, x)
        return in_n, grad * np.where(n == 0, 0, slope)

    return r, eval_chebyt_pullback


@eval_chebyt.sample_inputs
def _eval_chebyt_inputs(rng):
    yield (3, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.formula(special.eval_chebyu, complex=True)
def eval_chebyu(n, x):
    """U_n(x) = C_n^(1)(x), DLMF 18.7.4: d = 2 C_(n-1)^(2)(x) dx, DLMF 18.9.19."""
    r = special.eval_chebyu(n, x)

    def eval_chebyu_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_chebyu", why=_DEGREE)
        lower = np.where(n == 0, 1, n)  # a constant has the derivative 0
        slope = 2 * special.eval_gegenbauer(lower - 1, 2.0, x)
        return in_n, grad * np.where(n == 0, 0, slope)

    return r, eval_chebyu_pullback


@eval_chebyu.sample_inputs
def _eval_chebyu_inputs(rng):
    yield (3, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.formula(special.eval_gegenbauer, complex=True)
def eval_gegenbauer(n, alpha, x):
    """C_n^(alpha)(x): d = 2 alpha C_(n-1)^(alpha+1)(x) dx. DLMF 18.9.19."""
    r = special.eval_gegenbauer(n, alpha, x)

    def eval_gegenbauer_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_gegenbauer", why=_DEGREE)
        in_alpha = primitives.refuse_gradient(
            grad, argument="`alpha` of scipy.special.eval_gegenbauer", why=_PARAMETER
        )
        lower = np.where(n == 0, 1, n)  # a constant has the derivative 0
        slope = 2 * alpha * special.eval_gegenbauer(lower - 1, alpha + 1, x)
        return in_n, in_alpha, grad * np.where(n == 0, 0, slope)

    return r, eval_gegenbauer_pullback


@eval_gegenbauer.sample_inputs
def _eval_gegenbauer_inputs(rng):
    yield (3, 2, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, 2, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.formula(special.eval_jacobi, complex=True)
def eval_jacobi(n, alpha, beta, x):
    """P_n^(alpha,beta)(x): d = (n + alpha + beta + 1) / 2 P_(n-1)^(alpha+1,beta+1)(x) dx. DLMF 18.9.15."""
    r = special.eval_jacobi(n, alpha, beta, x)

    def eval_jacobi_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_jacobi", why=_DEGREE)
        in_alpha = primitives.refuse_gradient(
            grad, argument="`alpha` of scipy.special.eval_jacobi", why=_PARAMETER
        )
        in_beta = primitives.refuse_gradient(
            grad, argument="`beta` of scipy.special.eval_jacobi", why=_PARAMETER
        )
        lower = np.where(n == 0, 1, n)  # a constant has the derivative 0
        slope = (n + alpha + beta + 1) / 2 * special.eval_jacobi(lower - 1, alpha + 1, beta + 1, x)
        return in_n, in_alpha, in_beta, grad * np.where(n == 0, 0, slope)

    return r, eval_jacobi_pullback


@eval_jacobi.sample_inputs
def _eval_jacobi_inputs(rng):
    yield (3, 2, 1, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, 2, 1, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.formula(special.eval_laguerre, complex=True)
def eval_laguerre(n, x):
    """L_n(x): d = -L_(n-1)^(1)(x) dx. DLMF 18.9.23."""
    r = special.eval_laguerre(n, x)

    def eval_laguerre_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_laguerre", why=_DEGREE)
        lower = np.where(n == 0, 1, n)  # a constant has the derivative 0
        slope = -special.eval_genlaguerre(lower - 1, 1.0, x)
        return in_n, grad * np.where(n == 0, 0, slope)

    return r, eval_laguerre_pullback


@eval_laguerre.sample_inputs
def _eval_laguerre_inputs(rng):
    yield (3, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.formula(special.eval_genlaguerre, complex=True)
def eval_genlaguerre(n, alpha, x):
    """L_n^(alpha)(x): d = -L_(n-1)^(alpha+1)(x) dx. DLMF 18.9.23."""
    r = special.eval_genlaguerre(n, alpha, x)

    def eval_genlaguerre_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_genlaguerre", why=_DEGREE)
        in_alpha = primitives.refuse_gradient(
            grad, argument="`alpha` of scipy.special.eval_genlaguerre", why=_PARAMETER
        )
        lower = np.where(n == 0, 1, n)  # a constant has the derivative 0
        slope = -special.eval_genlaguerre(lower - 1, alpha + 1, x)
        return in_n, in_alpha, grad * np.where(n == 0, 0, slope)

    return r, eval_genlaguerre_pullback


@eval_genlaguerre.sample_inputs
def _eval_genlaguerre_inputs(rng):
    yield (3, 2, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, 2, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.formula(special.eval_hermite)
def eval_hermite(n, x):
    """H_n(x): d = 2 n H_(n-1)(x) dx. DLMF 18.9.25."""
    r = special.eval_hermite(n, x)

    def eval_hermite_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_hermite", why=_DEGREE)
        lower = np.where(n == 0, 1, n)  # a constant has the derivative 0
        slope = 2 * n * special.eval_hermite(lower - 1, x)
        return in_n, grad * np.where(n == 0, 0, slope)

    return r, eval_hermite_pullback


@eval_hermite.sample_inputs
def _eval_hermite_inputs(rng):
    yield (3, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.formula(special.eval_hermitenorm)
def eval_hermitenorm(n, x):
    """He_n(x): d = n He_(n-1)(x) dx. DLMF 18.9.27."""
    r = special.eval_hermitenorm(n, x)

    def eval_hermitenorm_pullback(grad):
        in_n = primitives.refuse_gradient(grad, argument="`n` of scipy.special.eval_hermitenorm", why=_DEGREE)
        lower = np.where(n == 0, 1, n)  # a constant has the derivative 0
        slope = n * special.eval_hermitenorm(lower - 1, x)
        return in_n, grad * np.where(n == 0, 0, slope)

    return r, eval_hermitenorm_pullback


@eval_hermitenorm.sample_inputs
def _eval_hermitenorm_inputs(rng):
    yield (3, rng.uniform(-0.9, 0.9, (3, 4))), {}
    yield (0, rng.uniform(-0.9, 0.9, (3,))), {}


@pb.composite(special.eval_sh_legendre)
def eval_sh_legendre(n, x):
    """Legendre's polynomial, shifted to the interval from 0 to 1."""
    return special.eval_legendre(n, 2 * x - 1)


@pb.composite(special.eval_sh_chebyt)
def eval_sh_chebyt(n, x):
    """Chebyshev's polynomial T, shifted to the interval from 0 to 1. DLMF 18.7.7."""
    return special.eval_chebyt(n, 2 * x - 1)


@pb.composite(special.eval_sh_chebyu)
def eval_sh_chebyu(n, x):
    """Chebyshev's polynomial U, shifted to the interval from 0 to 1. DLMF 18.7.8."""
    return special.eval_chebyu(n, 2 * x - 1)


@pb.composite(special.eval_chebyc)
def eval_chebyc(n, x):
    """C_n(x) = 2 T_n(x / 2). DLMF 18.1.3."""
    return 2 * special.eval_chebyt(n, x / 2)


@pb.composite(special.eval_chebys)
def eval_chebys(n, x):
    """S_n(x) = U_n(x / 2). DLMF 18.1.3."""
    return special.eval_chebyu(n, x / 2)


@pb.composite(special.eval_sh_jacobi)
def eval_sh_jacobi(n, p, q, x):
    """G_n^(p,q)(x) = P_n^(p-q,q-1)(2 x - 1) / binomial(2 n + p - 1, n). Abramowitz and Stegun 22.5.2."""
    return special.eval_jacobi(n, p - q, q - 1, 2 * x - 1) / special.binom(2 * n + p - 1, n)


@eval_sh_jacobi.sample_inputs
def _eval_sh_jacobi_inputs(rng):
    yield (2, 3, 2, rng.uniform(0.2, 0.8, (3, 4))), {}
