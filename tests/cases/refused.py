"""Formulas whose second derivative cannot be had: each is an error, never a silent number."""

import numpy as np

import pullback as pb


@pb.formula
def mutated_alias(x):
    """`t` is the caller's array under another name, and is written to."""
    t = x
    t += 1
    r = t * x

    def mutated_alias_pullback(grad):
        return grad * (t + x)

    return r, mutated_alias_pullback


@pb.formula
def opaque_intermediate(x):
    """`t` comes from a call that the vocabulary does not know."""
    t = np.real_if_close(x + x)
    r = t * x

    def opaque_intermediate_pullback(grad):
        return grad * (t + 2 * x)

    return r, opaque_intermediate_pullback
