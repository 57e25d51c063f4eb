"""``python benchmarks/gpu.py``: operators on a GPU: PyTorch eager, torch.compile and compiled formulas.

Times are medians of a GPU's own clock, with its cache emptied before each call, all of a line in turns. After
each stands how many bytes it must move (inputs read and outputs written once), as a share of what the GPU's
own copy moves in that time. torch.compile has no double backward.

    python benchmarks/gpu.py --sizes 10000000 --operators simple softmax
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

import pullback as pb
import pullback.torch

SIZES = (10_000, 1_000_000, 10_000_000, 100_000_000)
MODES = ("forward", "backward", "double")
EAGER, COMPILE, OURS = "eager", "torch.compile", "pullback"
Call = Callable[[], object]


@pb.formula
def simple(a, b):
    t = a + b
    return t * b, lambda grad: (grad * b, grad * t + grad * b)


@pb.formula
def gelu(x):
    square = x * x
    t = np.tanh(0.7978845608028654 * x * (1 + 0.044715 * square))
    half = 0.5 * (1 + t)

    def gelu_pullback(grad):
        return grad * (half + 0.3989422804014327 * x * (1 - t * t) * (1 + 0.134145 * square))

    return x * half, gelu_pullback


@pb.formula
def biased(x, bias):
    y = x + bias
    s = 1 / (1 + np.exp(-y))
    return y * s, lambda grad: (grad * (s + y * s * (1 - s)), grad * (s + y * s * (1 - s)))


@pb.formula
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    return p, lambda grad: p * (grad - np.sum(grad * p, axis=-1, keepdims=True))


@pb.formula
def layer_norm(x, weight, bias, *, eps: float = 1e-5):
    c = x - np.mean(x, axis=-1, keepdims=True)
    r = 1 / np.sqrt(np.mean(c * c, axis=-1, keepdims=True) + eps)
    n = c * r

    def layer_norm_pullback(grad):
        g = grad * weight
        inner = np.mean(g * n, axis=-1, keepdims=True)
        return r * (g - np.mean(g, axis=-1, keepdims=True) - n * inner), grad * n, grad

    return n * weight + bias, layer_norm_pullback


@pb.formula
def energy(x):
    return np.sum(x * x), lambda grad: 2 * grad * x


def gelu_with_torch(x: Any) -> Any:
    return torch.nn.functional.gelu(x, approximate="tanh")


def layer_norm_with_torch(x: Any, weight: Any, bias: Any) -> Any:
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, 1e-5)


class Operator(NamedTuple):
    """A formula, PyTorch's composition, shapes for a size, and arrays of the size that a mode must move."""

    formula: Any
    with_torch: Callable[..., Any]
    shapes: Callable[[int], list[tuple[int, ...]]]
    moved: tuple[int, int, int]


def _rows(size: int) -> tuple[int, int]:
    width = min(1024, size)
    return size // width, width


OPERATORS = {
    "simple": Operator(simple, lambda a, b: (a + b) * b, lambda n: [(n,), (n,)], (3, 5, 8)),
    "gelu": Operator(gelu, gelu_with_torch, lambda n: [(n,)], (2, 3, 5)),
    "biased": Operator(
        biased,
        lambda x, b: torch.nn.functional.silu(x + b),
        lambda n: [_rows(n), _rows(n)[1:]],
        (2, 3, 5),
    ),
    "softmax": Operator(softmax, lambda x: x.softmax(-1), lambda n: [_rows(n)], (2, 3, 5)),
    "layer_norm": Operator(
        layer_norm,
        layer_norm_with_torch,
        lambda n: [_rows(n), _rows(n)[1:], _rows(n)[1:]],
        (2, 3, 5),
    ),
    "energy": Operator(energy, lambda x: (x * x).sum(), lambda n: [(n,)], (1, 2, 3)),
}


