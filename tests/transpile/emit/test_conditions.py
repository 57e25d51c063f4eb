"""Conditions of several parts, as a person writes them."""

import numpy as np

import pullback as pb
from pullback.engine.formula.formula import LIBRARY_OF_PROCESS
from pullback.tools.commands.transpile import jax_helpers
from pullback.transpile.emit.jax import module_text


@pb.derive_pullback
def turned(u, v):
    return np.cross(u, np.cross(u, v))


def test_either_and_both_are_words():
    text = module_text([turned.operator.formula], LIBRARY_OF_PROCESS, jax_helpers())
    assert "if differs or jnp.shape(v)[-1] != 3:" in text
    assert "True if" not in text
    assert "else False" not in text
    assert "getitem" not in text.replace("_getitem", "")
