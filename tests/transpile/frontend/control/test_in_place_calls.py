"""Calls that change an array, as the writes that they are."""

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, -0.7, 1.2, 0.5, 2.0])


def scattered(x):
    out = np.zeros((3, 2))
    np.add.at(out, (np.array([0, 1, 0, 2, 0]), np.array([0, 1, 0, 1, 1])), x)
    np.subtract.at(out[1], [0, 0], x[1:3] ** 2)
    return out**2


def scattered_in_a_loop(x):
    out = np.zeros(4)
    for k in range(len(x)):
        np.add.at(out, [k % 4, 0], x[k])
        np.subtract.at(out, k % 3, 1.5)
    return out**2


def filled(x):
    y = np.outer(x, x)
    for i in range(len(x)):
        y[i].fill(x[i] ** 2)
    np.fill_diagonal(y, x)
    return y


def extremes_of_segments(x):
    largest, smallest, product = np.full(3, -np.inf), np.full((2, 2), np.inf), np.ones((2, 2))
    np.maximum.at(largest, np.array([0, 2, 2, 0, 1]), x)
    np.minimum.at(smallest[1], [0, 0, 1, 0, 0], x**2)
    np.multiply.at(product, [1, 0, 1], x[:2])
    return largest, smallest[1], product


def put_along_axes(x):
    y = np.stack([x, x**2, 2 * x])
    np.put_along_axis(y, np.array([[0, 2, 2], [1, 1, 4], [3, 0, 1]]), x[:3], axis=1)
    np.put_along_axis(y, indices=np.argmax(y, axis=0)[None], values=0.5, axis=-2)
    z = x[:0].reshape(2, 0, 1) * 1
    np.put_along_axis(z, np.zeros((2, 0, 1), int), 1.0, 2)
    return y * x, z


def results(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.compiler
@pytest.mark.parametrize(
    "function", [scattered, scattered_in_a_loop, filled, extremes_of_segments, put_along_axes]
)
def test_the_array_is_what_numpy_makes_of_it(function):
    for made in (pb.derive_pullback(function), pb.compile(function)):
        for found, wanted in zip(results(made(X)), results(function(X)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-14)
        assert pb.gradcheck(made, X)


def test_a_diagonal_of_an_array_of_three_axes_is_refused():
    @pb.derive_pullback
    def cube(x):
        y = x * 1.0
        np.fill_diagonal(y, 0.0)
        return y

    with pytest.raises(ValueError, match="takes a matrix"):
        cube(np.ones((2, 2, 2)))


def test_a_write_to_an_input_is_refused():
    @pb.derive_pullback
    def spoilt(x):
        np.add.at(x, np.array([0, 0]), 1.0)
        return x

    with pytest.raises(pb.FormulaError, match="is the input `x`"):
        spoilt(X)


def test_a_number_is_not_filled():
    @pb.derive_pullback
    def filled_number(x):
        total = np.sum(x)
        total.fill(2.0)
        return x * total

    with pytest.raises(ValueError, match="leaves a number as it is"):
        filled_number(X)
