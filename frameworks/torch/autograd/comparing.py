"""Gradients by formulas compared with those of PyTorch's own autograd, over its samples (`op_db`).

Where they differ, finite differences tell who is right.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from ..derivatives.calls import samples_of
from ..derivatives.comparing import STENCIL
from ..derivatives.values import inner_product, is_differentiable
from . import functional
from .formulas import Formulas
from .record import record

# The step of the differences, and what agrees with them.
STEP = 1e-3
NEAR = 1e-8

Gradients = Callable[..., Sequence[Any]]


@dataclass(frozen=True)
class Way:
    """A way to gradients that is compared with PyTorch's: a block in which programs run, and `grad` in it."""

    block: Callable[[], AbstractContextManager[Any]]
    grad: Gradients


@dataclass
class Entry:
    """The findings about an entry of `op_db`, or of the table.

    name      the entry, or an operator
    samples   how many could be compared
    problems  what differs, in words
    right     the differences in which finite differences agree with the formulas, and not with PyTorch
    """

    name: str
    samples: int = 0
    problems: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """ "equal", "right" where PyTorch is wrong, "different", or "not compared"."""
        if self.problems:
            return "different"
        if self.right:
            return "right"
        return "equal" if self.samples else "not compared"


class NotComparableError(Exception):
    """A call of which PyTorch has no gradient."""


