"""Imported formulas compared with PyTorch's own first derivatives, over calls that PyTorch's samples make."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from pullback.formulas.aten.refusals import Missing
from pullback.formulas.aten.running import Running, running

from .table import Derivative, Derivatives


@dataclass
class Compared:
    """The findings about one operator: how many calls are equal, and why others are not."""

    calls: int = 0
    equal: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """True where every call that could be compared is equal."""
        return self.calls == self.equal > 0


class Calls(TorchDispatchMode):
    """Records the calls of operators that have a formula, a few of each, with arguments of their own."""

    def __init__(self, derivatives: Derivatives, most: int) -> None:
        super().__init__()
        self.derivatives = derivatives
        self.most = most
        self.found: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        operator = func.name().removeprefix("aten::").removesuffix(".default")
        known = self.found.setdefault(operator, []) if operator in self.derivatives else None
        dense = all(
            tensor.layout is torch.strided for tensor in tree_leaves((args, kwargs)) if _is_tensor(tensor)
        )
        if known is not None and len(known) < self.most and dense:
            known.append(tree_map_only(torch.Tensor, _copy, (args, kwargs)))
        return func(*args, **kwargs)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


def compare(
    derivative: Derivative, args: tuple[Any, ...], kwargs: dict[str, Any], seed: int = 0
) -> str | None:
    """None where the formula's gradients equal PyTorch's for a call, or the difference in words.

    Raises NotComparableError where PyTorch has no gradient of the call.
    """
    generator = torch.Generator().manual_seed(seed)
    args, kwargs = tree_map_only(torch.Tensor, _leaf, (args, kwargs))
    inputs, attributes = derivative.bound(args, kwargs)
    leaves = [leaf for given in inputs for leaf in _tensors(given) if leaf.requires_grad]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(seed)
        try:
            results = _listed(derivative.overload(*_unaliased(derivative, args), **kwargs))
        except Exception as error:
            raise NotComparableError(f"PyTorch: {error}") from error
        outputs = [r for result in results for r in _tensors(result)]
        if any(output.layout is not torch.strided for output in outputs):
            raise NotComparableError("a result is sparse")
        recorded = [output for output in outputs if output.requires_grad]
        cotangents = {id(output): _random_like(output, generator) for output in recorded}
        if not leaves or not recorded:
            raise NotComparableError("nothing is differentiable")
        try:
            expected = torch.autograd.grad(
                recorded, leaves, [cotangents[id(output)] for output in recorded], allow_unused=True
            )
        except Exception as error:
            raise NotComparableError(f"PyTorch: {error}") from error
        if all(gradient is None for gradient in expected):
            raise NotComparableError("PyTorch has no gradient")
        gradients = [_matching(result, cotangents) for result in results]
        torch.manual_seed(seed)
        ours = gradients_of(derivative, inputs, attributes, gradients)
    wanted = dict(zip(map(id, leaves), expected, strict=True))
    return _difference(inputs, ours, wanted)


class NotComparableError(Exception):
    """A call of which PyTorch has no gradient."""


def gradients_of(
    derivative: Derivative, inputs: Sequence[Any], attributes: dict[str, Any], gradients: Sequence[Any]
) -> list[Any]:
    """The gradients of a call's inputs, by its formula; as PyTorch's engine, it fits each to its input."""
    with torch.no_grad():
        detached = [tree_map_only(torch.Tensor, torch.Tensor.detach, given) for given in inputs]
        _, closure = derivative.function(*detached, **attributes)
        needed = {
            id(plain): any(leaf.requires_grad for leaf in _tensors(given))
            for plain, given in zip(detached, inputs, strict=True)
        }
        with running(Running(needed)):
            found = closure(*gradients)
    found = [found] if len(detached) == 1 else list(found)
    return [_fitted(gradient, given) for gradient, given in zip(found, inputs, strict=True)]


def _fitted(gradient: Any, given: Any) -> Any:
    if isinstance(given, list | tuple):
        parts = gradient if isinstance(gradient, list | tuple) else [gradient] * len(given)
        return [_fitted(part, inner) for part, inner in zip(parts, given, strict=True)]
    if isinstance(gradient, Missing):
        if isinstance(given, torch.Tensor) and given.requires_grad:
            gradient.refuse()
        return None
    if gradient is None or not isinstance(given, torch.Tensor):
        return None
    if gradient.shape != given.shape:
        gradient = (
            torch.ops.aten.sum_to_size(gradient, given.shape)
            if gradient.ndim
            else gradient.expand(given.shape)
        )
    if gradient.is_complex() and not given.is_complex():
        gradient = torch.real(gradient)
    return gradient.to(given.dtype)


def _difference(inputs: Sequence[Any], ours: Sequence[Any], wanted: dict[int, Any]) -> str | None:
    for number, (given, found) in enumerate(zip(inputs, ours, strict=True)):
        parts = found if isinstance(found, list) else [found]
        for tensor, gradient in zip(_tensors(given), parts, strict=False):
            if not tensor.requires_grad:
                continue
            expected = wanted[id(tensor)]
            left = torch.zeros_like(tensor) if gradient is None else gradient
            right = torch.zeros_like(tensor) if expected is None else expected
            if not torch.allclose(left, right, rtol=1e-7, atol=1e-9, equal_nan=True):
                return f"input {number}: off by {float((left - right).abs().max()):.3g}"
    return None


def _leaf(tensor: torch.Tensor) -> torch.Tensor:
    copied = tensor.detach().clone()
    return copied.requires_grad_() if copied.is_floating_point() or copied.is_complex() else copied


def _unaliased(derivative: Derivative, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of an operator that writes into one: a leaf may not be written into."""
    if not derivative.overload._schema.is_mutable:
        return args
    return tree_map_only(torch.Tensor, torch.clone, args)


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return (
        [inner for inner in value if isinstance(inner, torch.Tensor)]
        if isinstance(value, list | tuple)
        else []
    )


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, tuple) else [results]


