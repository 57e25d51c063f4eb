"""Helpers of the formulas of PyTorch's table of derivatives: what its text calls and ATen does not have.

PyTorch has them in C++ (FunctionsManual.cpp), where nothing else can call them. Here each is written from
its mathematics, a file per family, in ATen's vocabulary (`pullback.aten`). A helper that is not written is
refused where it is called: its name gives a function that raises MissingDerivativeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .dtypes import NO_REDUCTION as NO_REDUCTION
from .dtypes import conjugate as conjugate
from .dtypes import geometry as geometry
from .dtypes import handle_r_to_c as handle_r_to_c
from .dtypes import is_complex as is_complex
from .dtypes import maybe_multiply as maybe_multiply
from .dtypes import options as options
from .dtypes import tangent as tangent
from .refusals import MissingDerivativeError as MissingDerivativeError
from .refusals import not_implemented as not_implemented
from .running import needs_gradient as needs_gradient
from .running import records_gradients as records_gradients
from .running import retains_graph as retains_graph


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "CONTIGUOUS":
        from pullback import aten

        return aten.contiguous_format
    return _unwritten(name)


def _unwritten(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise MissingDerivativeError(f"`{name}`, which a formula of the table calls, is not written")

    refuse.__name__ = name
    return refuse
