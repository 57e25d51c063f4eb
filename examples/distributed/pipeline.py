"""A pipeline of two stages: the first process has the first layer, the second the second one.

Samples go through in parts, so that both processes work at the same time (Y. Huang et al., "GPipe: Efficient
Training of Giant Neural Networks using Pipeline Parallelism", 2019). Run it in two processes,
`mpiexec -n 2 python -m mpi4py examples/distributed/pipeline.py`.
"""

import sys

import numpy as np

import pullback as pb
from pullback import distributed

STEPS, RATE, PARTS, UNITS = 50, 0.2, 3, 8


def initial():
    """Samples, their targets, and weights of two layers: the same in each process."""
    random = np.random.default_rng(0)
    x = random.uniform(-2.0, 2.0, (12, 1))
    return x, np.sin(2.0 * x), [0.7 * random.standard_normal(shape) for shape in ((1, UNITS), (UNITS, 1))]


def first_stage(weight, x, group):
    """Zeros that stand for what was sent: their gradient is the second stage's."""
    parts = np.split(x, PARTS)
    sent = [
        distributed.send(np.tanh(part @ weight), dest=1, tag=k, group=group) for k, part in enumerate(parts)
    ]
    return sum(np.sum(zeros) for zeros in sent)


def second_stage(weight, y, group):
    """The mean squared error of what comes."""
    total = 0.0
    for k, part in enumerate(np.split(y, PARTS)):
        like = pb.tensor(np.zeros((len(part), UNITS)), requires_grad=True)
        total += np.sum((distributed.recv(like, source=0, tag=k, group=group) @ weight - part) ** 2)
    return total / len(y)


def trained(value, weight):
    """The weight of a stage after gradient descent, and the loss before the last step."""
    for _ in range(STEPS):
        tensor = pb.tensor(weight, requires_grad=True)
        loss = value(tensor)
        loss.backward()  # of all leaves: what was received sends its gradient back
        weight = weight - RATE * tensor.grad.numpy()
    return weight, loss.item()


def in_one_process(x, y, weights):
    """The loss of the same network before the last step."""
    for _ in range(STEPS):
        first, second = (pb.tensor(w, requires_grad=True) for w in weights)
        loss = np.sum((np.tanh(x @ first) @ second - y) ** 2) / len(y)
        weights = [w - RATE * g.numpy() for w, g in zip(weights, pb.grad(loss, [first, second]), strict=True)]
    return loss.item()


def main():
    """Train in two processes and in one, and compare."""
    group = distributed.MPIGroup()
    if group.size != 2:
        sys.exit("two stages are two processes: mpiexec -n 2 python -m mpi4py pipeline.py")
    x, y, weights = initial()
    if group.rank == 0:
        trained(lambda weight: first_stage(weight, x, group), weights[0])
    else:
        _, parallel = trained(lambda weight: second_stage(weight, y, group), weights[1])
        single = in_one_process(x, y, weights)
        np.testing.assert_allclose(parallel, single, rtol=1e-9)
        print(f"{group.size} processes: loss {parallel:.4f}, in one {single:.4f}")


if __name__ == "__main__":
    main()
