"""Collectives of ``torch.distributed``: they write their output into an argument, and PyTorch records none.

Source: PyTorch's documentation of ``torch.distributed``, "Collective functions". Those of
``torch.distributed.nn`` are differentiable, and stand not here.
"""

from __future__ import annotations

from typing import NamedTuple


class Collective(NamedTuple):
    """The arguments that a collective writes and reads, each by position and name."""

    writes: tuple[int, str]
    reads: tuple[int, str]


_IN_PLACE = Collective((0, "tensor"), (0, "tensor"))
_INTO_TENSOR = Collective((0, "output_tensor"), (1, "input_tensor"))
_INTO_OUTPUT = Collective((0, "output"), (1, "input"))
COLLECTIVES = {
    "all_reduce": _IN_PLACE,
    "broadcast": _IN_PLACE,
    "reduce": _IN_PLACE,
    "all_gather": Collective((0, "tensor_list"), (1, "tensor")),
    "all_gather_into_tensor": _INTO_TENSOR,
    "_all_gather_base": _INTO_TENSOR,
    "reduce_scatter": Collective((0, "output"), (1, "input_list")),
    "reduce_scatter_tensor": _INTO_OUTPUT,
    "_reduce_scatter_base": _INTO_OUTPUT,
    "all_to_all": Collective((0, "output_tensor_list"), (1, "input_tensor_list")),
    "all_to_all_single": _INTO_OUTPUT,
    "gather": Collective((1, "gather_list"), (0, "tensor")),
    "scatter": Collective((0, "tensor"), (1, "scatter_list")),
}


MODULES = ("torch.distributed", "torch.distributed.distributed_c10d")
SENDS = ("send", "isend")
RECEIVES = ("recv", "irecv")


def message(dotted: str) -> str:
    """The name of a message between two processes, or "".

    >>> message("torch.distributed.isend"), message("torch.distributed.P2POp"), message("queue.send")
    ('isend', 'P2POp', '')
    """
    module, _, name = dotted.rpartition(".")
    return name if module in MODULES and name in (*SENDS, *RECEIVES, "P2POp") else ""


def collective(dotted: str) -> Collective | None:
    """The collective of a full name, or None.

    >>> collective("torch.distributed.all_reduce").writes
    (0, 'tensor')
    >>> collective("torch.distributed.nn.functional.all_reduce") is None
    True
    """
    module, _, name = dotted.rpartition(".")
    return COLLECTIVES.get(name) if module in MODULES else None
