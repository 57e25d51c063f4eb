"""Calls of ATen's operators that PyTorch's own samples (`op_db`) make."""

from __future__ import annotations

import random
import warnings
from collections import defaultdict
from collections.abc import Container, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from .table import Derivative, Derivatives

LARGEST = 50_000  # entries of all tensors of a call: what is wrong for many is wrong for fewer
_SEED = 1234


class Calls(TorchDispatchMode):
    """Records the calls of operators that have a formula, a few of each, with arguments of their own.

    found  the arguments of each operator's calls, by its name
    """

    def __init__(self, operators: Container[str], most: int) -> None:
        super().__init__()
        self.operators = operators
        self.most = most
        self.found: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        self.add(func.name().removeprefix("aten::").removesuffix(".default"), args, kwargs)
        return func(*args, **kwargs)

    def add(self, operator: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep a call, where it is of an operator with a formula of which there are not enough."""
        if operator in self.operators and _is_usable(args, kwargs):
            known = self.found.setdefault(operator, [])
            if len(known) < self.most:
                known.append(tree_map_only(torch.Tensor, _copy, (args, kwargs)))


def _is_usable(args: Any, kwargs: Any) -> bool:
    tensors = [tensor for tensor in tree_leaves((args, kwargs)) if _is_tensor(tensor)]
    dense = all(tensor.layout is torch.strided for tensor in tensors)
    return dense and sum(tensor.numel() for tensor in tensors) <= LARGEST


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


def sampled_calls(
    derivatives: Derivatives,
    dtype: torch.dtype,
    samples: int,
    most: int,
    entries: Container[str] | None = None,
) -> Calls:
    """Calls that the samples of `op_db` make of operators with a formula, of all its entries or of these."""
    from torch.testing._internal import common_methods_invocations as invocations

    calls = Calls(derivatives, most)
    overloads = _by_name(derivatives)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in [*invocations.op_db, *_foreach(invocations)]:
            if dtype not in info.supported_dtypes("cpu") or not info.supports_autograd:
                continue
            if entries is not None and info.name not in entries:
                continue
            for sample in samples_of(info, dtype, samples):
                with calls:
                    _run_twice(info, sample)
                    if info.inplace_variant is not None:
                        _run_in_place(info.inplace_variant, sample)
                for derivative in overloads[info.aten_name.rpartition(".")[2]]:
                    _call_overload(derivative, sample, calls)
    return calls


def _by_name(derivatives: Derivatives) -> defaultdict[str, list[Derivative]]:
    """The formulas by the name that overloads, and the operator that writes into its input, share."""
    found = defaultdict(list)
    for operator, derivative in derivatives.items():
        name = operator.partition(".")[0]
        found[name if name.endswith("__") else name.removesuffix("_")].append(derivative)
    return found


def _call_overload(derivative: Derivative, sample: Any, calls: Calls) -> None:
    """Call an operator with the arguments of a sample, if it takes them; a number for a tensor with one.

    Of `a - b` PyTorch calls the overload for tensors, whatever `b` is, and never some others. Left out are
    operators whose entry is for nested tensors only.
    """
    if len(calls.found.get(derivative.operator, ())) >= calls.most or derivative.is_composite:
        return
    given = (sample.input, *sample.args)
    arguments = derivative.overload._schema.arguments
    args = tuple(
        value.item()
        if _is_tensor(value) and value.ndim == 0 and "Tensor" not in argument.type.str()
        else value
        for value, argument in zip(given, [each for each in arguments if not each.kwarg_only], strict=False)
    )
    if len(args) < len(given):
        return
    args, kwargs = tree_map_only(torch.Tensor, _copy, (args, sample.kwargs))
    try:
        derivative.overload(*tree_map_only(torch.Tensor, _copy, args), **kwargs)
    except Exception:
        return
    calls.add(derivative.operator, args, kwargs)


def _foreach(invocations: Any) -> list[Any]:
    kinds = ("unary", "binary", "pointwise", "reduce", "other")
    return [info for kind in kinds for info in getattr(invocations, f"foreach_{kind}_op_db")]


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


def _run_in_place(function: Any, sample: Any) -> None:
    """Run an operator that writes into its input, on a copy of it."""
    try:
        written = tree_map_only(torch.Tensor, lambda tensor: tensor.detach().clone(), sample.input)
        function(written, *sample.args, **sample.kwargs)
    except Exception:
        return


def samples_of(entry: Any, dtype: torch.dtype, most: int) -> Iterator[Any]:
    """The first samples of an entry of `op_db`, the same ones at each call, up to one that cannot be made.

    Not by `entry.sample_inputs`: it searches the stack for a test, and seeds by what formats the stack. Under
    pytest that takes most of the time of a comparison.
    """
    samples = iter(entry.sample_inputs_func(entry, "cpu", dtype, True))
    for _ in range(most):
        torch.default_generator.manual_seed(_SEED)
        random.seed(_SEED)
        try:
            yield next(samples)
        except Exception:
            return
