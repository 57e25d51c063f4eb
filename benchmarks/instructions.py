"""``python benchmarks/instructions.py``: instructions per operator, the same however busy the machine is.

The chain of ``overhead.py`` on the native engine, from Python and from C++, and in a C++ program without
Python, each in two processes with different numbers of rounds: the difference is what the rounds cost,
without the start. `forward` computes and records an operator and frees its node; `backward` is what going
back through it adds. Counted by ``perf stat`` where the processor's counter is open to us, else by Valgrind.
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
PYTHON, IN_CPP, WITHOUT_PYTHON = WHO = ("native, from Python", "native, in C++", "C++ without Python")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", nargs=3, metavar=("WHO", "WAY", "ROUNDS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        who, way, rounds = arguments.run
        run(who, way, int(rounds))
    elif not has_counter() and shutil.which("valgrind") is None:
        print("skipped: there is neither perf nor valgrind")
    else:
        print("instructions per operator")
        for who in WHO:
            if command(who, WAYS[0], 1) is not None:
                forward, both = (per_operator(who, way) for way in WAYS)
                print(f"{who}: forward {forward:.0f}, backward {both - forward:.0f}")


def run(who: str, way: str, rounds: int) -> None:
    """What is counted of a Python process, after one round that is the same in each run."""
    if who == IN_CPP:
        from overhead_cpp import native

        in_cpp = native(go_back=way == "both")
        assert in_cpp is not None
        in_cpp.sample(LENGTH, rounds)
        return
    from overhead import ours

    contender = ours("native", None, LENGTH)
    assert contender.backward is not None
    contender.backward(contender.forward())
    for _ in range(rounds):
        state = contender.forward()
        if way == "both":
            contender.backward(state)


def command(who: str, way: str, rounds: int) -> list[str] | None:
    """The process to count; None where it can't be compiled here, which is said."""
    if who != PYTHON:
        from overhead_cpp import native, program_without_python

        if who == WITHOUT_PYTHON:
            program = program_without_python()
            only = ["forward"] if way == "forward" else []
            return None if program is None else [str(program), str(LENGTH), str(rounds), *only]
        if native() is None:
            return None
    return [sys.executable, __file__, "--run", who, way, str(rounds)]


def per_operator(who: str, way: str) -> float:
    """Instructions of one operator.

    A process that is not counted comes first: it writes Python's bytecode where there is none yet, which
    took more instructions than all rounds.
    """
    first = command(who, way, 1)
    assert first is not None
    subprocess.run(first, check=True, capture_output=True)
    few, many = (count(who, way, rounds) for rounds in ROUNDS)
    return (many - few) / (LENGTH * (ROUNDS[1] - ROUNDS[0]))


def count(who: str, way: str, rounds: int) -> int:
    """Instructions of a whole process."""
    counted = command(who, way, rounds)
    assert counted is not None
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
