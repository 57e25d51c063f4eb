"""Imported formulas compared with PyTorch's own derivatives: first, second, and those of forward mode.

Where they differ, finite differences tell who is right.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.autograd.forward_ad as forward_ad

from pullback.formulas.aten.refusals import MissingDerivativeError

from .call import Call, NotComparableError
from .calls import Calls
from .table import Derivatives
from .values import inner_product, is_differentiable

# Differences of the fourth order: weights at two steps to each side; the steps, of which the best one counts.
STENCIL = {1: 8 / 12, 2: -1 / 12, -1: -8 / 12, -2: 1 / 12}
STEPS = (1e-3, 1e-4, 1e-5, 1e-6)
# A formula is right where it is this near to the differences, and PyTorch is so many times farther from them.
NEAR = 1e-4
FARTHER = 100
# What is equal: relative to the largest entry, and absolute.
RELATIVE, ABSOLUTE = 1e-7, 1e-9


@dataclass(frozen=True)
class Difference:
    """A derivative by a formula that is not PyTorch's.

    text     where, and by how much
    right    whether finite differences agree with the formula, and not with PyTorch
    refused  whether the formula says that there is no derivative
    """

    text: str
    right: bool = False
    refused: bool = False


@dataclass
class Compared:
    """The findings about one operator.

    calls     how many could be compared
    equal     how many of them are equal
    right     how many are not, and finite differences agree with the formula and not with PyTorch
    refused   how many the formula refuses
    problems  the differences, in words
    """

    calls: int = 0
    equal: int = 0
    right: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Of all calls: "equal", "right" where PyTorch is wrong, "refused" or "different" for some."""
        if self.equal == self.calls:
            return "equal"
        if self.equal + self.right == self.calls:
            return "right"
        return "refused" if self.equal + self.right + self.refused == self.calls else "different"


def compare_first(call: Call) -> Difference | None:
    """None where the formula's gradients equal PyTorch's.

    Raises NotComparableError where PyTorch has no gradient of the call.
    """
    expected = _Backward(call, recorded=False)
    with torch.no_grad():
        ours = call.gradients(call.inputs, expected.cotangents)

    def results(inputs: Sequence[Any]) -> list[Any]:
        found = call.pytorch(inputs)
        return [found[place] for place in expected.cotangents]

    weights = list(expected.cotangents.values())
    return _difference(ours, expected.gradients, results, call.inputs, weights)


def compare_second(call: Call) -> Difference | None:
    """None where the derivative of the formula's backward equals that of PyTorch's backward.

    Both are taken by PyTorch. Raises NotComparableError where it has no second derivative of the call.
    """
    backward = _Backward(call, recorded=True)
    at = [*backward.leaves, *backward.cotangents.values()]
    chosen = [k for k, grad in enumerate(backward.gradients) if grad is not None and grad.requires_grad]
    if not chosen:
        raise NotComparableError("PyTorch has no second derivative")

    def first(values: Sequence[Any], recorded: bool = False) -> list[Any]:
        count = len(backward.leaves)
        cotangents = dict(zip(backward.cotangents, values[count:], strict=True))
        gradients = call.gradients(values[:count], cotangents, recorded)
        return [gradients[k] for k in chosen]

    theirs = [backward.gradients[k] for k in chosen]
    weights = [_random_like(gradient, k) for k, gradient in enumerate(theirs)]
    try:
        expected = _grad(theirs, at, weights)
    except Exception as error:
        raise NotComparableError(f"PyTorch: {error}") from error
    ours = _grad(first(at, True), at, weights)
    with torch.no_grad():
        found = _difference(ours, expected, first, [value.detach() for value in at], weights)
    if found is None or not found.right:
        return found
    before = compare_first(call)  # only of a right first derivative is the difference quotient a right second
    return found if before is None or before.right else Difference(found.text)


def compare_forward(call: Call) -> Difference | None:
    """None where the tangents by the formula equal those of PyTorch's forward mode.

    Raises NotComparableError where PyTorch has none of the call.
    """
    if not call.inputs:
        raise NotComparableError("nothing is differentiable")
    directions = [_random_like(value, k) for k, value in enumerate(call.inputs)]
    with forward_ad.dual_level():
        results = call.pytorch(list(map(forward_ad.make_dual, call.inputs, directions)))
        expected = {
            place: tangent.detach()
            for place, result in enumerate(results)
            if is_differentiable(result) and (tangent := forward_ad.unpack_dual(result).tangent) is not None
        }
    if not expected:
        raise NotComparableError("PyTorch has no tangent")
    with torch.no_grad():
        found = call.tangents(call.inputs, directions)
    ours = [found[place] for place in expected]
    text = _first_difference("result", ours, list(expected.values()), list(expected.values()))
    if text is None:
        return None

    def along(inputs: Sequence[Any]) -> list[Any]:
        results = call.pytorch(inputs)
        return [results[place] for place in expected]

    weights = [_random_like(value, k) for k, value in enumerate(expected.values())]
    judged = inner_product(weights, ours), inner_product(weights, expected.values())
    return Difference(text, _is_right(*judged, along, call.inputs, directions, weights))


ORDERS: Mapping[str, Callable[[Call], Difference | None]] = {
    "first": compare_first,
    "second": compare_second,
    "forward": compare_forward,
}


