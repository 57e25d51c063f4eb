"""Inputs for a class: given, in a comment of the class, or guessed from what lint knows of its parameters."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import CommandError, UsageError
from .marks import inputs_of
from .target import Target

SHAPES: tuple[tuple[int, ...], ...] = ((3, 4), (3, 3), (4,), (2, 3, 4), (2, 3, 4, 4), (1,), ())
MIXED: tuple[tuple[int, ...], ...] = ((3, 3), (3, 4), (4, 3), (3,), (4,), (1,))
MOST_GUESSES = 600


@dataclass(frozen=True)
class Sample:
    """Arguments, which of them are differentiated, and how they came to be."""

    arguments: tuple[Any, ...]
    active: tuple[int, ...]
    said: str


class NoInputs(CommandError):
    """No inputs could be guessed that the class accepts."""


def given_samples(target: Target, expression: str | None) -> list[Sample]:
    """Those of ``--inputs``, or of the comments in the class. `UsageError` where one cannot be evaluated."""
    if expression is not None:
        return [_evaluated(target, expression, "--inputs")]
    comments = inputs_of(target.source, target.facts.span)
    return [_evaluated(target, text, f"{target.source.path}:{line}") for line, text in comments]


def _evaluated(target: Target, expression: str, where: str) -> Sample:
    torch.manual_seed(0)
    names = {"torch": torch, **target.namespace}
    try:
        value = eval(expression, names)  # the user's own expression, run because they asked for it
    except Exception as error:
        raise UsageError(f"{where}: {expression}: {type(error).__name__}: {error}") from error
    arguments = value if isinstance(value, tuple) else (value,)
    chosen = tuple(i for i, a in enumerate(arguments) if isinstance(a, torch.Tensor) and a.requires_grad)
    return Sample(arguments, chosen or _active(target, arguments), "")


def _active(target: Target, arguments: tuple[Any, ...]) -> tuple[int, ...]:
    """Floating tensors whose parameters get a gradient; all floating ones where lint knows of none."""
    floats = [i for i, a in enumerate(arguments) if isinstance(a, torch.Tensor) and a.is_floating_point()]
    parameters = target.facts.forward.parameters
    variadic = next((p.index for p in parameters if p.variadic), None)
    indexes = {p.index for p in parameters if p.name in target.facts.differentiable}
    with_gradient = [
        i for i in floats if i in indexes or (variadic in indexes and variadic is not None and i >= variadic)
    ]
    return tuple(with_gradient or floats)


def guessed_sample(target: Target, why_not: Callable[[Sample], str]) -> Sample:
    """The first guess that runs: one shape for all tensors, then several. `NoInputs` where none does.

    `why_not`: the reason for which the class does not run with a sample; "" where it does.
    """
    reasons: Counter[str] = Counter()
    for count, arguments in enumerate(_guesses(target)):
        if count >= MOST_GUESSES:
            break
        sample = Sample(arguments, _active(target, arguments), _described(target, arguments))
        if not sample.active:
            continue
        reason = why_not(sample)
        if not reason:
            return sample
        reasons[reason] += 1
    most = f"; most often: {reasons.most_common(1)[0][0]}" if reasons else ""
    raise NoInputs(
        f"{target.name}: no inputs could be guessed that it accepts{most}\n"
        "  help: give them with --inputs, or in a comment of the class, for example:\n"
        "  # pullback: inputs torch.rand(3, 4), 2"
    )


def _guesses(target: Target) -> Iterator[tuple[Any, ...]]:
    parameters = [p for p in target.facts.forward.parameters if p.required or p.variadic]
    kinds = [_kinds(target, p.name, p.tensor or p.variadic, p.plain) for p in parameters]
    for choice in itertools.product(*kinds):
        for shape in SHAPES:
            yield _made(choice, itertools.repeat(shape))
    for choice in itertools.product(*kinds):
        tensors = sum(kind == "tensor" or kind == "index" for kind in choice)
        if 1 < tensors <= 4:
            for shapes in itertools.product(MIXED, repeat=tensors):
                yield _made(choice, iter(shapes))


def _kinds(target: Target, name: str, tensor: bool, plain: bool) -> tuple[Any, ...]:
    """The values that a parameter may have, the likeliest first."""
    numbers: tuple[Any, ...] = (1, 0.5, 2.0, True)
    if name in ("dim", "axis"):
        numbers = (-1, 0, 1)
    if plain:
        return numbers
    if name in ("target", "targets", "label", "labels", "index", "indices", "idx"):
        return ("index", "tensor", *numbers)
    if name in target.facts.differentiable or tensor:
        return ("tensor", "index") if tensor and name not in target.facts.differentiable else ("tensor",)
    return ("tensor", *numbers, "index")


def _made(choice: tuple[Any, ...], shapes: Iterator[tuple[int, ...]]) -> tuple[Any, ...]:
    generator = torch.Generator().manual_seed(0)
    made: list[Any] = []
    for kind in choice:
        if kind == "tensor":
            made.append(torch.rand(next(shapes), generator=generator, dtype=torch.float64) + 0.2)
        elif kind == "index":
            shape = next(shapes)
            made.append(torch.randint(0, 3, shape[:1], generator=generator))
        else:
            made.append(kind)
    return tuple(made)


def _described(target: Target, arguments: tuple[Any, ...]) -> str:
    names = [p.name for p in target.facts.forward.parameters if p.required or p.variadic]
    parts = []
    for name, value in zip(names, arguments, strict=True):
        if isinstance(value, torch.Tensor):
            parts.append(f"{name}: {str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}")
        else:
            parts.append(f"{name}={value!r}")
    return f"{target.name}: no inputs given, guessed {', '.join(parts)}"