def calls(operator: Operator, function: Callable[..., Any], size: int) -> dict[str, Call]:
    """A call per mode: forward without a graph; a backward of a graph that is there; one of a backward."""
    torch.manual_seed(0)
    inputs = [torch.randn(shape, device="cuda", requires_grad=True) for shape in operator.shapes(size)]
    plain = [x.detach() for x in inputs]
    y = function(*inputs)
    cotangent = torch.randn_like(y).requires_grad_()

    def forward() -> object:
        with torch.no_grad():
            return function(*plain)

    def backward() -> object:
        return torch.autograd.grad(y, inputs, cotangent.detach(), retain_graph=True)

    first = torch.autograd.grad(y, inputs, cotangent, create_graph=True)
    seeds = [torch.randn_like(g) for g in first]

    def double() -> object:
        return torch.autograd.grad(first, [*inputs, cotangent], seeds, retain_graph=True, allow_unused=True)

    return {"forward": forward, "backward": backward, "double": double}


def compiled_calls(operator: Operator, size: int) -> dict[str, Call]:
    """The same of torch.compile, without the last."""
    function = torch.compile(operator.with_torch, dynamic=False)
    torch.manual_seed(0)
    inputs = [torch.randn(shape, device="cuda", requires_grad=True) for shape in operator.shapes(size)]
    plain = [x.detach() for x in inputs]
    y = function(*inputs)
    cotangent = torch.randn_like(y)

    def forward() -> object:
        with torch.no_grad():
            return function(*plain)

    def backward() -> object:
        return torch.autograd.grad(y, inputs, cotangent, retain_graph=True)

    return {"forward": forward, "backward": backward}


def timed(everyone: dict[str, Call], rounds: int) -> dict[str, float]:
    """Seconds of each call by the GPU's clock: medians."""
    cache = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
    found: dict[str, list[float]] = {name: [] for name in everyone}
    for call in everyone.values():
        for _ in range(3):
            call()
    for _ in range(rounds):
        marks = {}
        for name, call in everyone.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            cache.zero_()
            begin.record()
            call()
            end.record()
            marks[name] = begin, end
        torch.cuda.synchronize()
        for name, (begin, end) in marks.items():
            found[name].append(begin.elapsed_time(end) / 1e3)
    return {name: statistics.median(times) for name, times in found.items()}


def copied(rounds: int) -> float:
    """Bytes in a second of the GPU's own copy, read and written."""
    x = torch.randn(1 << 28, device="cuda")
    y = torch.empty_like(x)
    return 2 * x.nbytes / timed({"copy": lambda: y.copy_(x)}, rounds)["copy"]


def agree(operator: Operator, everyone: dict[str, dict[str, Call]]) -> None:
    """Raise where gradients are not the same: what is compared must be one thing."""
    wanted: Any = everyone[EAGER]["backward"]()
    for name, found in everyone.items():
        have: Any = found["backward"]()
        for a, b in zip(wanted, have, strict=True):
            scale = float(a.abs().max())
            torch.testing.assert_close(b, a, rtol=2e-3, atol=2e-3 * scale, msg=lambda m, n=name: f"{n}: {m}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--operators", nargs="+", default=list(OPERATORS), choices=list(OPERATORS))
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--json", type=Path, help="a file for all times")
    arguments = parser.parse_args()
    bandwidth = copied(arguments.rounds)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, copy {bandwidth / 1e12:.2f} TB/s")
    print(f"{'':32}" + "".join(f"{name:>26}" for name in (EAGER, COMPILE, OURS)))
    rows, ratios = [], []
    for size in arguments.sizes:
        for name in arguments.operators:
            operator = OPERATORS[name]
            ours = pullback.torch.register("pullback_cuda_benchmark", operator.formula, compiled=True)
            everyone = {
                EAGER: calls(operator, operator.with_torch, size),
                COMPILE: compiled_calls(operator, size),
                OURS: calls(operator, ours, size),
            }
            agree(operator, everyone)
            for mode, moved in zip(MODES, operator.moved, strict=True):
                times = timed({k: v[mode] for k, v in everyone.items() if mode in v}, arguments.rounds)
                floor = 4 * size * moved / bandwidth
                cells = [
                    f"{times[k] * 1e6:11.1f} us ({floor / times[k]:4.0%})" if k in times else ""
                    for k in (EAGER, COMPILE, OURS)
                ]
                print(
                    f"{size:>11,} {name:>11} {mode:>8}" + "".join(f"{cell:>26}" for cell in cells), flush=True
                )
                rows.append({"size": size, "operator": name, "mode": mode, "floor": floor, **times})
                ratios.append(min(times[k] for k in times if k != OURS) / times[OURS])
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"the fastest other takes {mean:.2f} times as long (geometric mean), at least {min(ratios):.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
