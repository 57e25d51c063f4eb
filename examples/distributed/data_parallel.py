"""Data-parallel training: every process has the weights and a part of the data.

Run it in two processes, `mpiexec -n 2 python -m mpi4py examples/distributed/data_parallel.py`, or alone.
"""

import numpy as np

import pullback as pb
from pullback import distributed

STEPS, RATE, SAMPLES = 50, 0.2, 12


def initial():
    """Samples, their targets, and weights of two layers: the same in each process."""
    random = np.random.default_rng(0)
    x = random.uniform(-2.0, 2.0, (SAMPLES, 1))
    return x, np.sin(2.0 * x), [0.7 * random.standard_normal(shape) for shape in ((1, 8), (8, 1))]


def loss(x, y, weights):
    """The part of the mean squared error that these samples have."""
    first, second = weights
    return np.sum((np.tanh(x @ first) @ second - y) ** 2) / SAMPLES


def trained(x, y, weights, group=None):
    """The weights after gradient descent; gradients are summed over the processes of a group."""
    for _ in range(STEPS):
        tensors = [pb.tensor(w, requires_grad=True) for w in weights]
        gradients = [g.numpy() for g in pb.grad(loss(x, y, tensors), tensors)]
        if group is not None:
            gradients = [distributed.all_reduce(g, group=group) for g in gradients]
        weights = [w - RATE * g for w, g in zip(weights, gradients, strict=True)]
    return weights


def main():
    """Train in all processes and in one, and compare."""
    group = distributed.MPIGroup()
    x, y, weights = initial()
    mine = slice(group.rank, None, group.size)
    parallel = loss(x, y, trained(x[mine], y[mine], weights, group))
    single = loss(x, y, trained(x, y, weights))
    np.testing.assert_allclose(parallel, single, rtol=1e-9)
    if group.rank == 0:
        print(f"{group.size} processes: loss {parallel:.4f}, in one {single:.4f}")


if __name__ == "__main__":
    main()
