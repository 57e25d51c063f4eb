"""Layer normalization over the last axis, with weight and bias."""

import numpy as np

import pullback as pb


@pb.formula
def layer_norm(x, weight, bias, *, eps: float = 1e-5):
    """weight * (x - mean) / sqrt(variance + eps) + bias, over the last axis.

    With n = (x - mean) s, s = 1 / sqrt(variance + eps), and m the mean over the
    last axis: dx = s (g - m(g) - n m(g n)), where g = grad * weight.
    J. Ba, J. Kiros and G. Hinton, "Layer Normalization" (2016).
    """
    centered = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centered * centered, axis=-1, keepdims=True)
    s = 1 / np.sqrt(variance + eps)
    n = centered * s
    y = n * weight + bias

    def layer_norm_pullback(grad):
        g = grad * weight
        along_n = np.mean(g * n, axis=-1, keepdims=True)
        grad_x = s * (g - np.mean(g, axis=-1, keepdims=True) - n * along_n)
        return grad_x, grad * n, grad

    return y, layer_norm_pullback


@layer_norm.sample_inputs
def _layer_norm_inputs(rng):
    weight, bias = rng.uniform(0.5, 1.5, 6), rng.standard_normal(6)
    yield (rng.standard_normal((4, 6)), weight, bias), {}
    yield (rng.standard_normal((2, 3, 6)), weight, bias), {"eps": 1e-3}
