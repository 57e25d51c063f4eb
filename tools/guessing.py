"""Inputs for a formula whose author gave none: positive numbers in a small shape that its forward accepts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pullback.engine.formula.decorators import Formula
from pullback.transpile.ir import Param

from .errors import CommandError

SHAPES: tuple[tuple[int, ...], ...] = ((3, 4), (3, 3), (4,), ())
VALUES: dict[str, Any] = {"int": 1, "float": 0.5, "bool": True, "str": "", "tuple[int, ...]": (0,)}

Sample = tuple[tuple[Any, ...], dict[str, Any]]


def guess_inputs(formula: Formula, seed: int = 0) -> tuple[Sample, str]:
    """Arguments that the formula accepts, and a sentence that says what was guessed.

    Values lie between 0.2 and 1.2, where logarithms and roots are smooth. Raises `CommandError` where no
    guess runs.
    """
    params = formula.ir.params
    for shape in SHAPES:
        rng = np.random.default_rng(seed)
        args = tuple(_value(param, shape, rng) for param in params if not param.attribute)
        kwargs = {
            param.var.name: _value(param, shape, rng)
            for param in params
            if param.attribute and param.default is None
        }
        if _runs(formula, args, kwargs):
            said = ", ".join(_described(params, args, kwargs))
            return (args, kwargs), f"{formula.__name__}: no sample inputs, guessed {said}"
    raise CommandError(
        f"{formula.ir.span}: no inputs could be guessed that {formula.__name__} accepts\n"
        f"  help: decorate a function of rng, one that yields (args, kwargs), with "
        f"@{formula.__name__}.sample_inputs"
    )


def _value(param: Param, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    if param.annotation in VALUES:
        return param.default.value if param.default is not None else VALUES[param.annotation]
    if param.var.kind == "list":
        return [rng.uniform(0.2, 1.2, shape) for _ in range(2)]
    return rng.uniform(0.2, 1.2, shape)


def _runs(formula: Formula, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        with np.errstate(all="ignore"):
            results = formula(*args, **kwargs)
    except (ArithmeticError, IndexError, TypeError, ValueError):
        return False
    several = results if isinstance(results, tuple) else (results,)
    return all(np.all(np.isfinite(result)) for result in several)


def _described(params: tuple[Param, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[str]:
    names = [param.var.name for param in params if not param.attribute]
    for name, value in (*zip(names, args, strict=True), *kwargs.items()):
        if isinstance(value, list):
            yield f"{name}: a list of {len(value)} arrays {value[0].shape}"
        elif isinstance(value, np.ndarray):
            yield f"{name}: {value.dtype} {value.shape}"
        else:
            yield f"{name}={value!r}"
