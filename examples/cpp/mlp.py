"""The loss of a small network, for a C++ program that trains it: `mlp.cpp`."""

import numpy as np

import pullback as pb


@pb.formula
def mlp(x, y, w1, b1, w2):
    """Half of the summed squared error of tanh(x w1 + b1) w2 as a prediction of y."""
    hidden = np.tanh(x @ w1 + b1)
    error = hidden @ w2 - y
    loss = np.sum(error * error) / 2

    def mlp_pullback(grad):
        grad_out = grad * error
        grad_in = (grad_out @ w2.T) * (1 - hidden * hidden)
        return grad_in @ w1.T, -grad_out, x.T @ grad_in, grad_in.sum(0), hidden.T @ grad_out

    return loss, mlp_pullback


@mlp.sample_inputs
def _mlp_inputs(rng):
    shapes = (4, 3), (4, 2), (3, 5), (5,), (5, 2)
    yield tuple(rng.standard_normal(shape) for shape in shapes), {}
