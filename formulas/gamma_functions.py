"""The gamma function and its kin.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov.
"""

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives


@pb.formula(special.gammaln)
def gammaln(x):
    """log|gamma(x)|: its derivative is digamma(x). DLMF 5.2.2."""
    r = special.gammaln(x)

    def gammaln_pullback(grad):
        return grad * special.digamma(x)

    return r, gammaln_pullback


@gammaln.sample_inputs
def _gammaln_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.loggamma)
def loggamma(x):
    """log(gamma(x)): its derivative is digamma(x). DLMF 5.2.2."""
    r = special.loggamma(x)

    def loggamma_pullback(grad):
        return grad * special.digamma(x)

    return r, loggamma_pullback


@loggamma.sample_inputs
def _loggamma_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.gamma)
def gamma(x):
    """d gamma(x) = gamma(x) digamma(x) dx. DLMF 5.2.2."""
    r = special.gamma(x)

    def gamma_pullback(grad):
        return grad * r * special.digamma(x)

    return r, gamma_pullback


@gamma.sample_inputs
def _gamma_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.rgamma)
def rgamma(x):
    """1 / gamma(x): d = -r digamma(x) dx. DLMF 5.2.2.

    Left of 1/2, where digamma has poles and r its zeros, by reflection: r = gamma(1 - x) sin(pi x) / pi, so
    d = gamma(1 - x) (cos(pi x) - sin(pi x) digamma(1 - x) / pi) dx. DLMF 5.5.3.
    """
    r = special.rgamma(x)

    def rgamma_pullback(grad):
        left = x < 0.5
        mirrored = 1 - np.where(left, x, 0)
        turn = np.pi * np.where(left, x, 0)
        reflected = np.cos(turn) - np.sin(turn) * special.digamma(mirrored) / np.pi
        # Where r has gone to zero, so has its derivative, whatever digamma has grown to.
        direct = -np.where(left, 0, r) * special.digamma(np.where(left | (r == 0), 1, x))
        return grad * np.where(left, special.gamma(mirrored) * reflected, direct)

    return r, rgamma_pullback


@rgamma.sample_inputs
def _rgamma_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.digamma)
def digamma(x):
    """The first of the polygamma functions; the next is its derivative. DLMF 5.15.1."""
    r = special.digamma(x)

    def digamma_pullback(grad):
        return grad * primitives.polygamma(x, n=1)

    return r, digamma_pullback


@digamma.sample_inputs
def _digamma_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(primitives.polygamma)
def polygamma(x, *, n):
    """The n-th derivative of digamma; the next one is its derivative. DLMF 5.15."""
    r = primitives.polygamma(x, n=n)

    def polygamma_pullback(grad):
        return grad * primitives.polygamma(x, n=n + 1)

    return r, polygamma_pullback


@polygamma.sample_inputs
def _polygamma_inputs(rng):
    yield (rng.uniform(1.0, 3.0, (3,)),), {"n": 2}


@pb.formula
def trigamma(x):
    """The derivative of digamma: a kernel of this order alone, whose loop is vectorized. DLMF 5.15."""
    r = primitives.polygamma(x, n=1)

    def trigamma_pullback(grad):
        return grad * primitives.polygamma(x, n=2)

    return r, trigamma_pullback


@trigamma.sample_inputs
def _trigamma_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


def _slope_of_log_beta(a, b):
    """digamma(a) - digamma(a + b), also where both are poles and b is whole: DLMF 5.5.4 leaves none.

    It falls to zero as a grows, DLMF 5.11.2.
    """
    poles = (a <= 0) & (a == np.floor(a)) & (b == np.floor(b)) & (a + b <= 0) & (b > 0)
    far = a == np.inf
    turned = np.where(poles, 1 - a, np.where(far, 1, a))
    return special.digamma(turned) - special.digamma(np.where(poles, 1 - a - b, np.where(far, 1, a + b)))


@pb.formula(special.beta)
def beta(a, b):
    """r = gamma(a) gamma(b) / gamma(a + b), DLMF 5.12.1: dr = r (digamma(a) - digamma(a + b)) da."""
    r = special.beta(a, b)

    def beta_pullback(grad):
        return grad * r * _slope_of_log_beta(a, b), grad * r * _slope_of_log_beta(b, a)

    return r, beta_pullback


@beta.sample_inputs
def _beta_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}


@pb.formula(special.betaln)
def betaln(a, b):
    """log(beta(a, b)): d = (digamma(a) - digamma(a + b)) da, and so for b. DLMF 5.12.1."""
    r = special.betaln(a, b)

    def betaln_pullback(grad):
        return grad * _slope_of_log_beta(a, b), grad * _slope_of_log_beta(b, a)

    return r, betaln_pullback


@betaln.sample_inputs
def _betaln_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}


@pb.composite(special.polygamma)
def polygamma_of_order(n, x):
    """The n-th derivative of digamma; n takes no gradient."""
    return primitives.polygamma(x, n=n)
