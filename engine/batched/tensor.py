"""`Batched`: a value for each example, seen as the value of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from ..calls.call import call
from ..core.errors import BatchedValueError
from ..numpy.protocol import array_function

# What NumPy is asked about shapes and dtypes, which are those of one example.
_OF_FORMS = frozenset(
    (np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.iscomplexobj, np.isrealobj, np.einsum_path)
)


class Level:
    """One run of `vmap`: how many examples it has. Runs inside of it are of higher `depth`."""

    __slots__ = ("depth", "size")

    def __init__(self, size: int, depth: int) -> None:
        self.size = size
        self.depth = depth


class Batched:
    """A tensor inside of `vmap`: shape, dtype and operators are those of one example.

    `value` holds all of them along its first axis; inside of two `vmap` it is a Batched of the outer one.
    """

    __slots__ = ("level", "value")

    def __init__(self, value: Any, level: Level) -> None:
        self.value = value
        self.level = level

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of an example's axes."""
        return tuple(self.value.shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's dtype of the values."""
        found: np.dtype[Any] = self.value.dtype
        return found

    @property
    def ndim(self) -> int:
        """The number of an example's axes."""
        return int(self.value.ndim) - 1

    @property
    def size(self) -> int:
        """The number of an example's values."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def requires_grad(self) -> bool:
        """True where gradients flow to this value."""
        return bool(self.value.requires_grad)

    def detach(self) -> Batched:
        """The same values without history."""
        return Batched(self.value.detach(), self.level)

    def __getitem__(self, index: Any) -> Any:
        return call("getitem", self, index)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self)))

    def __array_function__(
        self, function: Callable[..., Any], types: Iterable[type], args: Any, kwargs: Any
    ) -> Any:
        if function in _OF_FORMS:
            return function(*map(_form, args), **kwargs)
        return array_function(self, function, types, args, kwargs)

    def __repr__(self) -> str:
        return f"<{self.level.size} examples of shape {self.shape} and dtype {self.dtype}, inside of vmap>"

    def __getattr__(self, name: str) -> NoReturn:
        """Whatever needs the values of one example: `bool()`, `item()`, writes in place."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise BatchedValueError(
            "inside of vmap a tensor stands for all examples at once, and this needs the value of one: write "
            "np.where in the place of a branch, results in the place of writes, or call the function for "
            "each example"
        )


def _form(value: Any) -> Any:
    """An array of an example's shape and dtype, without memory, in the place of a batched value."""
    if type(value) in (list, tuple):
        return type(value)(map(_form, value))
    return np.broadcast_to(np.empty((), value.dtype), value.shape) if type(value) is Batched else value


def innermost(values: Any) -> Level | None:
    """The level of the innermost vmap among the values, lists and tuples entered; None without one."""
    found: Level | None = None
    for value in values:
        level = (
            value.level
            if type(value) is Batched
            else innermost(value)
            if type(value) in (list, tuple)
            else None
        )
        if level is not None and (found is None or level.depth > found.depth):
            found = level
    return found
