"""GELU in its tanh form, the activation of BERT and GPT-2."""

import math

import numpy as np

import pullback as pb

SCALE = math.sqrt(2 / math.pi)
CUBIC = 0.044715


@pb.formula
def gelu_tanh(x):
    """x (1 + tanh(u)) / 2 with u = sqrt(2/pi) (x + 0.044715 x**3).

    D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units" (2016), section 2.
    The closure captures tanh(u) instead of computing it a second time.
    """
    t = np.tanh(SCALE * (x + CUBIC * x * x * x))
    y = 0.5 * x * (1 + t)

    def gelu_tanh_pullback(grad):
        slope = SCALE * (1 + 3 * CUBIC * x * x)
        return grad * 0.5 * (1 + t + x * (1 - t * t) * slope)

    return y, gelu_tanh_pullback


@gelu_tanh.sample_inputs
def _gelu_tanh_inputs(rng):
    yield (rng.standard_normal((3, 5)),), {}
