"""Collective operators in transforms of torch.func: refused by name, before anything is sent.

Arguments: rank, size and a file.
"""

import sys
import warnings

import torch
import torch.distributed as dist

from pullback import distributed
from pullback.distributed import DistributedError


def main():
    warnings.simplefilter("ignore", DeprecationWarning)  # of PyTorch's own, in forward mode
    rank, size, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=size)
    x, refused = torch.ones(2, 2), 0
    for name in ("all_reduce", "reduce", "broadcast", "all_gather", "all_to_all"):
        operator = getattr(distributed, name)
        transformed = [
            torch.func.grad(lambda x, operator=operator: operator(x).sum()),
            torch.vmap(operator),
            lambda x, operator=operator: torch.func.jvp(operator, (x,), (x,)),
        ]
        for run in transformed:
            try:
                run(x)
            except DistributedError as error:
                refused += str(error).startswith(f"{name}: no transform of torch.func")
    print(f"rank {rank} of {size}: refused {refused}")
    dist.destroy_process_group()


main()
