"""Inputs for a formula whose author gave none: positive numbers in small shapes that its forward accepts."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pullback.engine.core.dispatch import current, engine_of
from pullback.engine.core.errors import PullbackError
from pullback.engine.formula.formula import Formula
from pullback.engine.transforms.functional import grad
from pullback.transpile.ir import Eqn, Literal, Param, Var
from pullback.transpile.ir import Formula as FormulaIR
from pullback.transpile.operators import OPERATORS

from .errors import CommandError

Shape = tuple[int, ...]
SQUARE = (3, 3)
SHAPES: tuple[Shape, ...] = ((3, 4), SQUARE, (4,), ())
# Shapes of parameters that are not all the same: those of layers, likely ones first.
MIXED: tuple[Shape, ...] = ((3, 4), (4, 3), (3,), (4,), SQUARE, (1,))
MOST_GUESSES = 600
LARGEST_INDEX = 2
VALUES: dict[str, Any] = {"int": 1, "float": 0.5, "bool": True, "str": "", "tuple[int, ...]": (0,)}

Sample = tuple[tuple[Any, ...], dict[str, Any]]


def guess_inputs(formula: Formula) -> tuple[Sample, str]:
    """Arguments that the formula accepts, and a sentence that says what was guessed.

    Values lie between 0.2 and 1.2, where logarithms and roots are smooth, and a square matrix has 2 more on
    its diagonal, so that systems with it are well-conditioned. What the forward takes for an index has whole
    numbers, an operand of `einsum` the axes of its subscripts, what has a number for a default that one. The
    first guess is taken with which the closure runs too, or else the first with which the forward runs.
    Raises `CommandError` where there is none.
    """
    params = formula.ir.params
    indices = _indices(formula.ir)
    known = _subscripted(formula.ir)
    free = [param.var for param in params if not (param.attribute or param.var in known or _is_plain(param))]
    accepted: Sample | None = None
    for shapes in itertools.islice(_shapes(len(free)), MOST_GUESSES):
        shape_of = known | dict(zip(free, shapes, strict=True))
        rng = np.random.default_rng(0)
        args = tuple(_value(param, shape_of, indices, rng) for param in params if not param.attribute)
        kwargs = {
            param.var.name: _value(param, {param.var: (3, 4)}, indices, rng)
            for param in params
            if param.attribute and param.default is None
        }
        if not _runs(formula, args, kwargs):
            continue
        accepted = accepted or (args, kwargs)
        if has_derivative(formula, args, kwargs):
            accepted = args, kwargs
            break
    if accepted is not None:
        said = ", ".join(_described(params, *accepted))
        return accepted, f"{formula.__name__}: no sample inputs, guessed {said}"
    raise CommandError(
        f"{formula.ir.span}: no inputs could be guessed that {formula.__name__} accepts\n"
        f"  help: decorate a function of rng, one that yields (args, kwargs), with "
        f"@{formula.__name__}.sample_inputs"
    )


def _shapes(count: int) -> Iterator[tuple[Shape, ...]]:
    """Shapes for so many parameters: one for all, then several, then others for all."""
    first, *others = SHAPES
    yield (first,) * count
    if 1 < count <= 3:
        yield from itertools.product(MIXED, repeat=count)
    yield from ((shape,) * count for shape in others)


def _indices(ir: FormulaIR) -> set[Var]:
    """Variables that the forward takes for an index, also by way of a view or in a tuple."""
    found: set[Var] = set()
    for eqn in reversed(list(ir.forward.every())):
        for name in ("index", "indices"):
            if isinstance(index := eqn.kwarg(name), Var):
                found.add(index)
        if found.intersection(eqn.outs) and (eqn.op == "tuple" or _is_view(eqn)):
            found.update(eqn.reads() if eqn.op == "tuple" else eqn.reads()[:1])
    return found


def _is_view(eqn: Eqn) -> bool:
    return eqn.op in OPERATORS and OPERATORS[eqn.op].view


def _subscripted(ir: FormulaIR) -> dict[Var, Shape]:
    """Shapes of the operands of `einsum`, by their subscripts."""
    lists = {eqn.outs[0]: eqn.args for eqn in ir.forward.every() if eqn.op == "list"}
    sizes: dict[str, int] = {}
    found: dict[Var, Shape] = {}
    for eqn in ir.forward.every():
        subscripts = eqn.kwarg("subscripts")
        if eqn.op != "contract" or not isinstance(subscripts, Literal) or "." in str(subscripts.value):
            continue
        operands = lists.get(eqn.args[0], ()) if isinstance(eqn.args[0], Var) else ()
        for letters, operand in zip(str(subscripts.value).split("->")[0].split(","), operands, strict=False):
            shape = tuple(sizes.setdefault(letter, 2 + len(sizes) % 3) for letter in letters.strip())
            if isinstance(operand, Var):
                found[operand] = shape
    return found


def _is_plain(param: Param) -> bool:
    """True for what is no array: a value by its annotation, or by a number that it has for a default."""
    number = param.default is not None and isinstance(param.default.value, int | float)
    return param.annotation in VALUES or number


def _value(param: Param, shape_of: dict[Var, Shape], indices: set[Var], rng: np.random.Generator) -> Any:
    if _is_plain(param):
        return param.default.value if param.default is not None else VALUES[param.annotation]
    shape = shape_of[param.var]
    if param.var in indices:
        return rng.integers(0, LARGEST_INDEX, shape[:1], endpoint=True)
    if param.var.kind == "list":
        return [rng.uniform(0.2, 1.2, shape) for _ in range(2)]
    value = rng.uniform(0.2, 1.2, shape)
    return value + 2 * np.eye(len(value)) if shape == SQUARE else value


def _runs(formula: Formula, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        with np.errstate(all="ignore"):
            results = formula(*args, **kwargs)
    except (ArithmeticError, IndexError, TypeError, ValueError):
        return False
    several = results if isinstance(results, tuple) else (results,)
    return all(np.all(np.isfinite(result)) for result in several)


def has_derivative(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """True where results and gradients by all arrays of floats among the arguments are finite numbers."""
    leaves: list[Any] = []

    def leaf(value: Any) -> Any:
        if isinstance(value, list):
            return [leaf(item) for item in value]
        if not is_tensor(value):
            return value
        leaves.append(current().tensor(value, requires_grad=True))
        return leaves[-1]

    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = function(*map(leaf, args), **kwargs)
            several = results if isinstance(results, (tuple, list)) else (results,)
            found = [r for r in several if engine_of(r) is not None and r.requires_grad and r.size]
            if not found:
                return False
            total = sum(((r.real if r.dtype.kind == "c" else r) * 1.0).sum() for r in found)
            gradients = grad(total, leaves, materialize_grads=True)
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError, PullbackError):
        return False
    return all(np.all(np.isfinite(value.detach().numpy())) for value in [*found, *gradients])


def is_tensor(value: Any) -> bool:
    """True for an array of floats."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def _described(params: tuple[Param, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[str]:
    names = [param.var.name for param in params if not param.attribute]
    for name, value in (*zip(names, args, strict=True), *kwargs.items()):
        if isinstance(value, list):
            yield f"{name}: a list of {len(value)} arrays {value[0].shape}"
        elif isinstance(value, np.ndarray):
            yield f"{name}: {value.dtype} {value.shape}"
        else:
            yield f"{name}={value!r}"
