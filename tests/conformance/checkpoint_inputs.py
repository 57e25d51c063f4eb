"""What the tests of checkpoints compute with."""

import numpy as np

import pullback as pb

A = np.array([0.3, -0.7, 1.1])
B = np.array([1.5, 0.2, -0.4])


def leaves():
    return pb.tensor(A, requires_grad=True), pb.tensor(B, requires_grad=True)
