"""Conditions of several parts, as a person writes them."""

import numpy as np

import pullback as pb
from tests.frameworks.texts import jax_text


@pb.derive_pullback
def turned(u, v):
    return np.cross(u, np.cross(u, v))


def test_either_and_both_are_words():
    text = jax_text(turned)
    assert "if differs or jnp.shape(v)[-1] != 3:" in text
    assert "True if" not in text
    assert "else False" not in text
    assert "getitem" not in text.replace("_getitem", "")
