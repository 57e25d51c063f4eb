"""``python benchmarks/instructions.py``: instructions per operator, the same however busy the machine is.

The chain of ``overhead.py`` on the native engine in two processes with different numbers of rounds: the
difference is what the rounds cost, without the start. `forward` computes and records an operator and frees
its node; `backward` is what going back through it adds. Counted by ``perf stat`` where the processor's
counter is open to us, else by Valgrind.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

LENGTH = 1000
ROUNDS = (10, 60)
EVENT = "instructions:u"
WAYS = ("forward", "both")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", nargs=2, metavar=("WAY", "ROUNDS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        way, rounds = arguments.run
        run(way, int(rounds))
    elif not has_counter() and shutil.which("valgrind") is None:
        print("skipped: there is neither perf nor valgrind")
    else:
        forward, both = map(per_operator, WAYS)
        print(f"instructions per operator: forward {forward:.0f}, backward {both - forward:.0f}")


def run(way: str, rounds: int) -> None:
    """What is counted of a process, after one round that is the same in each run."""
    from overhead import ours

    contender = ours("native", None, LENGTH)
    assert contender.backward is not None
    contender.backward(contender.forward())
    for _ in range(rounds):
        state = contender.forward()
        if way == "both":
            contender.backward(state)


def command(way: str, rounds: int) -> list[str]:
    """The process to count."""
    return [sys.executable, __file__, "--run", way, str(rounds)]


def per_operator(way: str) -> float:
    """Instructions of one operator.

    A process that is not counted comes first: it writes Python's bytecode where there is none yet, which
    took more instructions than all rounds.
    """
    subprocess.run(command(way, 1), check=True, capture_output=True)
    few, many = (count(way, rounds) for rounds in ROUNDS)
    return (many - few) / (LENGTH * (ROUNDS[1] - ROUNDS[0]))


def count(way: str, rounds: int) -> int:
    """Instructions of a whole process."""
    counted = command(way, rounds)
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    if has_counter():
        counter = ["perf", "stat", "-x,", "-e", EVENT, *counted]
        said = subprocess.run(counter, env=environment, check=True, capture_output=True, text=True)
        return int(said.stderr.strip().splitlines()[-1].split(",")[0])
    with TemporaryDirectory() as folder:
        file = Path(folder, "counted")
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", *counted]
        subprocess.run(valgrind, env=environment, check=True, capture_output=True)
        return total(file.read_text())


@cache
def has_counter() -> bool:
    """Whether `perf` counts instructions here."""
    if shutil.which("perf") is None:
        return False
    said = subprocess.run(["perf", "stat", "-x,", "-e", EVENT, "true"], capture_output=True, text=True)
    return said.returncode == 0 and said.stderr.split(",")[0].strip().isdigit()


def total(callgrind: str) -> int:
    """The sum over a process, as callgrind writes it.

    >>> total("events: Ir\\nsummary: 1234\\n")
    1234
    """
    found = re.search(r"^(?:summary|totals): (\d+)", callgrind, re.MULTILINE)
    if found is None:
        raise ValueError("callgrind wrote no sum")
    return int(found[1])


if __name__ == "__main__":
    main()
