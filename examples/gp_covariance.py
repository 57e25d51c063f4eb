"""The squared exponential covariance of a Gaussian process, with its hyperparameters."""

import numpy as np

import pullback as pb


@pb.formula
def gp_covariance(x1, x2, length_scale, variance):
    """k[i, j] = variance * exp(-|x1[i] - x2[j]|**2 / (2 length_scale**2)).

    x1 (n, d) and x2 (m, d) are points, k is (n, m); both parameters are
    positive numbers. C. Rasmussen and C. Williams, "Gaussian Processes for
    Machine Learning" (2006), equation 2.31, with derivatives as in section 5.4.1.
    """
    scaled = (np.expand_dims(x1, 1) - np.expand_dims(x2, 0)) / length_scale
    squared = np.sum(scaled * scaled, axis=-1)
    correlation = np.exp(-0.5 * squared)
    k = variance * correlation

    def gp_covariance_pullback(grad):
        weighted = grad * k
        pull = np.expand_dims(weighted, -1) * scaled / length_scale
        return (
            -np.sum(pull, axis=1),
            np.sum(pull, axis=0),
            np.sum(weighted * squared) / length_scale,
            np.sum(grad * correlation),
        )

    return k, gp_covariance_pullback


@gp_covariance.sample_inputs
def _gp_covariance_inputs(rng):
    yield (rng.standard_normal((3, 2)), rng.standard_normal((4, 2)), np.array(0.8), np.array(1.5)), {}
