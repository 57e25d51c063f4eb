"""Each collective operator to third order, beside the same program in one process, which has all the values.

Arguments: mpi with the name of an engine, or gloo with rank, size and a file.
"""

import sys
from contextlib import nullcontext
from functools import reduce as folded
from operator import add

import numpy as np

from pullback import distributed as d

RANDOM = np.random.default_rng(3)


class OverMPI:
    """Tensors of pullback."""

    def __init__(self):
        import pullback as pb

        self.group = d.MPIGroup(timeout=30.0)
        self.rank, self.size = self.group.rank, self.group.size
        self.grad, self.sin, self.sum, self.join = pb.grad, np.sin, np.sum, np.concatenate
        self.zeros = lambda shape: pb.tensor(np.zeros(shape), requires_grad=True)
        self.leaf = lambda array: pb.tensor(array, requires_grad=True)
        self.array = lambda tensor: tensor.detach().numpy()


class OverGloo:
    """torch's tensors."""

    def __init__(self, rank, size, file):
        import torch
        import torch.distributed as dist

        dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=size)
        self.group = None
        self.rank, self.size = rank, size
        self.grad, self.sin, self.sum, self.join = torch.autograd.grad, torch.sin, torch.sum, torch.cat
        self.zeros = lambda shape: torch.zeros(shape, dtype=torch.float64, requires_grad=True)
        self.leaf = lambda array: torch.tensor(array, requires_grad=True)
        self.array = lambda tensor: tensor.detach().numpy()


# Of all processes' values, what each has after the operator.
TWINS = {
    "all_reduce": lambda lib, hs: [folded(add, hs) for _ in hs],
    "reduce": lambda lib, hs: [folded(add, hs) if r == 1 else 0 * h for r, h in enumerate(hs)],
    "broadcast": lambda lib, hs: [hs[1] + 0 * h for h in hs],
    "all_gather": lambda lib, hs: [lib.join(hs, 1) for _ in hs],
    "reduce_scatter": lambda lib, hs: [_part(folded(add, hs), r, len(hs)) for r in range(len(hs))],
    "all_to_all": lambda lib, hs: [lib.join([_part(h, r, len(hs)) for h in hs], 1) for r in range(len(hs))],
    "ring": lambda lib, hs: [1 * hs[r - 1] for r in range(len(hs))],
}
OPTIONS = {"reduce": {"root": 1}, "broadcast": {"root": 1}, "all_gather": {"axis": 1}}
OPTIONS |= {"reduce_scatter": {"axis": -1}, "all_to_all": {"axis": 1}}


def _part(h, rank, size):
    length = h.shape[1] // size
    return h[:, rank * length : (rank + 1) * length]


def operated(lib, name, h, spare):
    """The operator's result, and what stands for messages that were sent."""
    if name != "ring":
        return getattr(d, name)(h, group=lib.group, **OPTIONS.get(name, {})), None
    token = d.send(h, dest=(lib.rank + 1) % lib.size, group=lib.group)
    return d.recv(spare, source=(lib.rank - 1) % lib.size, group=lib.group), token


def derivatives(lib, y_and_token, x, spare, weights):
    """Derivatives of the first three orders, each of the sum of what all processes differentiate."""
    y, sent = y_and_token
    value = lib.sum(weights * y**3)
    messages = [] if sent is None else [sent]
    found = []
    for order in range(3):
        value = folded(add, map(lib.sum, messages), value)
        gradients = lib.grad(value, [x, spare] if messages else [x], create_graph=order < 2)
        found.append(lib.array(gradients[0]))
        value = lib.sum(gradients[0] ** 2)
        messages += gradients[1:]
    return found


def check(lib, name):
    """Compare this process's derivatives with those of the twin."""
    shape = (2, 3 * lib.size)
    xs, scales = RANDOM.standard_normal((2, lib.size, *shape))
    values = [lib.leaf(x) for x in xs]
    hs = [lib.sin(x * lib.leaf(scale)) for x, scale in zip(values, scales, strict=True)]
    ys = TWINS[name](lib, hs)
    weights = [RANDOM.standard_normal(tuple(y.shape)) for y in ys]
    value = folded(add, [lib.sum(lib.leaf(w) * y**3) for w, y in zip(weights, ys, strict=True)])
    expected = []
    for order in range(3):
        gradients = lib.grad(value, values, create_graph=order < 2)
        expected.append(lib.array(gradients[lib.rank]))
        value = folded(add, [lib.sum(g**2) for g in gradients])

    x, spare = lib.leaf(xs[lib.rank]), lib.zeros(shape)
    h = lib.sin(x * lib.leaf(scales[lib.rank]))
    y = operated(lib, name, h, spare)
    np.testing.assert_allclose(lib.array(y[0]), lib.array(ys[lib.rank]), rtol=1e-12)
    found = derivatives(lib, y, x, spare, lib.leaf(weights[lib.rank]))
    for mine, other in zip(found, expected, strict=True):
        assert np.abs(other).max() > 1e-3 or name in ("reduce", "broadcast")
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12, err_msg=name)


def main():
    if sys.argv[1] == "gloo":
        rank, size, file = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
        lib, engine = OverGloo(rank, size, file), nullcontext()
    else:
        import pullback as pb

        lib, engine = OverMPI(), pb.use_engine(sys.argv[2])
    with engine:
        for name in TWINS:
            check(lib, name)
    print(f"rank {lib.rank} of {lib.size}: right")


main()
