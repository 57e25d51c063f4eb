"""What a program of gradients guesses of shapes, and asks before it relies on that."""

import pytest

from pullback.transpile.emit.cpp import emit_cpp
from pullback.transpile.emit.cuda import emit_cuda
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels

ROWS = """
def rows(x, weight, v):
    return pb.vjp(lambda x: np.sum(x, axis=-1, keepdims=True) * x * weight, x, v)[1]
"""
WEIGHED = """
def weighed(x, targets, v):
    def loss(x):
        return np.sum(targets * x * np.sum(targets, axis=-1, keepdims=True), axis=-1)
    return pb.vjp(loss, x, v)[1]
"""
DISTANCES = """
def distances(x, y, length, v):
    return pb.vjp(lambda x: (np.expand_dims(x, 1) - np.expand_dims(y, 0)) / length, x, v)[1]
"""
JOINED = """
def corners(x):
    return np.array([x[0], 1.0, x[1] * 2, 3])
"""
PLAIN = """
def plain(x, weight):
    return np.sum(x * weight, axis=-1)
"""


def compiled(text):
    """The forward kernel of a function, and its C++."""
    formula = formula_in(text)
    kernels = formula_kernels(formula, standard_library(), {}, order=0).kernels()
    return kernels[0], emit_cpp(formula.name, kernels, formula.source)


@pytest.mark.parametrize(
    ("text", "guesses", "asked"),
    [
        (ROWS, [("weight", "x", False)], "if (pb::within(context.shape(1), context.shape(0))) {"),
        (WEIGHED, [("targets", "x", True)], "if (context.shape(1) == context.shape(0)) {"),
        (DISTANCES, [("length", None, False)], "if (context.shape(2).ndim == 0) {"),
    ],
    ids=["part", "alike", "number"],
)
def test_what_is_guessed_is_asked(text, guesses, asked):
    kernel, source = compiled(text)
    assert kernel.guess is not None
    found = [(str(g.var), g.whole and str(g.whole), g.alike) for g in kernel.guess.likely]
    assert found == guesses
    assert asked in source


def test_where_the_guess_holds_nothing_is_summed_to_the_whole():
    _, source = compiled(ROWS)
    general, likely = source.split("static void likely")
    assert "space.reduce<" in general
    assert "space.reduce<" not in likely


def test_a_kernel_without_gradients_inside_guesses_nothing():
    kernel, source = compiled(PLAIN)
    assert kernel.guess is None
    assert "likely" not in source


def test_joined_arrays_have_the_shapes_that_they_are_made_of():
    formula = formula_in(JOINED)
    kernels = formula_kernels(formula, standard_library(), {}, order=1, general=False).kernels()
    assert "__global__" in emit_cuda(formula.name, kernels, formula.source)
