"""A name may be defined again, as in a notebook: each formula keeps its own derivative."""

import numpy as np

import pullback as pb


def scaled_by(factor):
    @pb.formula
    def scaled(x):
        def scaled_pullback(grad):
            return grad * factor

        return x * factor, scaled_pullback

    return scaled


def test_each_definition_keeps_its_own_derivative(engine):
    first, second = scaled_by(2.0), scaled_by(3.0)
    for formula, factor in ((first, 2.0), (second, 3.0), (first, 2.0)):
        x = pb.tensor([1.0], requires_grad=True)
        (gradient,) = pb.grad(formula(x).sum(), x)
        np.testing.assert_array_equal(gradient.numpy(), [factor])
