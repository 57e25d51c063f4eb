"""Logistic functions, entropies and exponential integrals.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov.
"""

import math

import numpy as np
from scipy import special

import pullback as pb

_LOG_TEN = math.log(10)
_TWICE_ROOT_TWO_OVER_PI = 2 * math.sqrt(2 / math.pi)
_BEYOND = 1000.0  # exp(-x) is 0 there
_FAR = 40.0  # the slope of expit is 0 at the cubic of it


@pb.formula
def slope_of_expit(x):
    """The density r = exp(-|x|) / (1 + exp(-|x|))**2: dr = -r tanh(x / 2) dx."""
    decay = np.exp(-np.abs(x))
    r = decay / np.square(1 + decay)

    def slope_of_expit_pullback(grad):
        return -grad * r * np.tanh(x / 2)

    return r, slope_of_expit_pullback


@pb.formula(special.expit)
def expit(x):
    """r = 1 / (1 + exp(-x)): dr = r (1 - r) dx, with all digits on both sides."""
    r = special.expit(x)

    def expit_pullback(grad):
        return grad * slope_of_expit(x)

    return r, expit_pullback


@pb.formula
def silu(x):
    """x expit(x), with S = expit: (S + x S') dx. Beyond +-1000, where S' is 0, that is S.

    S. Elfwing, E. Uchibe and K. Doya, "Sigmoid-Weighted Linear Units" (2018).
    """
    r = np.maximum(x, -_BEYOND) * pb.sigmoid(x)

    def silu_pullback(grad):
        near = np.clip(x, -_BEYOND, _BEYOND)
        return grad * (special.expit(x) + near * slope_of_expit(x))

    return r, silu_pullback


def _doubled_cubic(x):
    """Twice the argument of the hyperbolic tangent that stands for the normal distribution function."""
    return _TWICE_ROOT_TWO_OVER_PI * (x + 0.044715 * x * x * x)


@pb.formula
def gelu_by_tanh(x):
    """x (1 + tanh(u)) / 2, which is x S(2 u), with S = expit: (S + x S' 2 u') dx. Beyond +-40 S' is 0.

    D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units" (2016): u = sqrt(2 / pi) (x + 0.044715 x^3).
    """
    r = np.maximum(x, -_FAR) * pb.sigmoid(_doubled_cubic(np.clip(x, -_FAR, _FAR)))

    def gelu_by_tanh_pullback(grad):
        near = np.clip(x, -_FAR, _FAR)
        z = _doubled_cubic(near)
        steepness = _TWICE_ROOT_TWO_OVER_PI * (1 + 3 * 0.044715 * near * near)
        return grad * (special.expit(z) + near * slope_of_expit(z) * steepness)

    return r, gelu_by_tanh_pullback


@pb.formula(special.logit)
def logit(x):
    """log(x / (1 - x)), the inverse of expit: dx / (x (1 - x)), to which two fractions cancel far out."""
    r = special.logit(x)

    def logit_pullback(grad):
        return grad / x / (1 - x)

    return r, logit_pullback


@logit.sample_inputs
def _logit_inputs(rng):
    yield (rng.uniform(0.2, 0.8, (3, 4)),), {}


@pb.formula(special.log_expit)
def log_expit(x):
    """log(expit(x)): its derivative is expit(-x)."""
    r = special.log_expit(x)

    def log_expit_pullback(grad):
        return grad * special.expit(-x)

    return r, log_expit_pullback


@pb.formula(special.exp10)
def exp10(x):
    """10**x: d 10**x = log(10) 10**x dx."""
    r = special.exp10(x)

    def exp10_pullback(grad):
        return grad * (_LOG_TEN * r)

    return r, exp10_pullback


@pb.formula(special.expi, complex=True)
def expi(x):
    """The exponential integral Ei: d Ei(x) = exp(x) / x dx. DLMF 6.2.5."""
    r = special.expi(x)

    def expi_pullback(grad):
        return grad * np.exp(x) / x

    return r, expi_pullback


@expi.sample_inputs
def _expi_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.exp1, complex=True)
def exp1(x):
    """The exponential integral E1: d E1(x) = -exp(-x) / x dx. DLMF 6.2.1."""
    r = special.exp1(x)

    def exp1_pullback(grad):
        return -grad * np.exp(-x) / x

    return r, exp1_pullback


@exp1.sample_inputs
def _exp1_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula(special.cosm1)
def cosm1(x):
    """cos(x) - 1: d = -sin(x) dx."""
    r = special.cosm1(x)

    def cosm1_pullback(grad):
        return -grad * np.sin(x)

    return r, cosm1_pullback


@pb.formula(special.entr)
def entr(x):
    """-x log(x): d = -(log(x) + 1) dx."""
    r = special.entr(x)

    def entr_pullback(grad):
        return -grad * (np.log(x) + 1)

    return r, entr_pullback


@entr.sample_inputs
def _entr_inputs(rng):
    yield (rng.uniform(0.5, 3.0, (3, 4)),), {}


@pb.formula
def log_of_ratio(x, y):
    """log(x / y), also where the ratio has no place in the range: d = dx / x - dy / y, also where x is 0."""
    r = 2 * np.log(np.sqrt(x) / np.sqrt(y))

    def log_of_ratio_pullback(grad):
        return grad / x, -grad / y

    return r, log_of_ratio_pullback


@pb.formula(special.rel_entr)
def rel_entr(x, y):
    """x log(x / y): d = (log(x / y) + 1) dx - x / y dy."""
    r = special.rel_entr(x, y)

    def rel_entr_pullback(grad):
        return grad * (log_of_ratio(x, y) + 1), -grad * x / y

    return r, rel_entr_pullback


@rel_entr.sample_inputs
@log_of_ratio.sample_inputs
def _rel_entr_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}


@pb.formula(special.kl_div)
def kl_div(x, y):
    """x log(x / y) - x + y: d = log(x / y) dx + (1 - x / y) dy."""
    r = special.kl_div(x, y)

    def kl_div_pullback(grad):
        return grad * log_of_ratio(x, y), grad * (1 - x / y)

    return r, kl_div_pullback


@kl_div.sample_inputs
def _kl_div_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}


@pb.formula(special.xlogy, complex=True)
def xlogy(x, y):
    """x log(y), and 0 where x is 0: d = log(y) dx + x / y dy."""
    r = special.xlogy(x, y)

    def xlogy_pullback(grad):
        return grad * np.log(y), grad * x / y

    return r, xlogy_pullback


@xlogy.sample_inputs
def _xlogy_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}


@pb.formula(special.xlog1py, complex=True)
def xlog1py(x, y):
    """x log(1 + y), and 0 where x is 0: d = log(1 + y) dx + x / (1 + y) dy."""
    r = special.xlog1py(x, y)

    def xlog1py_pullback(grad):
        return grad * np.log1p(y), grad * x / (1 + y)

    return r, xlog1py_pullback


@xlog1py.sample_inputs
def _xlog1py_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (3, 4)), rng.uniform(0.5, 2.0, (4,))), {}
