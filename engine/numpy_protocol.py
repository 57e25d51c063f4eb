"""NumPy's functions on tensors: what `np.exp(x)` and `np.sum(x)` come down to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import grad_mode
from .call import arrays, call, unrecorded
from .dispatch import engine_of, tensors_in
from .errors import MutationError, NotDifferentiableError
from .numpy_functions import WRITTEN_WITH_OPERATORS
from .registry import FORMULAS

# What ufunc.reduce means, for the ufuncs that have a reduction with a formula.
_REDUCTIONS = {np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min"}

# Functions whose results are no tensors: questions about shapes, dtypes and values.
_QUESTIONS: frozenset[Any] = frozenset(
    {
        np.shape, np.ndim, np.size, np.result_type, np.iscomplexobj, np.isrealobj, np.common_type,
        np.array_equal, np.allclose, np.may_share_memory, np.shares_memory, np.array_repr, np.array_str,
        np.array2string,
    }
)  # fmt: skip


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``np.exp(x)``, and an array on the left of an operator."""
    if kwargs.pop("out", None) is not None:
        raise MutationError(
            "out= and in-place operators on an array would lose the gradient of the tensor in "
            f"np.{ufunc.__name__}; "
            f"write x = np.{ufunc.__name__}(...)"
        )
    if method == "__call__":
        return _run(ufunc, inputs, kwargs)
    if method == "reduce" and ufunc in _REDUCTIONS:
        return call(_REDUCTIONS[ufunc], *inputs, **{"axis": 0, **kwargs})
    return _without_formula(getattr(ufunc, method), f"np.{ufunc.__name__}.{method}", inputs, kwargs)


def array_function(
    self: Any, function: Callable[..., Any], types: Iterable[type], args: Any, kwargs: dict[str, Any]
) -> Any:
    """``np.sum(x)``, ``np.concatenate([x, y])``, ``np.where(mask, x, y)``."""
    if function in _QUESTIONS:
        return function(*map(arrays, args), **{key: arrays(value) for key, value in kwargs.items()})
    if kwargs.get("out") is not None:
        raise MutationError(f"out= in np.{function.__name__} would lose the gradient; write x = ...")
    return _run(function, args, kwargs)


def _run(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    word = FORMULAS.word(function)
    if word is not None and word.derivative == "zero":
        engine = engine_of(*args, *kwargs.values())
        assert engine is not None, "NumPy asks only types that it found among the arguments"
        return unrecorded(engine, function, args, kwargs)
    entry = FORMULAS.find(function)
    if entry is None:
        entry = WRITTEN_WITH_OPERATORS.get(function)
    if entry is not None:
        return entry(*args, **kwargs)
    module = getattr(function, "__module__", None) or "numpy"
    return _without_formula(function, f"{module}.{function.__name__}", args, kwargs)


def _without_formula(function: Callable[..., Any], name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """A function that nobody wrote a formula for: fine as long as no gradient is lost."""
    values = (*args, *kwargs.values())
    if grad_mode.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors_in(values)):
        raise NotDifferentiableError(
            f"{name} has no formula, so its result would have no gradient. Write one with "
            f"@pb.formula({name}), or "
            "pass x.detach() where none is meant"
        )
    engine = engine_of(*values)
    assert engine is not None, "NumPy asks only types that it found among the arguments"
    return unrecorded(engine, function, args, kwargs)
