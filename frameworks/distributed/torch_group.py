"""torch's tensors, carried by torch.distributed."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import Any

import torch
import torch.distributed as dist

from ..engine.core.errors import DistributedError
from .group import Group, call_text, different, digest, unlike

_DTYPES = [dtype for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)]
_HEAD = 18  # numbers that go before a message: its dtype, how many axes it has, and their lengths


class TorchGroup(Group):
    """The processes of a process group of torch.distributed; all of them for None.

    How long they wait for each other is the timeout of the process group. That they call the same operator
    with equal shapes is checked for tensors of the CPU, and elsewhere where TORCH_DISTRIBUTED_DEBUG is set:
    the check waits for the device.
    """

    def __init__(self, process_group: Any = None) -> None:
        if not dist.is_initialized():
            raise DistributedError(
                "torch's tensors are carried by torch.distributed, which is not set up: call "
                "torch.distributed.init_process_group first"
            )
        self._group = process_group
        self._outgoing: list[tuple[Any, Any]] = []
        self.rank = dist.get_rank(process_group)
        self.size = dist.get_world_size(process_group)

    def total(self, x: Any) -> Any:
        made = self._agreed("all_reduce", x).clone(memory_format=torch.contiguous_format)
        dist.all_reduce(made, group=self._group)
        return made

    def total_at(self, x: Any, root: int) -> Any:
        self.check_rank("reduce", "root", root)
        made = self._agreed("reduce", x, root=root).clone(memory_format=torch.contiguous_format)
        dist.reduce(made, group_dst=root, group=self._group)
        return made if self.rank == root else torch.zeros_like(x)

    def value_of(self, x: Any, root: int) -> Any:
        self.check_rank("broadcast", "root", root)
        made = self._agreed("broadcast", x, root=root).clone(memory_format=torch.contiguous_format)
        dist.broadcast(made, group_src=root, group=self._group)
        return made

    def joined(self, x: Any, axis: int) -> Any:
        axis = self.axis_of("all_gather", x, axis, False)
        front = self._agreed("all_gather", x, axis=axis).movedim(axis, 0).contiguous()
        made = front.new_empty((self.size * front.shape[0], *front.shape[1:]))
        dist.all_gather_single(made, front, group=self._group)
        return made.movedim(0, axis).contiguous()

    def part_of_total(self, x: Any, axis: int) -> Any:
        axis = self.axis_of("reduce_scatter", x, axis, True)
        front = self._agreed("reduce_scatter", x, axis=axis).movedim(axis, 0).contiguous()
        made = front.new_empty((front.shape[0] // self.size, *front.shape[1:]))
        dist.reduce_scatter_single(made, front, group=self._group)
        return made.movedim(0, axis).contiguous()

    def exchanged(self, x: Any, axis: int) -> Any:
        axis = self.axis_of("all_to_all", x, axis, True)
        front = self._agreed("all_to_all", x, axis=axis).movedim(axis, 0).contiguous()
        made = torch.empty_like(front)
        dist.all_to_all_single(made, front, group=self._group)
        return made.movedim(0, axis).contiguous()

    def sent(self, x: Any, dest: int, tag: int) -> Any:
        self.check_rank("send", "dest", dest)
        if x.ndim > _HEAD - 2:
            raise ValueError(f"send: an array of {x.ndim} axes, and {_HEAD - 2} is the most")
        numbers = [_DTYPES.index(x.dtype), x.ndim, *x.shape]
        head = torch.tensor(numbers + [0] * (_HEAD - len(numbers)), device=x.device)
        self._outgoing = [(work, held) for work, held in self._outgoing if not work.is_completed()]
        for message in (head, x.clone(memory_format=torch.contiguous_format)):
            work = dist.isend(message, group_dst=dest, group=self._group, tag=tag)
            self._outgoing.append((work, message))
        return torch.zeros_like(x)

    def received(self, like: Any, source: int, tag: int) -> Any:
        self.check_rank("recv", "source", source)
        head = torch.empty(_HEAD, dtype=torch.int64, device=like.device)
        dist.recv(head, group_src=source, group=self._group, tag=tag)
        kind, axes, *shape = head.tolist()
        made = torch.empty(shape[:axes], dtype=_DTYPES[kind], device=like.device)
        dist.recv(made, group_src=source, group=self._group, tag=tag)
        if (made.shape, made.dtype) != (like.shape, like.dtype):
            raise unlike(made.shape, made.dtype, like, source)
        return made

    def zeros(self, x: Any) -> Any:
        return torch.zeros_like(x)

    def _agreed(self, operator: str, x: Any, **arguments: int) -> Any:
        """The tensor, after all processes said that they are at the same call. Raises DistributedError."""
        if x.device.type != "cpu" and os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF") == "OFF":
            return x
        here = call_text(operator, x, arguments)
        mine = torch.tensor([digest(here)], device=x.device)
        everywhere = mine.new_empty(self.size)
        dist.all_gather_single(everywhere, mine, group=self._group)
        if (everywhere != mine).any():
            calls: list[Any] = [None] * self.size
            dist.all_gather_object(calls, here, group=self._group)
            raise different(operator, calls)
        return x


class _Collective(torch.autograd.Function):
    """A collective operator on torch tensors: `run` gives its result and its closure, which calls another."""

    @staticmethod
    def forward(ctx: Any, run: partial[Any], *operands: Any) -> Any:
        try:
            made, ctx.closure = run(*operands)
        except DistributedError:
            raise
        except RuntimeError as error:
            where = f"rank {dist.get_rank()} of {dist.get_world_size()}"
            message = f"{run.func.__name__}: torch.distributed failed on {where}: {error}"
            raise DistributedError(message) from error
        ctx.run, ctx.are_tensors = run, [isinstance(operand, torch.Tensor) for operand in operands]
        return made

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        found = ctx.closure(*grads)
        found = found if isinstance(found, tuple) else (found,)
        # An operand that was left out has a gradient in the closure, and none here.
        pairs = zip(ctx.are_tensors, found, strict=False)
        return None, *(grad if is_tensor else None for is_tensor, grad in pairs)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return applied(ctx.run, *tangents[1:])


def applied(run: partial[Any], *operands: Any) -> Any:
    """The result of `run` on tensors, recorded by torch. Raises DistributedError inside of torch.func."""
    if torch._C._functorch.peek_interpreter_stack() is not None:
        raise DistributedError(
            f"{run.func.__name__}: no transform of torch.func, as grad, jvp or vmap, goes through messages "
            "between processes: differentiate with torch.autograd"
        )
    return _Collective.apply(run, *operands)


@cache
def of_process_group(process_group: Any) -> TorchGroup:
    """The group of a process group, or of all processes for None."""
    return TorchGroup(process_group)
