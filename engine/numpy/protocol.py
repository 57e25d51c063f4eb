"""NumPy's functions on tensors: what `np.exp(x)` and `np.sum(x)` come down to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.special

from ..calls.call import arrays, call, operators, unrecorded
from ..calls.out_argument import without_out
from ..core.dispatch import engine_of
from ..core.errors import NotDifferentiableError
from ..core.no_derivative import FILE, QUESTION, REFUSED, WRITES, why
from ..core.registry import FORMULAS
from ..primitives.running import cummax, cummin
from ..transforms.forward_ad import differentiated
from . import signatures as signatures  # imported for what it registers
from . import written as written
from .out import into
from .scattered_writes import WRITING, add_at, ufunc_at
from .signatures.arguments import cast
from .written.table import WRITTEN_WITH_OPERATORS

# What ufunc.reduce means, for the ufuncs that have a reduction with a formula.
_REDUCTIONS = {np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min"}
_RUNNING = {np.add: "cumsum", np.multiply: "cumprod"}
_RUNNING_EXTREMES = {np.maximum: cummax, np.minimum: cummin}


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``np.exp(x)``, and an array on the left of an operator."""
    out = kwargs.pop("out", None)
    if out is not None:
        return _ufunc_into(self, ufunc, method, inputs, kwargs, out)
    if method == "at" and ufunc in (np.add, np.subtract):
        return add_at(ufunc, *inputs)
    if method == "at":
        return ufunc_at(ufunc, *inputs)
    if method == "__call__":
        return _run(ufunc, inputs, kwargs)
    if method == "reduce" and ufunc in _REDUCTIONS:
        dtype = None if ufunc in _RUNNING else kwargs.pop("dtype", None)
        return call(_REDUCTIONS[ufunc], *(cast(x, dtype) for x in inputs), **{"axis": 0, **kwargs})
    if method == "accumulate" and np.ndim(inputs[0]) == 0:
        raise TypeError("cannot accumulate on a scalar")
    if method == "accumulate" and ufunc in _RUNNING:
        return call(_RUNNING[ufunc], *inputs, **{"axis": 0, **kwargs})
    if method == "accumulate" and ufunc in _RUNNING_EXTREMES and kwargs.keys() <= {"axis"}:
        return FORMULAS[_RUNNING_EXTREMES[ufunc]](*inputs, **kwargs)
    if method == "outer" and not kwargs:
        return _run(ufunc, _outer_operands(*inputs), {})
    return _without_formula(getattr(ufunc, method), f"{_name(ufunc)}.{method}", inputs, kwargs)


def _outer_operands(x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands of which each entry of the one meets each of the other by broadcasting.

    A Python number is an array here, of its own dtype, as NumPy has it.
    """
    x, y = (given if hasattr(given, "dtype") else np.asarray(given) for given in (x, y))
    return operators.reshape(x, shape=(*np.shape(x), *(1,) * np.ndim(y))), y


def _ufunc_into(
    self: Any, ufunc: np.ufunc, method: str, inputs: Any, kwargs: dict[str, Any], out: tuple[Any, ...]
) -> Any:
    """``np.add(a, b, out=t)``, and ``array += tensor``."""
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    name = f"np.{ufunc.__name__}" if method == "__call__" else f"np.{ufunc.__name__}.{method}"
    if len(out) == 1:

        def compute(*given: Any, **options: Any) -> Any:
            if engine_of(*given) is None:
                return function(*given, **options)
            return array_ufunc(self, ufunc, method, *given, **options)

        return into(out[0], function, compute, inputs, kwargs, name)
    results = array_ufunc(self, ufunc, method, *inputs, **kwargs)
    return tuple(
        result if place is None else into(place, np.positive, np.positive, (result,), {}, name)
        for place, result in zip(out, results, strict=True)
    )


def array_function(
    self: Any, function: Callable[..., Any], types: Iterable[type], args: Any, kwargs: Any
) -> Any:
    """``np.sum(x)``, ``np.concatenate([x, y])``, ``np.where(mask, x, y)``."""
    if why(function) == QUESTION:
        return function(*map(arrays, args), **{key: arrays(value) for key, value in kwargs.items()})
    if why(function, WRITES) is not None:
        return WRITING[function](*args, **kwargs)
    out, args, kwargs = without_out(function, args, kwargs)
    if out is not None:
        name = f"np.{function.__name__}"
        return into(
            out, function, lambda *given, **options: _run(function, given, options), args, kwargs, name
        )
    return _run(function, args, kwargs)


def _run(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    entry = FORMULAS.find(function)
    info = FORMULAS.info_of(function)
    if entry is None or FORMULAS.of_library(entry):
        written = WRITTEN_WITH_OPERATORS.get(function)
        if written is None and info is not None:
            return call(info.name, *args, **kwargs)
        entry = written or entry
    if entry is not None:
        return entry(*args, **kwargs)
    if why(function) is not None:
        engine = engine_of(*args, *kwargs.values())
        assert engine is not None, "NumPy asks only types that it found among the arguments"
        return unrecorded(engine, function, args, kwargs)
    return _without_formula(function, _name(function), args, kwargs)


def _name(function: Any) -> str:
    """With its module, which universal functions do not know."""
    module = getattr(function, "__module__", None)
    if module is None:
        module = "scipy.special" if getattr(scipy.special, function.__name__, None) is function else "numpy"
    return f"{module}.{function.__name__}"


def _without_formula(function: Callable[..., Any], name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """A function that nobody wrote a formula for: fine as long as no gradient is lost."""
    values = (*args, *kwargs.values())
    if differentiated(values):
        reason = why(function, REFUSED)
        if reason == FILE:
            raise NotDifferentiableError(
                f"{name} writes a file of values, and a tensor requires grad: pass x.detach(), or let pickle "
                "write the tensor"
            )
        raise NotDifferentiableError(
            f"{name} has no formula, so its result would have no gradient{f' ({reason})' if reason else ''}. "
            f"Write one with @pb.formula({name}), or pass x.detach() where none is meant"
        )
    engine = engine_of(*values)
    assert engine is not None, "NumPy asks only types that it found among the arguments"
    return unrecorded(engine, function, args, kwargs)
