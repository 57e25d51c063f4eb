"""The verdict about a class: right, silently wrong, raises, first order wrong, could not run."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import torch

from ..errors import UsageError
from .absent import NotInstalledError
from .inputs import NoInputs, Sample, given_samples, guessed_sample
from .locating import worst_place
from .measuring import EXACT, MOST, Around, Measured, measure, spoiled, worst
from .target import Target


class Verdict(Enum):
    """The verdict on a class."""

    RIGHT = "right"
    SILENTLY_WRONG = "silently wrong"
    RAISES = "raises"
    FIRST_WRONG = "first order wrong"
    NOT_RUN = "could not run"

    @property
    def passes(self) -> bool:
        """True if nothing is wrong: a refusal of second derivatives is honest."""
        return self in (Verdict.RIGHT, Verdict.RAISES)


@dataclass
class Checked:
    """A class, its verdict, the largest errors, and what else is to be said."""

    name: str
    verdict: Verdict
    measured: Measured | None = None
    notes: list[str] = field(default_factory=list)


def check_class(target: Target, expression: str | None = None) -> Checked:
    """Run a class and compare its derivatives with finite differences.

    `expression`: its inputs. Raises `UsageError` where they are none.
    """
    try:
        samples = given_samples(target, expression) or [guessed_sample(target, lambda s: why_not(target, s))]
    except NoInputs as error:
        return Checked(target.name, Verdict.NOT_RUN, notes=[str(error)])
    except NotInstalledError as error:
        return Checked(target.name, Verdict.NOT_RUN, notes=[f"{target.name}: {error}"])
    checked = Checked(target.name, Verdict.RIGHT, notes=[s.said for s in samples if s.said])
    measured = Measured()
    for sample in samples:
        if not sample.active:
            raise UsageError(f"{target.name}: none of its inputs is a floating-point tensor")
        try:
            found = measure(target.call, sample)
        except Exception as error:  # the author's code runs here, and may raise anything
            note = f"{target.name}: {reason(error)}"
            return Checked(target.name, Verdict.NOT_RUN, notes=[*checked.notes, note])
        measured = _worse(measured, found)
    checked.measured = measured
    checked.verdict = _verdict(measured, target.facts.surrogate, checked.notes, target.name)
    _locate(checked, target, samples)
    return checked


def _locate(checked: Checked, target: Target, samples: list[Sample]) -> None:
    """Say at which element a derivative is off; where it is far off at single ones, the class is wrong."""
    measured = checked.measured
    assert measured is not None
    first = measured.first.error > max(EXACT, measured.first.doubt)
    if (first and target.facts.surrogate) or not (first or measured.second.wrong):
        return
    found = worst_place(target.call, samples, 1 if first else 2)
    if found is None:
        return
    what = "its gradient" if first else "the derivative of its gradient along a direction"
    checked.notes.append(
        f"{target.name}: {what} by {_name_of(target, found.argument)} at {list(found.element)} is "
        f"{found.given:.6g}, and differences give {found.differences:.6g}, of a weighted sum of its results"
    )
    if first and checked.verdict is Verdict.RIGHT and found.error > MOST:
        checked.verdict = Verdict.FIRST_WRONG


def _name_of(target: Target, argument: int) -> str:
    """The parameter that takes an argument of this number."""
    for parameter in target.facts.forward.parameters:
        if parameter.variadic and argument >= parameter.index:
            return f"`{parameter.name}[{argument - parameter.index}]`"
        if parameter.index == argument:
            return f"`{parameter.name}`"
    return f"argument {argument}"


def _worse(one: Measured, two: Measured) -> Measured:
    return Measured(
        worst([one.first, two.first]),
        worst([one.second, two.second]),
        worst([one.single, two.single]),
        worst([one.curved, two.curved]),
        worst([one.curved_single, two.curved_single]),
        one.raised or two.raised,
        [*one.trouble, *two.trouble],
    )


def _verdict(found: Measured, surrogate: bool, notes: list[str], name: str) -> Verdict:
    first_wrong = found.first.wrong
    if not first_wrong:
        found.second = worst([found.second, spoiled(found.curved, found.first)])
        found.single = worst([found.single, spoiled(found.curved_single, found.first)])
    wrong = found.second.wrong or found.single.wrong
    if not first_wrong and found.first.error > max(EXACT, found.first.doubt):
        notes.append(
            f"{name}: its gradient is that of its forward to {found.first.error:.0e} only: an approximation?"
        )
    if found.trouble:
        notes += [f"{name}: {text}" for text in dict.fromkeys(found.trouble)]
    if found.raised:
        notes.append(f"{name}: a second derivative raises {found.raised}")
    if wrong and not found.second.wrong:
        notes.append(f"{name}: only in float32")
    if first_wrong and wrong:
        notes.append(f"{name}: its second derivative is silently wrong, too: not that of its gradient")
    if first_wrong and not surrogate:
        if not wrong and not found.raised:
            notes.append(
                f"{name}: its second derivative is right for the gradient that it gives; where that gradient "
                "is a surrogate on purpose, say so in the class: # pullback: surrogate"
            )
        return Verdict.FIRST_WRONG
    if wrong:
        return Verdict.SILENTLY_WRONG
    if found.trouble:
        return Verdict.FIRST_WRONG
    return Verdict.RAISES if found.raised else Verdict.RIGHT


def why_not(target: Target, sample: Sample) -> str:
    """The reason for which a class gives no finite gradients with these inputs; "" if it does.

    Raises `NotInstalledError`.
    """
    around = Around(target.call, sample, True, True)
    try:
        points = around.points(torch.float64)
        value = around.value(points)
        gradient = around.gradient(points)
    except NotInstalledError:  # no guess runs
        raise
    except Exception as error:  # any guess may be wrong in any way
        return reason(error)
    if not value.requires_grad:
        return "its result does not require grad"
    finite = bool(value.isfinite()) and all(bool(g.isfinite().all()) for g in gradient)
    return "" if finite else "a result or gradient is not finite"


def reason(error: Exception) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0]
