"""The decorator of a collective operator: one formula, for tensors and arrays, and for torch's tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from ..engine.core.errors import DistributedError
from ..engine.core.registry import FORMULAS
from ..engine.formula.formula import Formula
from ..transpile.ir import Options
from .group import Group
from .mpi import of_communicator

# Between the tag of a message and that of its gradient.
NEXT_ORDER = 1000


class Collective(Formula[Any, Any]):
    """A formula whose forward is the transport of a group.

    torch's tensors run its text as it is: its closure reads no array, and calls another collective operator.
    """

    def __call__(self, *operands: Any, group: Any = None, **arguments: Any) -> Any:
        # Closures, whose calls come after another, use the tags above.
        if len(operands) == 1 and not 0 <= arguments.get("tag", 0) < NEXT_ORDER:
            raise ValueError(
                f"{self.__name__}: tag={arguments['tag']}: give one from 0 to {NEXT_ORDER - 1}; those above "
                "are of the messages of gradients"
            )
        if any(map(_is_torch, operands)):
            from .torch_group import TorchGroup, applied, of_process_group  # late: torch is no requirement

            if isinstance(group, Group) and not isinstance(group, TorchGroup):
                raise TypeError(f"{self.__name__}: a torch tensor, and a {type(group).__name__} for group")
            over_torch = group if isinstance(group, TorchGroup) else of_process_group(group)
            return applied(partial(self.__wrapped__, group=over_torch, **arguments), *operands)
        carrier = group if isinstance(group, Group) else of_communicator(group)
        if group is None and carrier.size == 1 and _processes_of_torch() > 1:
            kinds = ", ".join(type(operand).__name__ for operand in operands)
            raise DistributedError(
                f"{self.__name__}: there are {_processes_of_torch()} processes of torch.distributed, which "
                f"carries torch's tensors, not {kinds}: give a tensor, or group=Alone()"
            )
        return super().__call__(*operands, group=carrier, **arguments)


def collective(function: Callable[..., Any]) -> Collective:
    """Make the operator of a formula that calls `transport`."""
    made = Collective(function, Options())
    FORMULAS.register(made, function)
    return made


def _processes_of_torch() -> int:
    """The number of processes of torch.distributed, one where it is not set up."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 1
    return int(distributed.get_world_size())


def _is_torch(value: Any) -> bool:
    """True for torch's tensors, without an import of torch."""
    return any(base.__module__ == "torch" and base.__name__ == "Tensor" for base in type(value).__mro__)
