"""`a, b = value`, where how many values there are is known, and where it is not."""

import numpy as np
import pytest

import pullback as pb


def of_shape(x):
    n, m = x.shape
    return x * n + m


def of_part(x):
    n, m = np.shape(x)[-2:]
    return x * n + m


def of_rows(x):
    first, second = x
    return first * second


@pytest.mark.compiler
@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize(
    ("function", "right", "wrong"),
    [
        (of_shape, (2, 3), [(3,), (2, 3, 4)]),
        (of_part, (2, 3), [(3,), ()]),
        (of_part, (2, 3, 4), []),
        (of_rows, (2, 3), [(1, 3), (3, 3)]),
    ],
)
def test_as_many_values_as_names(engine, function, right, wrong, requires_grad):
    compiled = pb.compile(function)
    values = np.arange(1.0, 1.0 + np.prod(right)).reshape(right)
    found = compiled(pb.tensor(values, requires_grad=requires_grad))
    np.testing.assert_array_equal(found.detach().numpy(), function(values))
    for shape in wrong:
        with pytest.raises(ValueError, match="expected 2 values to unpack, got"):
            compiled(pb.tensor(np.ones(shape), requires_grad=requires_grad))


def second_extent(x):
    return x + x.shape[1]


def extent_of_part(x):
    return x * 1.0 + x.shape[1:][-1]


@pytest.mark.compiler
@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("function", [second_extent, extent_of_part])
def test_an_axis_that_is_not_there_is_an_error(engine, function, requires_grad):
    compiled = pb.compile(function)
    with pytest.raises(IndexError):
        compiled(pb.tensor(np.ones(3), requires_grad=requires_grad))
    found = compiled(pb.tensor(np.ones((2, 3)), requires_grad=requires_grad))
    np.testing.assert_array_equal(found.detach().numpy(), np.full((2, 3), 4.0))
