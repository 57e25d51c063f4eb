"""Arrays and functions of other libraries: gradients would be lost, or be others."""

from __future__ import annotations

from functools import lru_cache
from numbers import Number
from typing import Any

from .errors import ForeignArrayError

_PROTOCOLS = (
    "__array__",
    "__array_interface__",
    "__array_function__",
    "__dlpack__",
    "__jax_array__",
    "__torch_function__",
)
_ARITHMETIC = ("__add__", "__mul__")
_KNOWN = (Number, str, bytes, bytearray, list, tuple)


@lru_cache(maxsize=1000)  # asked of a type at every call with a value of it
def is_foreign(kind: type) -> bool:
    """Tell whether values of a type are arrays, or count as such, that are neither NumPy's nor tensors.

    That is what exports its memory by a protocol, and what has arithmetic of its own.

    >>> import numpy as np, array
    >>> is_foreign(np.float32), is_foreign(list), is_foreign(array.array)
    (False, False, True)
    """
    if kind.__module__.partition(".")[0] == "numpy" or any(
        base.__module__ == "numpy" for base in kind.__mro__
    ):
        return False
    if any(hasattr(kind, name) for name in _PROTOCOLS):
        return True
    return all(hasattr(kind, name) for name in _ARITHMETIC) and not issubclass(kind, _KNOWN)


def refuse_foreign(value: Any) -> None:
    """Raise ForeignArrayError for an array of another library, with the call that converts it."""
    kind = type(value)
    if not is_foreign(kind):  # type: ignore[arg-type]  # mypy asks for __hash__ of its instances
        return
    library = kind.__module__.partition(".")[0]
    name = kind.__qualname__ if library in ("builtins", "__main__") else f"{library}.{kind.__qualname__}"
    raise ForeignArrayError(
        f"pullback takes tensors, NumPy arrays and numbers, not {name}: derivatives would be those of "
        f"{library if library not in ('builtins', '__main__') else name}, or be lost. "
        f"Convert it first: {_conversion(kind, library)}; and take gradients with pb.grad"
    )


def refuse_foreign_function(function: Any) -> None:
    """Raise TypeError for a function of PyTorch or JAX, whose own derivative tensors would pass by."""
    owner = getattr(function, "__self__", function)
    kind = owner if isinstance(owner, type) else type(function)
    origins = [base.__module__ for base in kind.__mro__]
    name = getattr(owner, "__name__", kind.__name__)
    for library, made, instead in (
        (
            "torch",
            "pullback.torch.",
            "`pullback check FILE::NAME` checks a class of torch.autograd.Function, and "
            "torch.autograd.gradcheck any function",
        ),
        ("jax", "pullback.jax.", "jax.test_util.check_grads checks it"),
    ):
        if any(origin.startswith(made) for origin in origins):
            instead = "give the formula that it is made of"
        elif not any(origin.partition(".")[0] in (library, f"{library}lib") for origin in origins):
            continue
        raise TypeError(
            f"gradcheck gives a function tensors of this package, and {name} is one of {library}: {instead}"
        )


def _conversion(kind: type, library: str) -> str:
    if library in ("jax", "jaxlib"):
        return (
            "pb.tensor(np.asarray(x), requires_grad=True), or pb.from_dlpack(x) without a copy; "
            "or make the formula a function of JAX: pullback.jax.function(f)"
        )
    if library == "torch":
        return (
            "pb.tensor(x.detach().numpy(), requires_grad=True), or pb.from_dlpack(x.detach()) without a copy"
        )
    if hasattr(kind, "__dlpack__"):
        return "pb.tensor(np.asarray(x), requires_grad=True), or pb.from_dlpack(x) without a copy"
    return "pb.tensor(np.asarray(x), requires_grad=True)"
