"""``python benchmarks/torch_ops.py``: custom operators of PyTorch in every form, in one run.

Each operator runs forward, recorded; forward and backward; and with a double backward. The contenders are
PyTorch's own operators, torch.compile, ours in each form (`pullback.torch.function`, `register`, `register`
compiled, ``--target aten``), and for `(a + b) * b` what one writes by hand: an `autograd.Function` in Python,
a `torch::autograd::Function` in C++, a `torch.library.custom_op`. All of a line take turns, in an order
shuffled anew in each round; cells are medians, and in brackets the time of this over the compiled operator's.
torch.compile runs double backward as a program of `torch.func.vjp`, for its own backward has none.

    python benchmarks/torch_ops.py --quick                         # a minute
    python benchmarks/torch_ops.py --operators simple --sizes 4 --threads 1
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from by_torch import contenders as by_torch
from rich.console import Console
from rich.table import Table
from timing import Timing, interleaved, readable
from torch_extensions import by_aten, by_hand
from workloads import Workload, workloads

import pullback.torch

SIZES = (4, 10_000, 1_000_000, 10_000_000)
OPERATORS = ("simple", "gelu_tanh", "softplus", "lstm_cell", "layer_norm", "cross_entropy")
MODES = {"forward": "forward", "backward": "forward and backward", "double": "with double backward"}
EAGER, COMPILE, OURS = "torch eager", "torch.compile", "register compiled"
PYTHON, CPP = "autograd.Function, Python", "autograd::Function, C++"
Runs = dict[str, Callable[[], object]]


class Simple(torch.autograd.Function):
    """`(a + b) * b` with its inputs saved, so that a double backward is right."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return (a + b) * b

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        to_a = grad * b
        return to_a, grad * (a + b) + to_a


