"""Inputs for a composite without sample inputs: what its required parameters take, found by trying."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pullback.numpy as pnp
from pullback import special
from pullback.engine.core.registry import FORMULAS
from pullback.engine.formula.formula import Composite

from .errors import CommandError
from .guessing import Sample, has_derivative, is_tensor

MOST_GUESSES = 4000
SHAPES: tuple[tuple[int, ...], ...] = ((3, 4), (3, 3), (4,), (), (4, 3), (2, 3, 4))
# What is no tensor of floats: counts, orders, axes, positions, sections, conditions, and lists of arrays.
PLAIN: tuple[Any, ...] = (1, 2, 0, (2, 2), np.array([1, 0]), np.array([[True, False, True, True]] * 3))


def called(composite: Composite[..., Any]) -> Callable[..., Any]:
    """The function that stands for what a user calls: of the library's composites, that of `pullback.numpy`.

    Other formulas read a composite of the library; tensors may have the function written in another way.
    """
    target = FORMULAS.target(composite)
    if target is None or not FORMULAS.of_library(composite):
        return composite
    name = getattr(target, "__name__", "")
    found: Callable[..., Any] = getattr(special, composite.__name__, composite)
    for theirs, ours in ((np, pnp), (np.linalg, pnp.linalg), (np.fft, pnp.fft)):
        if getattr(theirs, name, None) is target:
            found = getattr(ours, name)
    return found


def guess_composite(composite: Composite[..., Any]) -> tuple[Sample, str]:
    """Arguments by whose floats the composite has a derivative, and a sentence that says what was guessed.

    As many parameters as can be are tensors of floats between 0.2 and 0.9. Raises `CommandError` where no
    guess has a derivative.
    """
    name, function = composite.__name__, called(composite)
    parameters = [
        p
        for p in inspect.signature(composite.__wrapped__).parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.KEYWORD_ONLY)
    ]
    for values in itertools.islice(_assignments(len(parameters)), MOST_GUESSES):
        args = [
            given
            for p, value in zip(parameters, values, strict=True)
            for given in (
                (value, value + 0.1) if p.kind is p.VAR_POSITIONAL and is_tensor(value) else (value,)
            )
        ]
        if has_derivative(function, args, {}):
            said = ", ".join(f"{p.name}: {_described(v)}" for p, v in zip(parameters, values, strict=True))
            return (tuple(args), {}), f"{name}: no sample inputs, guessed {said}"
    code = composite.__wrapped__.__code__
    raise CommandError(
        f"{code.co_filename}:{code.co_firstlineno}: no inputs could be guessed by which {name} has a "
        f"derivative\n"
        f"  help: decorate a function of rng, one that yields (args, kwargs), with @{name}.sample_inputs"
    )


def _assignments(count: int) -> Iterator[tuple[Any, ...]]:
    """Values for so many parameters: those with the most tensors first, of one shape before several."""
    rng = np.random.default_rng(0)

    def tensor(shape: tuple[int, ...]) -> Any:
        return np.asarray(rng.uniform(0.2, 0.9, shape) + (2 * np.eye(3) if shape == (3, 3) else 0.0))

    def lists() -> tuple[Any, ...]:
        return [tensor((3, 4)), tensor((3, 4))], [tensor((3, 3)), tensor((3, 3))]

    for tensors in range(count, -1, -1):
        chosen = list(itertools.combinations(range(count), tensors))
        same: Iterator[tuple[tuple[int, ...], ...]] = ((shape,) * tensors for shape in SHAPES)
        mixed = itertools.product(SHAPES, repeat=tensors) if 1 < tensors <= 2 else iter(())
        for shapes in (*same, *mixed):
            for places in chosen:
                others = itertools.product((*lists(), *PLAIN), repeat=count - tensors)
                for rest in others:
                    given, plain = iter(shapes), iter(rest)
                    yield tuple(tensor(next(given)) if k in places else next(plain) for k in range(count))


def _described(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)} arrays {value[0].shape}"
    return f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else repr(value)
