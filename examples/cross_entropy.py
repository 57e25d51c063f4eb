"""Softmax cross-entropy of rows of logits with rows of target probabilities."""

import numpy as np

import pullback as pb


@pb.formula
def cross_entropy(logits, targets):
    """The cross-entropy -sum(targets log softmax(logits)) of each row.

    Both are (n, classes), the result is (n,); the rows of targets need not sum
    to one. C. Bishop, "Pattern Recognition and Machine Learning" (2006), section 4.3.4.
    """
    shifted = logits - np.max(logits, axis=-1, keepdims=True)
    e = np.exp(shifted)
    total = np.sum(e, axis=-1, keepdims=True)
    log_total = np.log(total)
    weight = np.sum(targets, axis=-1, keepdims=True)
    loss = np.sum(targets * (log_total - shifted), axis=-1)

    def cross_entropy_pullback(grad):
        g = np.expand_dims(grad, -1)
        return g * (weight * (e / total) - targets), g * (log_total - shifted)

    return loss, cross_entropy_pullback


@cross_entropy.sample_inputs
def _cross_entropy_inputs(rng):
    targets = rng.uniform(0.1, 1.0, (3, 5))
    yield (rng.standard_normal((3, 5)), targets), {}
    yield (rng.standard_normal((3, 5)), targets / targets.sum(-1, keepdims=True)), {}
