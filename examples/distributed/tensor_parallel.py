"""A tensor-parallel network: every process has all samples and a part of each layer's units.

The first matrix is cut by columns, the second by rows, and one `all_reduce` adds what the processes have of
the result (M. Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model
Parallelism", 2019, section 3). Run it in two processes, or alone:
`mpiexec -n 2 python -m mpi4py examples/distributed/tensor_parallel.py`.
"""

import numpy as np

import pullback as pb
from pullback import distributed

STEPS, RATE, UNITS = 50, 0.2, 12


def initial():
    """Samples, their targets, and weights of two layers: the same in each process."""
    random = np.random.default_rng(0)
    x = random.uniform(-2.0, 2.0, (12, 1))
    return x, np.sin(2.0 * x), [0.7 * random.standard_normal(shape) for shape in ((1, UNITS), (UNITS, 1))]


def loss(x, y, weights, group):
    """The mean squared error, of weights of which each process has a part."""
    first, second = weights
    return np.mean((distributed.all_reduce(np.tanh(x @ first) @ second, group=group) - y) ** 2)


def trained(x, y, weights, group):
    """A process's part of the weights after gradient descent, and the loss."""
    for _ in range(STEPS):
        tensors = [pb.tensor(w, requires_grad=True) for w in weights]
        # All processes differentiate the same loss, and gradients are those of the sum over them.
        gradients = pb.grad(loss(x, y, tensors, group) / group.size, tensors)
        weights = [w - RATE * g.numpy() for w, g in zip(weights, gradients, strict=True)]
    return weights, loss(x, y, weights, group)


def main():
    """Train in all processes and in one, and compare."""
    group = distributed.MPIGroup()
    x, y, (first, second) = initial()
    mine = slice(group.rank, None, group.size)
    weights, parallel = trained(x, y, [first[:, mine], second[mine]], group)
    (whole, _), single = trained(x, y, [first, second], distributed.Alone())
    np.testing.assert_allclose(parallel, single, rtol=1e-9)
    np.testing.assert_allclose(weights[0], whole[:, mine], rtol=1e-8)
    if group.rank == 0:
        print(f"{group.size} processes: loss {parallel:.4f}, in one {single:.4f}")


if __name__ == "__main__":
    main()
