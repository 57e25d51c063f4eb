"""The names that a statement of a random program may use, by what they hold."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from types import FunctionType
from typing import Any

import numpy as np

INPUTS = ("x", "y", "z", "s")
GIVEN = {"idx", "mask", "n", "scale", "flag", "weights", "table", "hops"}


@dataclass(frozen=True)
class Scope:
    """Names that a statement may use; `own` ones may be assigned to. `inside` a block, few are new.

    `positions` and `masks` hold arrays of integers and of bools, `integers` and `floats` Python's numbers.
    """

    tensors: tuple[str, ...] = INPUTS
    positions: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    integers: tuple[str, ...] = ()
    floats: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    tuples: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    dictionaries: tuple[str, ...] = ()
    inside: bool = False

    @property
    def own(self) -> list[str]:
        """Tensors that are not inputs."""
        return [name for name in self.tensors if name not in INPUTS]

    def holding(self, **names: str) -> Scope:
        """With a name that now holds a tensor, an integer or a list, whatever it held before."""
        ((kind, name),) = names.items()
        without = {field: tuple(each for each in getattr(self, field) if each != name) for field in _KINDS}
        return replace(self, **{**without, kind: (*without[kind], name)})

    @classmethod
    def left_by(cls, found: dict[str, Any]) -> Scope:
        """What a run has left."""
        held: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for name, value in found.items():
            kind = kind_of(value)
            if name not in GIVEN and kind is not None:
                held[kind].append(name)
        return cls(**{kind: tuple(names) for kind, names in held.items()})


_KINDS = tuple(field.name for field in fields(Scope) if field.name != "inside")
_OF_DTYPES = {"f": "tensors", "i": "positions", "b": "masks"}
_OF_TYPES: dict[type, str] = {
    int: "integers",
    float: "floats",
    list: "lists",
    tuple: "tuples",
    FunctionType: "functions",
    dict: "dictionaries",
}


def kind_of(value: Any) -> str | None:
    """The field of `Scope` for names that hold such a value; None for what programs do not use again."""
    if isinstance(value, np.ndarray | np.generic):
        return _OF_DTYPES.get(value.dtype.kind)
    return _OF_TYPES.get(type(value))
