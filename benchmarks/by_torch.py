"""The operators of `workloads` in PyTorch: eager, and by torch.compile with the machine's C++ compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from workloads import Workload


def contenders(workload: Workload, compiled: bool) -> dict[str, Callable[[], object]]:
    """A call per mode. The programs are compiled by the vjp of torch.func; eager PyTorch has none."""
    torch.compiler.reset()
    function = torch.compile(workload.with_torch) if compiled else workload.with_torch
    plain = [torch.tensor(array) for array in workload.inputs]
    inputs = [torch.tensor(array, requires_grad=True) for array in workload.inputs]
    cotangents = [torch.tensor(array, requires_grad=True) for array in workload.cotangents]
    fixed = [cotangent.detach() for cotangent in cotangents]

    def forward() -> object:
        with torch.no_grad():
            return function(*plain)

    def backward() -> object:
        results = _several(function(*inputs))
        return results, torch.autograd.grad(results, inputs, fixed)

    def double() -> object:
        first = torch.autograd.grad(_several(function(*inputs)), inputs, cotangents, create_graph=True)
        return torch.autograd.grad(first, [*inputs, *cotangents], plain, allow_unused=True)

    if not compiled:
        return {"forward": forward, "backward": backward, "together": backward, "double": double}
    once, twice = map(torch.compile, _programs(workload.with_torch))
    return {
        "forward": forward,
        "backward": backward,
        "together": lambda: once(tuple(plain), tuple(fixed)),
        "double": lambda: twice(tuple(plain), tuple(fixed), tuple(plain)),
    }


def _several(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def _programs(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The results with the gradients, and the gradients of the gradients."""

    def together(inputs: Any, cotangents: Any) -> Any:
        results, pullback = torch.func.vjp(lambda *args: _several(function(*args)), *inputs)
        return results, pullback(cotangents)

    def second(inputs: Any, cotangents: Any, further: Any) -> Any:
        _, pullback = torch.func.vjp(lambda *args: together(*args)[1], inputs, cotangents)
        return pullback(further)

    return together, second
