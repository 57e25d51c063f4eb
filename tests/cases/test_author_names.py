"""Names that the emitted text uses too mean what the author bound them to."""

import numpy as np

import pullback as pb

special = 3.0
math = 2.0


@pb.formula
def scaled(x):
    t = special * x
    r = t * t * math

    def scaled_pullback(grad):
        return grad * 2 * t * special * math

    return r, scaled_pullback


def test_module_level_numbers_named_as_modules_are_numbers(engine):
    x = pb.tensor(0.5, requires_grad=True)
    y = scaled(x)
    (first,) = pb.grad(y, [x], create_graph=True)
    (second,) = pb.grad(first, [x])
    assert (y.item(), first.item(), second.item()) == (4.5, 18.0, 36.0)


def test_they_are_numbers_on_arrays_too():
    np.testing.assert_array_equal(scaled(np.array([1.0, 2.0])), [18.0, 72.0])
