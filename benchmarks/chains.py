"""Straight chains of statements, whose compilation must cost what their length says: texts, and one sample.

t4 = np.sin(t3) + t1 * 0.7     each value is read twice: the paths through a chain are exponentially many
t7 = np.tanh(t6)               every seventh
t5 = t4 - np.mean(...)         in the second kind, every fifth is a reduction along rows
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import pullback as pb

KINDS = ("pointwise", "rows")
LENGTHS = (25, 50, 100, 200, 400)


def text(kind: str, length: int) -> str:
    """A file with a function `chain` of so many statements.

    >>> print(text("rows", 5).split("\\n\\n\\n")[1])
    def chain(x):
        t1 = np.sin(x) + x * 0.7
        t2 = np.sin(t1) + x * 0.7
        t3 = np.sin(t2) + x * 0.7
        t4 = np.sin(t3) + t1 * 0.7
        t5 = t4 - np.mean(t4, axis=-1, keepdims=True)
        return t5
    <BLANKLINE>
    """
    names = ["x", "x", "x"]
    lines = []
    for number in range(1, length + 1):
        last, third = names[-1], names[-3]
        value = f"np.sin({last}) + {third} * 0.7"
        if kind == "rows" and number % 5 == 0:
            value = f"{last} - np.mean({last}, axis=-1, keepdims=True)"
        elif number % 7 == 0:
            value = f"np.tanh({last})"
        names.append(f"t{number}")
        lines.append(f"    t{number} = {value}")
    body = "\n".join(lines)
    return f"import numpy as np\n\n\ndef chain(x):\n{body}\n    return {names[-1]}\n"


def samples(lengths: Iterable[int]) -> dict[tuple[str, int], dict[str, float]]:
    """What new processes need to derive, compile, run and differentiate chains, by kind and length.

    wall     seconds
    cpu      seconds of processor time, of this process and of the compilers
    memory   MB of the largest process: this one, or a compiler that it runs
    """
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:  # makes what formulas share
            _sample(kind, 5, folder)
        return {(kind, length): _sample(kind, length, folder) for kind in KINDS for length in lengths}


def _sample(kind: str, length: int, folder: str) -> dict[str, float]:
    path = os.pathsep.join(filter(None, sys.path))
    said = subprocess.run(
        [sys.executable, __file__, kind, str(length), folder],
        env={**os.environ, "PULLBACK_CACHE": folder, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(said.stdout))


def inside(kind: str, length: int, folder: Path) -> dict[str, float]:
    """What this process needs."""
    path = folder / "chain.py"
    path.write_text(text(kind, length))
    spec = importlib.util.spec_from_file_location("chain", path)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    began = time.perf_counter()
    run(module.chain)
    wall = time.perf_counter() - began
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "wall": wall,
        "cpu": time.process_time() + used[1].ru_utime + used[1].ru_stime,
        "memory": max(each.ru_maxrss for each in used) / 1024,
    }


def run(function: Any) -> None:
    """Compile a chain, forward and backward, and call both."""
    fast = pb.compile(function, order=1)
    x = pb.tensor(np.linspace(0.1, 0.9, 64).reshape(4, 16), requires_grad=True)
    pb.grad(fast(x).sum(), x)


if __name__ == "__main__":
    print(json.dumps(inside(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
