"""Type parameters of operators, for type checkers: a call's parameters, and its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

if TYPE_CHECKING:
    # A bare `Formula` is one of any parameters and results. Defaults are new in Python 3.13.
    from typing_extensions import ParamSpec, TypeVar

    from ..tensor.base import Tensor as Tensor

    P = ParamSpec("P", default=...)
    R_co = TypeVar("R_co", covariant=True, default=Any)

    class OperatorCall(Protocol):
        """A function with one result: a tensor where one of its first three arguments is, or has some."""

        @overload
        def __call__(self, x: Tensor | Sequence[Tensor], /, *args: Any, **kwargs: Any) -> Tensor: ...
        @overload
        def __call__(self, x: Any, y: Tensor, /, *args: Any, **kwargs: Any) -> Tensor: ...
        @overload
        def __call__(self, x: Any, y: Any, z: Tensor, /, *args: Any, **kwargs: Any) -> Tensor: ...
        @overload
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
else:
    from typing import ParamSpec, TypeVar

    Tensor = Any
    OperatorCall = Callable[..., Any]
    P = ParamSpec("P")
    R_co = TypeVar("R_co", covariant=True)

Q = ParamSpec("Q")
S = TypeVar("S")

# What a formula's function returns beside its result.
Closure = Callable[..., Any]
# Results of functions that are no operators yet, as those of NumPy.
Array = np.ndarray[Any, Any] | np.generic | complex
Arrays = Array | Sequence[Array]


class Routine:
    """An object that `help` shows as a function, with its signature; no method of a class that holds it."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self
