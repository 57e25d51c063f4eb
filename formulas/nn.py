"""Activations of neural networks."""

import math

import numpy as np
from scipy import special

import pullback as pb

_ROOT_HALF = math.sqrt(0.5)
_ROOT_HALF_OVER_PI = math.sqrt(0.5 / math.pi)
_BEYOND = 1000.0  # exp(-x) is 0 there
_FAR = 40.0  # the normal density there is 0


@pb.formula
def sigmoid(x):
    """The logistic function r = 1 / (1 + exp(-x)), for which dr = r (1 - r) dx.

    Written with exp(-|x|), which cannot overflow.
    """
    decay = np.exp(-np.abs(x))
    r = np.where(x >= 0, 1, decay) / (1 + decay)

    def sigmoid_pullback(grad):
        return grad * (r * (1 - r))

    return r, sigmoid_pullback


@pb.formula
def relu(x):
    """max(x, 0), with the subgradient 0 at 0."""
    r = np.maximum(x, 0)

    def relu_pullback(grad):
        return np.where(x > 0, grad, 0)

    return r, relu_pullback


@relu.sample_inputs
def _relu_inputs(rng):
    x = rng.standard_normal((3, 4))
    yield (np.where(np.abs(x) < 0.1, x + 0.3, x),), {}


@pb.formula
def softplus(x):
    """log(1 + exp(x)), whose derivative is the logistic function.

    Written as max(x, 0) + log1p(exp(-|x|)), which cannot overflow.
    """
    r = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))

    def softplus_pullback(grad):
        return grad * special.expit(x)

    return r, softplus_pullback


@pb.formula
def slope_of_tanh_of_softplus(x):
    """r = 4 e (e + 1) / q^2 with e = exp(x), q = (e + 1)^2 + 1: dr = r (1 + expit(x) - 4 e (e + 1) / q) dx.

    Written with exp(-|x|), which cannot overflow.
    """
    decay = np.exp(-np.abs(x))
    above = x > 0
    q = np.where(above, 1 + 2 * decay, decay * (decay + 2)) + 2 * np.where(above, decay * decay, 1)
    r = 4 * np.where(above, decay * decay, decay) * (1 + decay) / (q * q)

    def slope_of_tanh_of_softplus_pullback(grad):
        # Either side by itself: |x| has no derivative at 0, where these meet.
        positive = x > 0
        d, e = np.exp(-np.where(positive, x, 0)), np.exp(np.where(positive, 0, x))
        share = np.where(positive, (1 + d) / (1 + 2 * d + 2 * d * d), e * (e + 1) / (e * (e + 2) + 2))
        return grad * r * (1 + special.expit(x) - 4 * share)

    return r, slope_of_tanh_of_softplus_pullback


@pb.formula
def tanh_of_softplus(x):
    """tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2) with e = exp(x), written with exp(-|x|)."""
    decay = np.exp(-np.abs(x))
    above = x > 0
    part = np.where(above, 1 + 2 * decay, decay * (decay + 2))
    r = part / (part + 2 * np.where(above, decay * decay, 1))

    def tanh_of_softplus_pullback(grad):
        return grad * slope_of_tanh_of_softplus(x)

    return r, tanh_of_softplus_pullback


@pb.formula
def mish(x):
    """x T with T = tanh(softplus(x)): (T + x T') dx. Beyond +-1000, where T' is 0, that is T.

    D. Misra, "Mish: A Self Regularized Non-Monotonic Activation Function" (2019).
    """
    r = np.maximum(x, -_BEYOND) * tanh_of_softplus(x)

    def mish_pullback(grad):
        near = np.clip(x, -_BEYOND, _BEYOND)
        return grad * (tanh_of_softplus(x) + near * slope_of_tanh_of_softplus(x))

    return r, mish_pullback


@pb.formula
def softsign(x):
    """x / (1 + |x|): dx / (1 + |x|)^2, to which the terms of the quotient rule cancel far out."""
    beyond = np.isinf(x)
    finite = np.where(beyond, 0, x)
    r = np.where(beyond, np.sign(x), finite / (1 + np.abs(finite)))

    def softsign_pullback(grad):
        share = 1 / (1 + np.abs(x))
        return grad * share * share

    return r, softsign_pullback


@pb.formula(complex=True)
def tanhshrink(x):
    """x - tanh(x): tanh(x)^2 dx."""
    r = x - np.tanh(x)

    def tanhshrink_pullback(grad):
        return grad * np.square(np.tanh(x))

    return r, tanhshrink_pullback


def _normal_cdf(x):
    """The normal distribution function, with all digits on both sides. Abramowitz and Stegun 26.2.29."""
    return 0.5 * special.erfc(-_ROOT_HALF * x)


@pb.formula
def gelu(x):
    """x P(x), with P the normal distribution function, whose derivative is the normal density.

    D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units" (2016).
    """
    r = np.maximum(x, -_FAR) * _normal_cdf(x)

    def gelu_pullback(grad):
        near = np.where(np.abs(x) < _FAR, x, 0)
        return grad * (_normal_cdf(x) + _ROOT_HALF_OVER_PI * near * np.exp(-0.5 * near * near))

    return r, gelu_pullback


@pb.formula(special.softmax, complex=True)
def softmax(x, *, axis=None):
    """r = exp(x) / sum(exp(x)), for which dr = r (dx - sum(r dx)).

    Computed relative to the largest entry so that nothing overflows.
    """
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    r = weights / np.sum(weights, axis=axis, keepdims=True)

    def softmax_pullback(grad):
        return r * (grad - np.sum(grad * r, axis=axis, keepdims=True))

    return r, softmax_pullback


@softmax.sample_inputs
def _softmax_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"axis": -1}
    yield (rng.standard_normal((2, 3)),), {}


@pb.formula(special.log_softmax, complex=True)
def log_softmax(x, *, axis=None):
    """r = x - log(sum(exp(x))), for which dr = dx - sum(exp(r) dx).

    Computed relative to the largest entry so that nothing overflows.
    """
    shifted = x - np.max(x, axis=axis, keepdims=True)
    r = shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))

    def log_softmax_pullback(grad):
        return grad - np.exp(r) * np.sum(grad, axis=axis, keepdims=True)

    return r, log_softmax_pullback


@log_softmax.sample_inputs
def _log_softmax_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"axis": -1}
    yield (rng.standard_normal((2, 3)),), {}
