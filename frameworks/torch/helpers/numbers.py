"""Numbers and dtypes beside tensors."""

from __future__ import annotations

from functools import reduce
from typing import Any

import torch


def scalar(value: Any, x: torch.Tensor) -> torch.Tensor:
    """The number as a tensor beside `x`, whose dtype it does not widen.

    >>> scalar(0.5, torch.ones(2))
    tensor(0.5000)
    """
    if isinstance(value, torch.Tensor) or not isinstance(x, torch.Tensor):
        return value
    own = dtype_of(value)
    return torch.as_tensor(value, dtype=x.dtype if kind_of(own) <= kind_of(x.dtype) else own, device=x.device)


def dtype_of(value: Any) -> torch.dtype:
    """The dtype of an array that NumPy fills with this.

    >>> dtype_of(0.5)
    torch.float64
    """
    if isinstance(value, torch.Tensor):
        return value.dtype
    if isinstance(value, tuple | list):
        return reduce(torch.promote_types, map(dtype_of, value)) if value else torch.float64
    kinds = ((bool, torch.bool), ((int, torch.SymInt), torch.int64), (complex, torch.complex128))
    return next((dtype for kind, dtype in kinds if isinstance(value, kind)), torch.float64)


def array_of(value: Any, device: Any = None) -> torch.Tensor:
    """NumPy's array of a number, or of tuples of them.

    >>> array_of(0.5)
    tensor(0.5000, dtype=torch.float64)
    >>> array_of((1, 2))
    tensor([1, 2])
    """
    return torch.as_tensor(value, dtype=dtype_of(value), device=device)


def kind_of(dtype: torch.dtype) -> int:
    """The place of a dtype among booleans, integers, floats and complex numbers."""
    if dtype.is_complex:
        return 3
    return 2 if dtype.is_floating_point else int(dtype != torch.bool)


def counted(x: Any, y: Any) -> Any:
    """The mask `x` as numbers of the dtype that NumPy takes it in beside `y`.

    >>> 1 - counted(torch.tensor([True, False]), 1)
    tensor([0, 1])
    """
    return x.to(dtype_of(y)) if isinstance(x, torch.Tensor) else x


def widened(x: Any, beside: Any = 1.0) -> Any:
    """The tensor in double precision, as NumPy computes with integers and with its own float64 numbers.

    Integers stay what they are `beside` a number that is one.

    >>> widened(torch.tensor([1, 2])).dtype, widened(torch.tensor([1, 2]), 3).dtype
    (torch.float64, torch.int64)
    """
    if not isinstance(x, torch.Tensor):
        return x
    if isinstance(beside, int | torch.SymInt) and kind_of(x.dtype) < 2:
        return x
    return x.to(torch.complex128 if x.is_complex() else torch.float64)


def check_inputs(name: str, tensors: dict[str, Any], optional: dict[str, Any] | None = None) -> None:
    """Raise for operands that are no tensors, are on several devices, or have other dtypes than NumPy's.

    >>> check_inputs("scaled", {"x": torch.ones(2), "y": torch.tensor(1.0, dtype=torch.float64)})
    Traceback (most recent call last):
        ...
    TypeError: scaled: NumPy makes float64 of the 0-d `y` and torch.float32, PyTorch does not: convert one
    """
    given = {**tensors, **{key: x for key, x in (optional or {}).items() if x is not None}}
    for key, x in given.items():
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name}: `{key}` must be a torch.Tensor, not {type(x).__name__}")
        if x.is_complex():
            raise TypeError(f"{name}: `{key}` is {x.dtype}: the formula's gradients are those of real inputs")
    check_dtypes(name, given)
    check_devices(name, given)


def check_list(name: str, argument: str, tensors: Any) -> None:
    """Raise for a list of operands that is none, or one of whose elements `check_inputs` refuses.

    >>> check_list("joined", "parts", torch.ones(2))
    Traceback (most recent call last):
        ...
    TypeError: joined: `parts` must be a list of torch.Tensor, not Tensor
    """
    if tensors is None or isinstance(tensors, torch.Tensor):
        raise TypeError(f"{name}: `{argument}` must be a list of torch.Tensor, not {type(tensors).__name__}")
    check_inputs(name, {f"{argument}[{k}]": x for k, x in enumerate(tensors)})


def check_attributes(name: str, attributes: dict[str, Any]) -> None:
    """Raise TypeError for an attribute that is a tensor which is differentiated: it would have no gradient.

    >>> check_attributes("scaled", {"by": torch.tensor(2.0, requires_grad=True)})
    Traceback (most recent call last):
        ...
    TypeError: scaled: `by` is an attribute, which has no gradient, and is a tensor that requires one
    """
    for key, value in attributes.items():
        if isinstance(value, torch.Tensor) and (
            value.requires_grad or torch.autograd.forward_ad.unpack_dual(value).tangent is not None
        ):
            raise TypeError(
                f"{name}: `{key}` is an attribute, which has no gradient, and is a tensor that requires one"
            )


def check_devices(name: str, given: dict[str, torch.Tensor]) -> None:
    """Raise RuntimeError for tensors on several devices; numbers may be on another one."""
    placed = [(key, x) for key, x in given.items() if x.ndim > 0]
    for key, x in placed[1:]:
        if x.device != placed[0][1].device:
            raise RuntimeError(
                f"{name}: `{placed[0][0]}` is on {placed[0][1].device}, `{key}` on {x.device}: "
                "all tensors must be on one device"
            )


def check_dtypes(name: str, given: dict[str, torch.Tensor]) -> None:
    """Raise TypeError for tensors that PyTorch would promote to another dtype than NumPy."""
    for key, x in given.items():
        if not (x.is_floating_point() or x.is_complex() or x.dtype == torch.bool):
            raise TypeError(f"{name}: `{key}` is {x.dtype}: NumPy makes float64 of it, PyTorch does not")
    for key, x in given.items():
        for other in given.values():
            if x.ndim > 0 or other.ndim == 0 or torch.bool in (x.dtype, other.dtype):
                continue
            if torch.finfo(other.dtype).bits < torch.finfo(x.dtype).bits:
                wide = str(x.dtype).removeprefix("torch.")
                raise TypeError(
                    f"{name}: NumPy makes {wide} of the 0-d `{key}` and {other.dtype}, PyTorch does not: "
                    "convert one"
                )
