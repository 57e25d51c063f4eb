"""The incomplete beta function, its complement and their inverses, in their last argument.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov. The derivatives in the shapes `a` and
`b` have no closed form, and a gradient that would have to flow into them is refused.
"""

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_SHAPE = "the derivative in a shape of the incomplete beta function has no closed form"


@pb.formula(special.betainc)
def betainc(a, b, x):
    """I_x(a, b): dI = x^(a-1) (1 - x)^(b-1) / B(a, b) dx, the beta density. DLMF 8.17.1."""
    r = special.betainc(a, b, x)

    def betainc_pullback(grad):
        in_a = primitives.refuse_gradient(grad, argument="`a` of scipy.special.betainc", why=_SHAPE)
        in_b = primitives.refuse_gradient(grad, argument="`b` of scipy.special.betainc", why=_SHAPE)
        return in_a, in_b, grad * primitives.beta_density(a, b, x)

    return r, betainc_pullback


@betainc.sample_inputs
def _betainc_inputs(rng):
    yield (2, 3, rng.uniform(0.2, 0.8, (3, 4))), {}


@pb.formula(special.betaincc)
def betaincc(a, b, x):
    """1 - I_x(a, b)."""
    r = special.betaincc(a, b, x)

    def betaincc_pullback(grad):
        in_a = primitives.refuse_gradient(grad, argument="`a` of scipy.special.betaincc", why=_SHAPE)
        in_b = primitives.refuse_gradient(grad, argument="`b` of scipy.special.betaincc", why=_SHAPE)
        return in_a, in_b, -grad * primitives.beta_density(a, b, x)

    return r, betaincc_pullback


@betaincc.sample_inputs
def _betaincc_inputs(rng):
    yield (2, 3, rng.uniform(0.2, 0.8, (3, 4))), {}


@pb.formula(special.betaincinv)
def betaincinv(a, b, y):
    """The x with I_x(a, b) = y: dx = dy / p(x), p as in `betainc`, by the inverse function theorem."""
    r = special.betaincinv(a, b, y)

    def betaincinv_pullback(grad):
        in_a = primitives.refuse_gradient(grad, argument="`a` of scipy.special.betaincinv", why=_SHAPE)
        in_b = primitives.refuse_gradient(grad, argument="`b` of scipy.special.betaincinv", why=_SHAPE)
        return in_a, in_b, grad / primitives.beta_density(a, b, r)

    return r, betaincinv_pullback


@betaincinv.sample_inputs
def _betaincinv_inputs(rng):
    yield (2, 3, rng.uniform(0.2, 0.8, (3, 4))), {}


@pb.formula(special.betainccinv)
def betainccinv(a, b, y):
    """The x with 1 - I_x(a, b) = y: as `betaincinv`, with the other sign."""
    r = special.betainccinv(a, b, y)

    def betainccinv_pullback(grad):
        in_a = primitives.refuse_gradient(grad, argument="`a` of scipy.special.betainccinv", why=_SHAPE)
        in_b = primitives.refuse_gradient(grad, argument="`b` of scipy.special.betainccinv", why=_SHAPE)
        return in_a, in_b, -grad / primitives.beta_density(a, b, r)

    return r, betainccinv_pullback


@betainccinv.sample_inputs
def _betainccinv_inputs(rng):
    yield (2, 3, rng.uniform(0.2, 0.8, (3, 4))), {}


@pb.formula(primitives.beta_density)
def beta_density(a, b, x):
    """p(a, b, x) = x^(a-1) (1 - x)^(b-1) / B(a, b).

    dp = p ((a - 1) / x - (b - 1) / (1 - x)) dx; at zero and one
    (a + b - 1) (p(a - 1, b, x) - p(a, b - 1, x)) dx, of itself, which stays finite there: DLMF 5.12.1 and
    the product rule; in `a` p (log(x) - digamma(a) + digamma(a + b)), and so for `b`.
    """
    r = primitives.beta_density(a, b, x)

    def beta_density_pullback(grad):
        both = special.digamma(a + b)
        in_a = special.xlogy(r, x) - r * (special.digamma(a) - both)
        in_b = special.xlog1py(r, -x) - r * (special.digamma(b) - both)
        inside = np.logical_and(x > 0, x < 1)
        y = np.where(inside, x, 0.5)
        within = r * ((a - 1) / y - (b - 1) / (1 - y))
        p, q = np.where(inside, 3.0, a), np.where(inside, 3.0, b)  # the other side stays finite
        at_ends = (p + q - 1) * (primitives.beta_density(p - 1, q, x) - primitives.beta_density(p, q - 1, x))
        return grad * in_a, grad * in_b, grad * np.where(inside, within, at_ends)

    return r, beta_density_pullback


@beta_density.sample_inputs
def _beta_density_inputs(rng):
    shapes = rng.uniform(1.2, 3.0, (4,)), rng.uniform(1.2, 3.0, (3, 1))
    yield (*shapes, rng.uniform(0.2, 0.8, (3, 4))), {}
    yield (0.5, 0.5, rng.uniform(0.2, 0.8, (3, 4))), {}  # a + b - 1 is zero
