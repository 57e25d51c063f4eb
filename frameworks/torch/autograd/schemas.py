"""Facts of an operator of ATen that its schema states: of its results, and of what it writes into."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

_has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key


@dataclass(frozen=True)
class Facts:
    """Facts about an operator.

    name        "add.Tensor"
    stated      the operator whose formula is for this one, too: "add.Tensor" for "add_.Tensor", which writes
                what that returns, and "permute" for "permute_copy", which returns a copy of what that returns
    in_place    whether it writes into its first argument, and returns it
    copies      whether it returns a copy of what others return as a view
    written     positions of all arguments that it writes into
    out         whether it writes into an argument `out`
    view        whether its results are views
    reshapes    whether it changes in place how a tensor shows its memory, as `t_` does
    composite   whether it is made of other operators, which have the derivatives
    """

    name: str
    stated: str
    in_place: bool
    copies: bool
    written: tuple[int, ...]
    out: bool
    view: bool
    reshapes: bool
    composite: bool


@cache
def facts_of(operator: Any) -> Facts:
    """Facts about an overload of ATen."""
    schema = operator._schema
    name = operator.name().removeprefix("aten::").removesuffix(".default")
    base, dot, overload = name.partition(".")
    arguments = schema.arguments
    written = tuple(k for k, each in enumerate(arguments) if each.alias_info and each.alias_info.is_write)
    views = (each.alias_info is not None and not each.alias_info.is_write for each in schema.returns)
    foreach = base.startswith("_foreach_") and _has_kernel(operator.name(), "CompositeExplicitAutograd")
    in_place = written[:1] == (0,) and base.endswith("_") and not base.endswith("__")
    copies = base.endswith("_copy") and not written
    stated = base.removesuffix("_") if in_place else base.removesuffix("_copy")
    return Facts(
        name,
        f"{stated}{dot}{overload}",
        in_place,
        copies,
        written,
        any(arguments[k].is_out for k in written),
        any(views),
        torch.Tag.inplace_view in operator.tags,
        foreach or _has_kernel(operator.name(), "CompositeImplicitAutograd"),
    )


def decompose(operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a composite operator as the calls of others that it is made of."""
    if operator.name().startswith("aten::_foreach_"):
        return operator._op_dk(torch._C.DispatchKey.CompositeExplicitAutograd, *args, **kwargs)
    return operator.decompose(*args, **kwargs)