def _matching(result: Any, cotangents: dict[int, Any]) -> Any:
    if isinstance(result, list | tuple):
        return [cotangents.get(id(inner)) for inner in result]
    return cotangents.get(id(result))


def _random_like(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(tensor.shape, dtype=tensor.dtype, generator=generator)


def sampled_calls(derivatives: Derivatives, dtype: torch.dtype, samples: int, most: int) -> Calls:
    """Calls that the samples of `op_db` make of operators that have a formula."""
    from torch.testing._internal.common_methods_invocations import op_db

    calls = Calls(derivatives, most)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in op_db:
            if dtype not in info.supported_dtypes("cpu") or not info.supports_autograd:
                continue
            for sample in _first(info.sample_inputs("cpu", dtype, requires_grad=True), samples):
                with calls:
                    _run_twice(info, sample)
    return calls


def _run_twice(info: Any, sample: Any) -> None:
    """Run an operator and its backward, whose calls are recorded too, as far as PyTorch does."""
    try:
        results = info(sample.input, *sample.args, **sample.kwargs)
        outputs = [out for out in tree_leaves(results) if _is_tensor(out) and out.requires_grad]
        leaves = [
            leaf for leaf in tree_leaves((sample.input, sample.args, sample.kwargs)) if _is_tensor(leaf)
        ]
        leaves = [leaf for leaf in leaves if leaf.requires_grad]
        if outputs and leaves:
            torch.autograd.grad(outputs, leaves, list(map(torch.ones_like, outputs)), allow_unused=True)
    except Exception:
        return


def _first(values: Any, most: int) -> Iterator[Any]:
    iterator = iter(values)
    for _ in range(most):
        try:
            yield next(iterator)
        except Exception:
            return


def compare_all(derivatives: Derivatives, calls: Calls) -> dict[str, Compared]:
    """The findings about each operator that was called."""
    report: dict[str, Compared] = {}
    for operator, given in sorted(calls.found.items()):
        found = Compared()
        for args, kwargs in given:
            try:
                problem = compare(derivatives[operator], args, kwargs)
            except NotComparableError:
                continue
            except Exception as error:
                problem = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            found.calls += 1
            found.equal += problem is None
            if problem is not None and problem not in found.problems:
                found.problems.append(problem)
        if found.calls:
            report[operator] = found
    return report
