"""``python benchmarks/torch_changed.py``: how long a changed formula takes to be an operator of PyTorch.

A file with a formula that nothing has seen before is imported, registered with ``compiled=True``, and called
with its backward and double backward for the first time; the bridge is there already. Medians of several.

    python benchmarks/torch_changed.py
    python benchmarks/torch_changed.py --processor-time     # of this process and the compiler
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

import pullback.torch

FORMULA = """
import numpy as np
import pullback as pb


@pb.formula
def changed(x, y):
    t = np.tanh(x * {number})
    e = np.exp(-y * t)

    def changed_pullback(grad):
        return -grad * e * y * {number} * (1 - t * t), -grad * e * t

    return e, changed_pullback
"""
STEPS = ("import and register", "first call", "first backward", "first double backward")


def measured(path: Path, clock: Callable[[], float]) -> list[float]:
    """The seconds of each step for the formula of a file."""
    x, y = (torch.rand(5, requires_grad=True) for _ in range(2))
    times = [clock()]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    operator = pullback.torch.register("changed", module.changed, name=path.stem, compiled=True)
    times.append(clock())
    value = operator(x, y)
    times.append(clock())
    gradients = torch.autograd.grad(value.sum(), (x, y), create_graph=True)
    times.append(clock())
    torch.autograd.grad(sum(gradient.sum() for gradient in gradients), (x, y))
    times.append(clock())
    return [after - before for before, after in itertools.pairwise(times)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--formulas", type=int, default=9)
    parser.add_argument("--processor-time", action="store_true")
    arguments = parser.parse_args()
    clock = (lambda: sum(os.times()[:4])) if arguments.processor_time else time.perf_counter
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(arguments.formulas + 1):
            path = Path(folder) / f"changed_{k}.py"
            path.write_text(FORMULA.format(number=repr(random.random())), encoding="utf-8")
            rows.append(measured(path, clock))
    rows = rows[1:]  # the first one loads what all of them use
    for step, times in zip(STEPS, zip(*rows, strict=True), strict=True):
        print(f"{step:<24}{1000 * statistics.median(times):6.0f} ms")
    print(f"{'all of it':<24}{1000 * statistics.median(map(sum, rows)):6.0f} ms")


if __name__ == "__main__":
    main()
