"""Sketches of arrays: what is another value, and what is rounding."""

import numpy as np
import pytest

from pullback.engine.core.sketch import Sketch

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (40, 50)])
def test_rounding_fits_and_other_values_do_not(dtype, shape):
    array = np.asarray(RNG.standard_normal(shape), dtype)
    sketch = Sketch(array)
    assert sketch.fits(array)
    assert sketch.fits(array * dtype(1 + 2 * np.finfo(dtype).eps))
    assert sketch.fits(array * dtype(1.1)) == (array.size == 0)


def test_one_other_entry_of_many_is_seen():
    array = RNG.standard_normal(10_000)
    sketch = Sketch(array)
    array[7777] += 0.1
    assert not sketch.fits(array)


@pytest.mark.parametrize("dtype", [bool, np.int64])
def test_whole_numbers_are_compared_exactly(dtype):
    array = RNG.integers(0, 2, 500).astype(dtype)
    sketch = Sketch(array)
    assert sketch.fits(array)
    array[3] = ~array[3]
    assert not sketch.fits(array)


def test_values_that_are_no_numbers():
    array = np.array([np.nan, np.inf, -np.inf, 1.0])
    assert Sketch(array).fits(array)
    assert not Sketch(array).fits(np.array([np.nan, np.inf, -np.inf, 2.0]))
    assert not Sketch(array).fits(np.array([0.0, np.inf, -np.inf, 1.0]))


def test_where_values_cancel_only_rounding_is_left():
    sketch = Sketch(np.array([1.3e-17]))
    assert not sketch.fits(np.array([-0.6e-17]))
    assert sketch.fits(np.array([-0.6e-17]), scale=1.0)
    assert not sketch.fits(np.array([1e-9]), scale=1.0)
