"""Derivatives written once in Python: right to every order, linted, and compiled to C++.

>>> import pullback as pb
>>> @pb.formula
... def simple(a, b):
...     t = a + b
...     def simple_pullback(grad):
...         return grad * b, grad * t + grad * b
...     return t * b, simple_pullback

The public names stand in `_surface`. They are imported when the first of them is asked for, so that a command
which only reads text, as lint does, starts without NumPy and SciPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .transpile.version import __version__ as __version__

if TYPE_CHECKING:
    from . import func as func
    from . import numpy as numpy
    from ._surface import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """A public name, or a module of the package that the public names bring."""
    if name == "func":  # it needs optree, which takes as long to import as the rest
        return import_module(".func", __name__)
    surface = import_module("._surface", __name__)
    public = getattr(surface, "__all__", None)
    if public is None:  # asked for while they are being imported
        return getattr(surface, name)
    names = globals()
    names.update({public_name: getattr(surface, public_name) for public_name in public}, __all__=public)
    if name not in names:
        if name in surface.primitives.__all__:
            raise AttributeError(
                f"pb.{name} is pullback.primitives.{name}: write `from pullback import primitives`"
            )
        if name in surface.errors.__all__:
            raise AttributeError(f"pb.{name} is pb.errors.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return names[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__"), "func"})