@torch.library.custom_op("pullback_benchmarks::simple", mutates_args=())
def custom_op(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The same by `torch.library`."""
    return (a + b) * b


def _setup(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, grad: Any) -> Any:
    a, b = ctx.saved_tensors
    to_a = grad * b
    return to_a, grad * (a + b) + to_a


custom_op.register_autograd(_backward, setup_context=_setup)


def runs(workload: Workload, function: Callable[..., Any]) -> Runs:
    """A call per mode."""
    inputs = [torch.tensor(array, requires_grad=True) for array in workload.inputs]
    cotangents = [torch.tensor(array, requires_grad=True) for array in workload.cotangents]
    fixed = [cotangent.detach() for cotangent in cotangents]
    plain = [x.detach() for x in inputs]

    def several(found: Any) -> tuple[Any, ...]:
        return found if isinstance(found, tuple) else (found,)

    def backward() -> object:
        return torch.autograd.grad(several(function(*inputs)), inputs, fixed)

    def double() -> object:
        first = torch.autograd.grad(several(function(*inputs)), inputs, cotangents, create_graph=True)
        return torch.autograd.grad(first, [*inputs, *cotangents], plain, allow_unused=True)

    return {"forward": lambda: function(*inputs), "backward": backward, "double": double}


def contenders(workload: Workload, forms: dict[str, Callable[[str], Any]]) -> dict[str, Runs]:
    """Everyone for an operator and a size."""
    found = {EAGER: runs(workload, workload.with_torch)}
    compiled = runs(workload, torch.compile(workload.with_torch, dynamic=False))
    found[COMPILE] = {**compiled, "double": by_torch(workload, compiled=True)["double"]}
    if workload.name == "simple":
        found[PYTHON] = runs(workload, Simple.apply)
        found[CPP] = runs(workload, forms[CPP]("simple"))
        found["torch.library.custom_op"] = runs(workload, custom_op)
    for name, form in forms.items():
        if name != CPP:
            found[name] = runs(workload, form(workload.name))
    return found


def forms_of(named: dict[str, Any]) -> dict[str, Callable[[str], Any]]:
    """Our forms of formulas by name, and what is written by hand in C++."""
    aten, cpp = by_aten(named), by_hand()
    function = {name: pullback.torch.function(formula) for name, formula in named.items()}
    plain = {
        name: pullback.torch.register("pullback_benchmarks_plain", formula, name=name)
        for name, formula in named.items()
    }
    compiled = {
        name: pullback.torch.register("pullback_benchmarks_compiled", formula, name=name, compiled=True)
        for name, formula in named.items()
    }
    return {
        CPP: lambda name: cpp,
        OURS: compiled.__getitem__,
        "--target aten": aten,
        "register": plain.__getitem__,
        "pullback.torch.function": function.__getitem__,
    }


def agree(everyone: dict[str, Runs]) -> None:
    """Raise where contenders do not have the same gradients: what is compared must be one thing."""
    wanted = everyone[EAGER]["backward"]()
    for name, found in everyone.items():
        for want, have in zip(wanted, found["backward"](), strict=True):  # type: ignore[call-overload]
            close = torch.testing.assert_close
            close(
                have, want, rtol=1e-3, atol=2e-3 * float(want.abs().max()), msg=lambda m, n=name: f"{n}: {m}"
            )


def measured(everyone: dict[str, Runs], mode: str, arguments: argparse.Namespace) -> dict[str, Timing]:
    """A line: the median of each contender."""
    clock = time.process_time if arguments.processor_time else time.perf_counter
    return interleaved(
        {name: found[mode] for name, found in everyone.items()},
        rounds=arguments.rounds,
        seconds=60.0,
        least=0.001,
        clock=clock,
        pause=0.002 if arguments.threads == 1 else 0.02,
    )


def table(title: str, lines: dict[str, dict[str, Timing]]) -> Table:
    """A row per contender, a column per mode."""
    made = Table(title=title, title_justify="left")
    made.add_column("")
    for mode in lines:
        made.add_column(MODES[mode], justify="right")
    for name in next(iter(lines.values())):
        cells = []
        for line in lines.values():
            ratio = line[name].median / line[OURS].median
            cells.append(f"{readable(line[name].median)} ({ratio:.2f})")
        made.add_row(name, *cells)
    return made


def geometric(ratios: Sequence[float]) -> float:
    """A geometric mean.

    >>> round(geometric([2.0, 8.0]), 6)
    4.0
    """
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--operators", nargs="+", default=OPERATORS, choices=OPERATORS)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processor-time", action="store_true", help="what each costs the processors")
    parser.add_argument("--quick", action="store_true", help="`simple` and `gelu_tanh` at 4 and 10,000")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sizes, arguments.operators, arguments.rounds = (4, 10_000), ("simple", "gelu_tanh"), 5
    torch.set_num_threads(arguments.threads)
    console = Console(highlight=False, width=140)
    named = {each.name: each.formula for each in workloads(4) if each.name in arguments.operators}
    forms = forms_of(named)
    for size in arguments.sizes:
        ratios: dict[str, dict[str, list[float]]] = {}
        for workload in workloads(size):
            if workload.name not in arguments.operators:
                continue
            everyone = contenders(workload, forms)
            agree(everyone)
            lines = {mode: measured(everyone, mode, arguments) for mode in MODES}
            threads = f"{arguments.threads} thread{'s' if arguments.threads > 1 else ''}"
            console.print(table(f"{workload.name}, {size} elements, {threads}, float32", lines))
            for mode, line in lines.items():
                for name, timing in line.items():
                    ratio = timing.median / line[OURS].median
                    ratios.setdefault(mode, {}).setdefault(name, []).append(ratio)
        for mode, found in ratios.items():
            means = ", ".join(
                f"{name} {geometric(each):.2f}"
                for name, each in found.items()
                if name != OURS and len(each) == len(arguments.operators)
            )
            console.print(f"geometric means, {size:g}, {MODES[mode]}: times as fast as {means}")


if __name__ == "__main__":
    main()