class Program:
    """A call as a function of its tensors that can have a gradient.

    given  its arguments: lists, tuples and dictionaries of values; tensors that require grad are inputs
    call   what is called with them
    """

    def __init__(self, given: Any, call: Callable[[Any], Any]) -> None:
        self._leaves, self._form = tree_flatten(given)
        self._places = [k for k, leaf in enumerate(self._leaves) if requires_grad(leaf)]
        self._call = call

    def inputs(self) -> list[torch.Tensor]:
        """New leaves."""
        return [self._leaves[k].detach().clone().requires_grad_() for k in self._places]

    def results(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The results that can have a gradient."""
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, inputs, strict=True):
            leaves[place] = tensor
        torch.default_generator.manual_seed(0)
        return [
            each
            for each in tree_leaves(self._call(tree_unflatten(leaves, self._form)))
            if requires_grad(each)
        ]


def sample_program(info: Any, sample: Any, op: Callable[..., Any] | None = None) -> Program:
    """The call of an entry of `op_db`, or of `op` in its place, with one of its samples."""
    op = op or info.op

    def call(given: Any) -> Any:
        first, args, kwargs = given
        return sample.output_process_fn_grad(info.gradcheck_wrapper(op, first, *args, **kwargs))

    return Program((sample.input, sample.args, sample.kwargs), call)


def requires_grad(value: Any) -> bool:
    """True for a tensor that can have a gradient, and requires one."""
    return isinstance(value, torch.Tensor) and value.requires_grad and is_differentiable(value)


def recorded(formulas: Formulas) -> Way:
    """The way of a recording with these formulas."""
    return Way(lambda: record(formulas), functional.grad)


def compare_entry(info: Any, dtype: torch.dtype, way: Way, most: int, second: bool = True) -> Entry:
    """The findings about a few samples of an entry."""
    entry = Entry(info.formatted_name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples_of(info, dtype, most):
            try:
                compare_program(sample_program(info, sample), way, entry, second and info.supports_gradgrad)
            except NotComparableError:
                continue
            entry.samples += 1
    return entry


def entries(dtype: torch.dtype) -> list[Any]:
    """The entries of `op_db` with a gradient."""
    from torch.testing._internal.common_methods_invocations import op_db

    return [
        info for info in op_db if info.supports_autograd and dtype in info.supported_backward_dtypes("cpu")
    ]


@dataclass
class _Found:
    """The gradients of a sample, of the first and of the second order."""

    first: Sequence[Any]
    second: Sequence[Any] | None
    second_of: Sequence[int] = ()


def _gradients(sample: Program, grad: Gradients, second: bool, chosen: Sequence[int] | None = None) -> _Found:
    inputs = sample.inputs()
    outputs = sample.results(inputs)
    if not inputs or not outputs:
        raise NotComparableError
    cotangents = [_random_like(output, k).requires_grad_(second) for k, output in enumerate(outputs)]
    first = grad(outputs, inputs, cotangents, create_graph=second, allow_unused=True)
    if chosen is None:
        chosen = [k for k, each in enumerate(first) if each is not None and each.requires_grad]
    if not second or not chosen:
        return _Found(first, None)
    weights = [_random_like(inputs[k], k) for k in chosen]
    pairs = [(first[k], weight) for k, weight in zip(chosen, weights, strict=True) if requires_grad(first[k])]
    at = [*inputs, *cotangents]
    if not pairs:
        return _Found(first, [None] * len(at), chosen)
    outputs, weights = map(list, zip(*pairs, strict=True))
    return _Found(first, grad(outputs, at, weights, allow_unused=True), chosen)


def compare_program(
    sample: Program, way: Way, entry: Entry, second: bool, other: Program | None = None
) -> None:
    """Add to an entry what differs, of the program or of another one in the way.

    Raises NotComparableError where PyTorch has no gradient of the call.
    """
    other = other or sample
    try:
        expected = _gradients(sample, torch.autograd.grad, second)
    except Exception as error:
        if not second:
            raise NotComparableError from error
        second = False
        try:
            expected = _gradients(sample, torch.autograd.grad, second)
        except Exception as failed:
            raise NotComparableError from failed
    try:
        with way.block():
            found = _gradients(other, way.grad, expected.second is not None, expected.second_of)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        entry.problems.append(f"{type(error).__name__}: {reason}")
        return
    text = difference(found.first, expected.first, sample.inputs())
    if text is not None:
        right = _first_is_right(sample, found.first, expected.first)
        (entry.right if right else entry.problems).append(f"first: {text}")
    elif expected.second is not None and found.second is not None:
        at = [*sample.inputs(), *map(torch.detach, sample.results(sample.inputs()))]
        text = difference(found.second, expected.second, at)
        if text is not None:
            right = _second_is_right(other, way, found, expected)
            (entry.right if right else entry.problems).append(f"second: {text}")


def difference(
    ours: Sequence[Any], theirs: Sequence[Any], like: Sequence[torch.Tensor], of: str = "input"
) -> str | None:
    """The first tensor that differs, by its number; None counts as zeros like those of `like`."""
    for number, (found, wanted, tensor) in enumerate(zip(ours, theirs, like, strict=True)):
        left, right = (torch.zeros_like(tensor) if each is None else each for each in (found, wanted))
        left, right = (each.detach().to_dense() for each in (left, right))
        if left.shape != right.shape or left.dtype != right.dtype:
            return f"{of} {number}: {left.dtype} {tuple(left.shape)} for {right.dtype} {tuple(right.shape)}"
        rtol = 1e-7 if left.dtype in (torch.float64, torch.complex128) else 1e-5
        if not torch.allclose(left, right, rtol=rtol, atol=1e-9, equal_nan=True):
            return f"{of} {number}: off by {float((left - right).abs().max()):.3g}"
    return None


def _first_is_right(sample: Program, ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
    """True where finite differences agree with the formulas, and not with PyTorch."""
    at = [tensor.detach() for tensor in sample.inputs()]

    def results(inputs: Sequence[Any]) -> Sequence[Any]:
        return sample.results([tensor.requires_grad_() for tensor in inputs])

    weights = [_random_like(output, k) for k, output in enumerate(results(sample.inputs()))]
    return _agree(results, at, weights, ours, theirs)


def _second_is_right(sample: Program, way: Way, ours: _Found, theirs: _Found) -> bool:
    inputs = sample.inputs()
    cotangents = [_random_like(output, k) for k, output in enumerate(sample.results(inputs))]

    def first(values: Sequence[Any]) -> Sequence[Any]:
        leaves = [tensor.requires_grad_() for tensor in values[: len(inputs)]]
        with way.block():
            found = way.grad(sample.results(leaves), leaves, list(values[len(inputs) :]), allow_unused=True)
        return [found[k] for k in theirs.second_of]

    at = [*(tensor.detach() for tensor in inputs), *cotangents]
    weights = [_random_like(inputs[k], k) for k in theirs.second_of]
    return _agree(first, at, weights, ours.second or (), theirs.second or ())


def _agree(
    function: Callable[[Sequence[Any]], Sequence[Any]],
    at: Sequence[torch.Tensor],
    weights: Sequence[torch.Tensor],
    ours: Sequence[Any],
    theirs: Sequence[Any],
) -> bool:
    directions = [_random_like(tensor, k) for k, tensor in enumerate(at)]

    def moved(steps: int) -> list[torch.Tensor]:
        return [tensor + steps * STEP * along for tensor, along in zip(at, directions, strict=True)]

    terms = (factor * _product(weights, function(moved(steps))) for steps, factor in STENCIL.items())
    numeric = sum(terms) / STEP

    def near(gradients: Sequence[Any]) -> bool:
        return abs(_product(directions, gradients) - numeric) <= 10 * NEAR * max(1.0, abs(numeric))

    return near(ours) and not near(theirs)


def _product(left: Sequence[Any], right: Sequence[Any]) -> float:
    return inner_product(left, (None if each is None else each.detach() for each in right))


def _random_like(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(tensor.shape, dtype=tensor.dtype, generator=generator)
