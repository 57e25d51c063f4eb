"""Inputs that are guessed: accepted by the formula, and said."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
from pullback.tools.errors import CommandError
from pullback.tools.guessing import guess_inputs


@pb.formula
def squared_matrix(a):
    def squared_matrix_pullback(grad):
        return grad @ a.T + a.T @ grad

    return a @ a, squared_matrix_pullback


@pb.formula
def joined(parts: list[pb.Tensor], *, scale: float):
    def joined_pullback(grad):
        return [grad[:1] * scale, grad[1:] * scale]

    return np.concatenate(parts) * scale, joined_pullback


@pb.formula
def picky(x):
    y = np.reshape(x, (17, 1))

    def picky_pullback(grad):
        return np.reshape(grad, x.shape)

    return y, picky_pullback


def test_a_shape_is_found_that_the_formula_accepts() -> None:
    (args, kwargs), said = guess_inputs(squared_matrix)
    assert args[0].shape == (3, 3)
    assert kwargs == {}
    assert said == "squared_matrix: no sample inputs, guessed a: float64 (3, 3)"


def test_lists_and_attributes_are_guessed_too() -> None:
    (args, kwargs), said = guess_inputs(joined)
    assert len(args[0]) == 2
    assert kwargs == {"scale": 0.5}
    assert said.endswith("guessed parts: a list of 2 arrays (3, 4), scale=0.5")


def test_where_no_guess_runs_the_author_is_asked() -> None:
    with pytest.raises(CommandError, match="no inputs could be guessed that picky accepts"):
        guess_inputs(picky)


@pb.derive_pullback
def layer(x, weight, bias):
    return x @ weight.T + bias


@pb.derive_pullback
def embedded(table, index):
    return table[index[:, None]]


@pb.derive_pullback
def chosen(x, target):
    return np.take_along_axis(x, target[:, None], axis=1)


@pb.derive_pullback
def contracted(x, w):
    return np.einsum("bij,jk->bik", x, w)


@pb.derive_pullback
def solved(a, b):
    return np.linalg.solve(a, b)


@pytest.mark.parametrize(
    ("formula", "guess"),
    [
        (layer, "x: float64 (3, 4), weight: float64 (3, 4), bias: float64 (3,)"),
        (embedded, "table: float64 (3, 4), index: int64 (3,)"),
        (chosen, "x: float64 (3, 4), target: int64 (3,)"),
        (contracted, "x: float64 (2, 3, 4), w: float64 (4, 2)"),
        (solved, "a: float64 (3, 3), b: float64 (3, 4)"),
    ],
)
def test_inputs_are_guessed_by_what_the_forward_does_with_them(formula, guess) -> None:
    _, said = guess_inputs(formula)
    assert said == f"{formula.__name__}: no sample inputs, guessed {guess}"


@pb.formula
def rescaled(kernel, u, v, scale=0.1):
    w = kernel @ v

    def rescaled_pullback(grad):
        t = -grad * scale * u / (w * w)
        return np.outer(t, v), grad * scale / w, kernel.T @ t, np.sum(grad * u / w)

    return scale * u / w, rescaled_pullback


def test_shapes_are_those_that_the_closure_takes_and_a_number_stays_one() -> None:
    """A `u` of shape (4, 3) has a value, and a gradient by `kernel` of another shape."""
    (args, _), said = guess_inputs(rescaled)
    assert [np.shape(value) for value in args] == [(3, 4), (3,), (4,), ()]
    assert said.endswith("scale=0.1")


@pb.formula
def misshapen(x):
    return x * 2.0, lambda grad: grad @ np.ones((17, 1))


def test_a_closure_that_runs_with_no_guess_is_checked_with_the_first_one() -> None:
    (args, _), _ = guess_inputs(misshapen)
    assert args[0].shape == (3, 4)
