"""`help` shows formulas and the vocabulary's functions as functions, and a class does not bind them."""

import inspect
import pydoc

import numpy as np
import pytest

import pullback as pb


@pb.formula
def scaled(x: pb.Tensor, *, by: int = 2):
    """The input times a number."""
    return x * by, lambda grad: grad * by


def shown(what):
    return pydoc.render_doc(what, renderer=pydoc.plaintext)


@pytest.mark.parametrize(
    ("what", "line", "text"),
    [
        (pb.numpy.sum, "sum(a, axis=None, dtype=None, out=None, keepdims=False", "As `numpy.sum`"),
        (pb.numpy.exp, "exp(x, ", "As `numpy.exp`"),
        (pb.special.expit, "expit(x, ", "As `scipy.special.expit`"),
        (
            scaled,
            "scaled(x: pullback.engine.tensor.base.Tensor, *, by: int = 2)",
            "The input times a number.",
        ),
    ],
)
def test_help_shows_the_signature_and_the_docstring(what, line, text):
    assert f"\n{line}" in shown(what)
    assert text in shown(what)


@pytest.mark.compiler
def test_help_of_a_compiled_formula():
    compiled = pb.compile(scaled)
    assert str(inspect.signature(compiled)) == str(inspect.signature(scaled))
    assert "\nscaled(x: " in shown(compiled)


def test_a_class_that_holds_one_does_not_bind_it():
    class Layer:
        scaled = scaled
        exp = pb.numpy.exp

    np.testing.assert_array_equal(Layer().scaled(np.ones(2)), [2.0, 2.0])
    assert Layer().exp(0.0) == 1.0


def test_types_can_be_written_with_parameters():
    assert pb.Formula[[pb.Tensor], pb.Tensor].__origin__ is pb.Formula
    assert pb.CompiledFormula[..., pb.Tensor].__origin__ is pb.CompiledFormula
