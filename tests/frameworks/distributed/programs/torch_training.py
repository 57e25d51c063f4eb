"""A registered operator in DistributedDataParallel and in FSDP2, beside PyTorch's own operators.

Arguments: rank, size and a file.
"""

import sys

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

import pullback as pb
import pullback.torch


@pb.formula
def gated(x, scale):
    t = np.tanh(x * scale)
    return x * t, lambda grad: (grad * (t + x * scale * (1 - t * t)), grad * x * x * (1 - t * t))


class Ours(torch.nn.Module):
    def __init__(self, operator):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
        self.scale = torch.nn.Parameter(torch.full((4,), 0.7))
        self.operator = operator

    def forward(self, x):
        return self.second(self.operator(self.first(x), self.scale))


def trained(operator, wrap, rank):
    """The losses of five steps."""
    model = wrap(Ours(operator))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    random = torch.Generator().manual_seed(rank)
    losses = []
    for _ in range(5):
        x = torch.randn(6, 3, generator=random)
        loss = (model(x) - x[:, :2]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    rank, size, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=size)
    mesh = init_device_mesh("cpu", (size,))
    forms = [pullback.torch.function(gated), pullback.torch.register("test_distributed", gated)]
    forms.append(pullback.torch.register("test_distributed", gated, name="compiled", compiled=True))
    for wrap in (DistributedDataParallel, lambda model: fully_shard(model, mesh=mesh)):
        plain = trained(lambda x, scale: x * torch.tanh(x * scale), wrap, rank)
        for form in forms:
            np.testing.assert_allclose(trained(form, wrap, rank), plain, rtol=1e-5)
    print(f"rank {rank} of {size}: right")
    dist.destroy_process_group()


main()
