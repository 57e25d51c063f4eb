"""What is left of a group of torch.distributed gets where a process ends, or never comes.

Arguments: "dies" or "late", rank, size and a file.
"""

import os
import sys
import time
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

from pullback import distributed
from pullback.distributed import DistributedError


def main():
    what, rank, size, file = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    dist.init_process_group(
        "gloo",
        init_method=f"file://{file}",
        rank=rank,
        world_size=size,
        timeout=timedelta(seconds=3 if what == "late" else 120),
    )
    with pytest.raises(DistributedError, match="carries torch's tensors, not float: give a tensor"):
        distributed.all_reduce(1.0)
    assert distributed.all_reduce(1.0, group=distributed.Alone()) == 1.0
    x = torch.ones(2, requires_grad=True)
    y = distributed.all_reduce(x)
    if rank == 1 and what == "late":
        time.sleep(15)
    if rank == 1:
        os._exit(0)
    began = time.monotonic()
    for name in ("all_gather", "broadcast"):
        with pytest.raises(DistributedError, match=rf"{name}: torch\.distributed failed on rank 0 of 2: "):
            getattr(distributed, name)(x)
    with pytest.raises(DistributedError, match=r"all_reduce: torch\.distributed failed on rank 0 of 2: "):
        torch.autograd.grad(y.sum(), x)
    assert time.monotonic() - began < 14
    print("rank 0: told", flush=True)
    os._exit(0)  # a group that has failed ends in no better way


main()
