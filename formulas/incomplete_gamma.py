"""The incomplete gamma functions and their inverses, in their second argument.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov. The derivative in the shape `a` has no
closed form, and a gradient that would have to flow into it is refused.
"""

from scipy import special

import pullback as pb
from pullback import primitives

_SHAPE = "the derivative in the shape of an incomplete gamma function has no closed form"


@pb.formula(special.gammainc)
def gammainc(a, x):
    """P(a, x): dP = x^(a-1) exp(-x) / gamma(a) dx, the density of the gamma distribution. DLMF 8.8.13."""
    r = special.gammainc(a, x)

    def gammainc_pullback(grad):
        refused = primitives.refuse_gradient(grad, argument="`a` of scipy.special.gammainc", why=_SHAPE)
        return refused, grad * primitives.gamma_density(a, x)

    return r, gammainc_pullback


@gammainc.sample_inputs
def _gammainc_inputs(rng):
    yield (2, rng.uniform(0.5, 3.0, (3, 4))), {}


@pb.formula(special.gammaincc)
def gammaincc(a, x):
    """Q(a, x) = 1 - P(a, x). DLMF 8.8.14."""
    r = special.gammaincc(a, x)

    def gammaincc_pullback(grad):
        refused = primitives.refuse_gradient(grad, argument="`a` of scipy.special.gammaincc", why=_SHAPE)
        return refused, -grad * primitives.gamma_density(a, x)

    return r, gammaincc_pullback


@gammaincc.sample_inputs
def _gammaincc_inputs(rng):
    yield (2, rng.uniform(0.5, 3.0, (3, 4))), {}


@pb.formula(special.gammaincinv)
def gammaincinv(a, y):
    """The x with P(a, x) = y: dx = dy / (x^(a-1) exp(-x) / gamma(a)), by the inverse function theorem."""
    r = special.gammaincinv(a, y)

    def gammaincinv_pullback(grad):
        refused = primitives.refuse_gradient(grad, argument="`a` of scipy.special.gammaincinv", why=_SHAPE)
        return refused, grad / primitives.gamma_density(a, r)

    return r, gammaincinv_pullback


@gammaincinv.sample_inputs
def _gammaincinv_inputs(rng):
    yield (2, rng.uniform(0.2, 0.8, (3, 4))), {}


@pb.formula(special.gammainccinv)
def gammainccinv(a, y):
    """The x with Q(a, x) = y: as `gammaincinv`, with the other sign."""
    r = special.gammainccinv(a, y)

    def gammainccinv_pullback(grad):
        refused = primitives.refuse_gradient(grad, argument="`a` of scipy.special.gammainccinv", why=_SHAPE)
        return refused, -grad / primitives.gamma_density(a, r)

    return r, gammainccinv_pullback


@gammainccinv.sample_inputs
def _gammainccinv_inputs(rng):
    yield (2, rng.uniform(0.2, 0.8, (3, 4))), {}


@pb.formula(primitives.gamma_density)
def gamma_density(a, x):
    """p(a, x) = x^(a-1) exp(-x) / gamma(a): dp = (p(a - 1, x) - p(a, x)) dx + p (log(x) - digamma(a)) da.

    Of itself, so that it stays finite at zero: DLMF 5.5.1 and the product rule; in `a` DLMF 5.2.2.
    """
    r = primitives.gamma_density(a, x)

    def gamma_density_pullback(grad):
        in_x = primitives.gamma_density(a - 1, x) - r
        return grad * (special.xlogy(r, x) - r * special.digamma(a)), grad * in_x

    return r, gamma_density_pullback


@gamma_density.sample_inputs
def _gamma_density_inputs(rng):
    yield (rng.uniform(1.2, 3.0, (4,)), rng.uniform(0.5, 3.0, (3, 4))), {}
