"""Views and in-place writes: what a write does to the history of all that share the memory.

A view knows its base (a tensor that is no view), and how many recorded writes
the base and its views had when the view's history was made. After another
write that history is of values which are gone. It is made anew when somebody
asks: the view is a region of its base, whose history is up to date.

A write into a view gives its base the history `overwrite`: the base as it was,
with a region cleared, and the values written there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...transpile.ir import Param, Var
from ..core.dispatch import engine_of
from ..core.errors import MutationError
from ..core.grad_mode import recording
from ..core.operator import Variant
from ..primitives.plumbing import Like, broadcast_like, sum_to
from ..primitives.regions import Region, clear_region, region_of, spread_region, take_region

# How a view was made: by an operator of the library, recorded or with nothing to record; with
# recording off; by a formula of a user, whose gradient a region of the base would not have.
# And one that was made a leaf of its own, by requires_grad_().
PLAIN, UNRECORDED, BY_FORMULA, MADE_LEAF = "plain", "unrecorded", "formula", "leaf"


def root_of(tensor: Any) -> Any:
    """The base of a view; the tensor itself where it is none."""
    base = tensor._base
    return tensor if base is None else base


def overlaps(array: np.ndarray[Any, Any]) -> bool:
    """True where two entries are the same memory, as in a broadcast array."""
    if array.flags.c_contiguous:
        return False
    return array.size > 0 and any(
        n > 1 and stride == 0 for n, stride in zip(array.shape, array.strides, strict=True)
    )


# Why a view is refused after a recorded write into its base, and why such a write into it.
STALE = {
    UNRECORDED: "was made with recording off, and what it looks at was changed by a recorded in-place write "
    "since: whether it has a gradient is ambiguous. Make the view again, or have both under pb.no_grad()",
    BY_FORMULA: "was returned by a formula of its input, and what it looks at was changed by a recorded "
    "in-place write since, which would take the formula's place in the gradient. Return a copy from the "
    "formula, or write into a copy",
    MADE_LEAF: "was made a leaf by requires_grad_(), but is a view, and what it looks at was changed by a "
    "recorded in-place write since: its value has a history now. Have x.copy() require grad instead",
}
WHY_NOT_WRITTEN = {
    UNRECORDED: "was made with recording off, and is written with recording on: whether its base has a "
    "gradient then is ambiguous. Do both under pb.no_grad(), or neither",
    BY_FORMULA: "was returned by a formula of its input, and the write would take the formula's place in the "
    "gradient. Return a copy from the formula, or write into x.copy()",
    MADE_LEAF: "was made a leaf by requires_grad_(), or is a view of one, and its gradient is that of its "
    "value: write under pb.no_grad(), or into x.copy()",
}


def renew(view: Any) -> None:
    """Make the history of a view anew, after a recorded write into its base. Raises MutationError."""
    if view._made != PLAIN:
        raise MutationError(f"a view ({described(view)}) {STALE[view._made]}")
    base = view._base
    with recording():
        view._rebase(take_region(base, region=region_of(base._array, view._array)))


def overwritten(root: Any, value: Any, region: Region) -> Any:
    """The history of `root` after the values, broadcast, were written into a region of it."""
    engine = engine_of(root)
    assert engine is not None
    return engine.apply(_OVERWRITE, (root, value), {"region": region})


def overwritten_by(root: Any, value: Any, view: Any) -> Any:
    """The history of `root` after the values were written into a view of it."""
    return overwritten(root, value, region_of(root._array, view._array))


def described(tensor: Any) -> str:
    """The tensor in a message: its name, shape and dtype."""
    name = f" {tensor.name!r}" if tensor.name else ""
    return f"tensor{name} of shape {tensor.shape} and dtype {tensor.dtype}"


class _Overwrite:
    """The operator of an array whose region was written. The write itself is done before it is called."""

    name = "overwrite"
    inputs = (Param(Var("base", "tensor")), Param(Var("value", "tensor")))
    attributes = (Param(Var("region", "value"), attribute=True),)
    n_results = 1
    n_hidden = 0
    n_plain = 2
    complex = True
    plain_views = False
    result_is_tuple = False
    nondifferentiable: frozenset[int] = frozenset()
    barrier = None
    span = "an in-place write"
    saved = (("plain", 0, "region"), ("plain", 1, "shape"))

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Inputs and attributes as they were given."""
        return tuple(args), dict(kwargs)

    def __init__(self) -> None:
        self.tangent_rules: dict[tuple[bool, ...], Any] = {}

    def jvp(self, base: Any, value: Any, tangent: Any, written: Any, *, region: Region) -> Any:
        """The tangent of the base after the write; the base or the written value may have none."""
        remaining = None if tangent is None else clear_region(tangent, region=region)
        if written is not None:
            whole = broadcast_like(written, Like(region.shape, written.dtype))
            written = spread_region(whole, region=region)
        return written if remaining is None else remaining if written is None else remaining + written

    def forward(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
        """The array, where it was written, and the shape of the value."""
        return inputs[0], attributes["region"], np.shape(inputs[1])

    def backward(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        """The gradients of a write: the written value's part, and the rest for the base before it."""

        def call(saved: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
            (region, shape), (grad,) = saved, cotangents
            base = clear_region(grad, region=region) if needed[0] else None
            if not needed[1]:
                return base, None
            taken = take_region(grad, region=region)
            return base, taken if shape == region.shape else sum_to(taken, Like(shape, grad.dtype))

        return Variant(call, (0, 1), ())


_OVERWRITE = _Overwrite()
