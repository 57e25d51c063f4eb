"""Gradients and tangents as people hand them over, in the shape and dtype of what they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dispatch import Engine, engine_of_type, mismatch
from .errors import GradientShapeError, NotDifferentiableError
from .foreign import refuse_foreign


def require_real(output: Any, name: str) -> None:
    """Raise NotDifferentiableError for a complex value: a gradient of ones is that of its real part alone."""
    if output.dtype.kind == "c":
        raise NotDifferentiableError(
            f"{name} is complex: a gradient can be left out for a real value only. Pass one, "
            "or take the gradient of a real part or an absolute value"
        )


def matching(engine: Engine, given: Any, like: Any, whose: str, role: str) -> Any:
    """`given`, a tensor or array, as a tensor of the engine that has the dtype of the tensor `like`.

    whose, role  for messages: "output 0", "gradient"

    Raises GradientShapeError for another shape, NotDifferentiableError for complex numbers in the place of
    real ones, EngineMismatchError.
    """
    found = engine_of_type(type(given))
    if found is None:
        refuse_foreign(given)
        given = np.asarray(given)
    elif found is not engine:
        raise mismatch(engine.name, found.name)
    if given.shape != like.shape:
        raise GradientShapeError(f"{whose} has shape {like.shape}, its {role} {given.shape}")
    refuse_complex(given.dtype, like.dtype, f"{whose} is {like.dtype}, and its {role}")
    if found is None:
        return engine.tensor(given.astype(like.dtype))
    return given if given.dtype == like.dtype else given.astype(like.dtype)


def refuse_complex(given: Any, wanted: Any, what: str) -> None:
    """Raise NotDifferentiableError where values of a complex dtype would be cast to a real one."""
    if given.kind == "c" and np.dtype(wanted).kind != "c":
        raise NotDifferentiableError(
            f"{what} is {given}: its imaginary part would be lost; take its real part"
        )