class _Backward:
    """PyTorch's backward of a call.

    leaves      the inputs of the call, which require gradients
    cotangents  random cotangents by the number of a result, of those that PyTorch records
    gradients   what PyTorch makes of them: a gradient per leaf, or None
    """

    def __init__(self, call: Call, recorded: bool) -> None:
        self.leaves = [value.clone().requires_grad_() for value in call.inputs]
        results = call.pytorch(self.leaves)
        outputs = {
            place: result
            for place, result in enumerate(results)
            if isinstance(result, torch.Tensor) and result.requires_grad
        }
        if not outputs:
            raise NotComparableError("nothing is differentiable")
        self.cotangents = {
            place: _random_like(output, place).requires_grad_(recorded) for place, output in outputs.items()
        }
        try:
            self.gradients = torch.autograd.grad(
                list(outputs.values()),
                self.leaves,
                list(self.cotangents.values()),
                create_graph=recorded,
                allow_unused=True,
            )
        except Exception as error:
            raise NotComparableError(f"PyTorch: {error}") from error
        if all(gradient is None for gradient in self.gradients):
            raise NotComparableError("PyTorch has no gradient")


def _grad(outputs: Sequence[Any], at: Sequence[Any], weights: Sequence[Any]) -> Sequence[Any]:
    """The gradients of what is recorded among the outputs."""
    pairs = [
        pair for pair in zip(outputs, weights, strict=True) if pair[0] is not None and pair[0].requires_grad
    ]
    if not pairs:
        return [None] * len(at)
    recorded, given = zip(*pairs, strict=True)
    return torch.autograd.grad(recorded, at, given, allow_unused=True)


def _difference(
    ours: Sequence[Any],
    expected: Sequence[Any],
    function: Callable[[Sequence[Any]], Sequence[Any]],
    at: Sequence[Any],
    weights: Sequence[Any],
) -> Difference | None:
    """The difference of gradients of a function's results, weighted."""
    text = _first_difference("input", ours, expected, at)
    if text is None:
        return None
    directions = [_random_like(value, k) for k, value in enumerate(at)]
    judged = inner_product(ours, directions), inner_product(expected, directions)
    return Difference(text, _is_right(*judged, function, at, directions, weights))


def _first_difference(
    what: str, ours: Sequence[Any], expected: Sequence[Any], like: Sequence[Any]
) -> str | None:
    for number, (found, wanted, shape) in enumerate(zip(ours, expected, like, strict=True)):
        left, right = (torch.zeros_like(shape) if each is None else each for each in (found, wanted))
        if left.shape != right.shape:
            return f"{what} {number}: {tuple(left.shape)} for {tuple(right.shape)}"
        if not _is_equal(left, right.to(left.dtype)):
            return f"{what} {number}: off by {float((left - right).abs().max()):.3g}"
    return None


def _is_equal(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Equal as far as the largest entry has digits: that much rounding of it reaches the others."""
    finite = wanted.abs()[wanted.isfinite()]
    largest = float(finite.max()) if finite.numel() else 0.0
    return torch.allclose(found, wanted, rtol=0.0, atol=ABSOLUTE + RELATIVE * largest, equal_nan=True)


def _is_right(
    ours: float,
    theirs: float,
    function: Callable[[Sequence[Any]], Sequence[Any]],
    at: Sequence[Any],
    directions: Sequence[Any],
    weights: Sequence[Any],
) -> bool:
    """True where finite differences of a function's weighted results agree with our slope, not theirs.

    Each is judged by the step that is best for it, so that neither long steps nor rounding decide.
    """
    slopes = [_slope(function, at, directions, weights, step) for step in STEPS]
    slopes = [slope for slope in slopes if math.isfinite(slope)]
    if not slopes or not math.isfinite(ours):
        return False
    off, numeric = min((abs(ours - slope), slope) for slope in slopes)
    if not math.isfinite(theirs):
        return off <= NEAR * abs(numeric)
    return off <= NEAR * max(abs(numeric), abs(theirs)) and FARTHER * off <= min(
        abs(theirs - slope) for slope in slopes
    )


def _slope(
    function: Callable[[Sequence[Any]], Sequence[Any]],
    at: Sequence[Any],
    directions: Sequence[Any],
    weights: Sequence[Any],
    step: float,
) -> float:
    """The derivative of a function's weighted results in a direction, by finite differences."""

    def moved(steps: int) -> list[Any]:
        return [value + steps * step * along for value, along in zip(at, directions, strict=True)]

    return (
        sum(factor * inner_product(weights, function(moved(steps))) for steps, factor in STENCIL.items())
        / step
    )


def _random_like(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(tensor.shape, dtype=tensor.dtype, generator=generator)


def compare_all(derivatives: Derivatives, calls: Calls, order: str = "first") -> dict[str, Compared]:
    """The findings about each operator that was called: in `order` "first", "second" or "forward"."""
    report: dict[str, Compared] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for operator, given in sorted(calls.found.items()):
            derivative = derivatives[operator]
            if order == "forward" and derivative.tangent is None:
                continue
            found = Compared()
            for args, kwargs in given:
                _compare(Call(derivative, args, kwargs), order, found)
            if found.calls:
                report[operator] = found
    return report


def _compare(call: Call, order: str, found: Compared) -> None:
    try:
        difference = ORDERS[order](call)
    except NotComparableError:
        return
    except Exception as error:
        reason = str(error).partition("\n")[0]
        refused = isinstance(error, MissingDerivativeError)
        difference = Difference(f"{type(error).__name__}: {reason}", refused=refused)
    found.calls += 1
    if difference is None:
        found.equal += 1
        return
    found.right += difference.right
    found.refused += difference.refused
    if difference.text not in found.problems:
        found.problems.append(difference.text)
