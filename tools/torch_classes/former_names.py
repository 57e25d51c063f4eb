"""Names that NumPy had once: while the classes of a file run, each is what took its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any

import numpy

# Aliases only: what took the place of a name is the same thing, or was when the name went.
FORMER = {
    "Inf": "numpy:inf",
    "Infinity": "numpy:inf",
    "NaN": "numpy:nan",
    "PINF": "numpy:inf",
    "alltrue": "numpy:all",
    "bool": "builtins:bool",
    "cfloat": "numpy:complex128",
    "complex": "builtins:complex",
    "complex_": "numpy:complex128",
    "cumproduct": "numpy:cumprod",
    "float": "builtins:float",
    "float_": "numpy:float64",
    "infty": "numpy:inf",
    "int": "builtins:int",
    "longcomplex": "numpy:clongdouble",
    "longfloat": "numpy:longdouble",
    "mat": "numpy:asmatrix",
    "object": "builtins:object",
    "product": "numpy:prod",
    "round_": "numpy:round",
    "row_stack": "numpy:vstack",
    "singlecomplex": "numpy:complex64",
    "sometrue": "numpy:any",
    "str": "builtins:str",
    "string_": "numpy:bytes_",
    "trapz": "numpy:trapezoid",
    "unicode_": "numpy:str_",
}


@contextmanager
def former_names() -> Iterator[dict[str, str]]:
    """Give NumPy its former names; those that were used, and what took their places.

    A name that NumPy still has means what it means there.
    """
    names: dict[str, Any] = vars(numpy)
    ask = names["__getattr__"]
    used: dict[str, str] = {}

    def find(name: str) -> Any:
        place = FORMER.get(name)
        if place is None:
            return ask(name)
        used[f"numpy.{name}"] = place.replace(":", ".").removeprefix("builtins.")
        return resolve_name(place)

    names["__getattr__"] = find
    try:
        yield used
    finally:
        names["__getattr__"] = ask
