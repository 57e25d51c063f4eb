"""Sliding windows, and the windows of a length: NumPy's, in formulas, compiled, and of tensors."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import pullback as pb

X = np.arange(20.0).reshape(4, 5) ** 0.5
WINDOWS = [(2, 0), (3, -1), ((2, 3), None), ((2, 2), (1, 1)), ((1, 2), (-1, -2)), (2, (1,)), (0, 1)]


@pytest.mark.parametrize(("window_shape", "axis"), WINDOWS)
def test_windows_are_those_of_numpy(engine, window_shape, axis):
    x = pb.tensor(X, requires_grad=True)
    found = sliding_window_view(x, window_shape, axis)
    np.testing.assert_array_equal(found.detach().numpy(), sliding_window_view(X, window_shape, axis))
    assert found.size == 0 or pb.gradcheck(lambda x: sliding_window_view(x, window_shape, axis), X)


def smoothed(x, *, n: int = 3):
    frames = sliding_window_view(x[0], n)[::2] * np.hanning(n)
    blocks = sliding_window_view(x, (2, 2))
    rows = sliding_window_view(x, window_shape=(2,), axis=(0,)) @ np.hamming(2)
    return frames**2, np.max(blocks, axis=(2, 3)), rows * np.kaiser(x.shape[1], 2.5)


@pytest.mark.compiler
def test_a_formula_takes_them():
    derived = pb.derive_pullback(smoothed)
    for made in (derived, pb.compile(derived)):
        for n in (1, 2, 5):
            for found, wanted in zip(made(X, n=n), smoothed(X, n=n), strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-14)
        assert pb.gradcheck(made, X)


@pytest.mark.parametrize(
    ("window_shape", "axis", "message"),
    [
        (6, 1, "cannot be larger"),
        (-1, 0, "negative"),
        (2, None, "for all dimensions"),
        ((2, 2), (0,), "matching"),
    ],
)
def test_what_numpy_refuses(window_shape, axis, message):
    for x in (X, pb.tensor(X)):
        with pytest.raises(ValueError, match=message):
            sliding_window_view(x, window_shape, axis)
