"""``make demo``: the way of a derivative from a Python function to a verdict, a promoted formula, and C++.

Runs in the repository, on the operators of `examples/`. Ends in a table of times.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.syntax import Syntax

import pullback as pb

from .cli import main as pullback
from .loading import load_formulas

EXAMPLES = Path("examples")
SHOWN = EXAMPLES / "gelu_tanh.py"
ORDER = 3


def main() -> int:
    """Go through all sections; the first one that fails ends the demo with its exit status."""
    if not SHOWN.exists():
        print("pullback demo: run it in the repository, as `make demo` does", file=sys.stderr)
        return 2
    console = Console(highlight=False)
    sections: dict[str, Callable[[Console], int]] = {
        "Lint: every captured value has a verdict": _lint,
        "Promotion: a captured intermediate becomes a hidden output with a gradient": _promotion,
        "Transpile: readable C++": _transpile,
        "Compile": _compile,
        "Check: finite differences to third order, wherever a formula runs": _check,
        "Time": _time,
    }
    for title, section in sections.items():
        console.print(Rule(title))
        if status := section(console):
            return status
    return 0


def _pullback(console: Console, *command: str) -> int:
    """Run a command as a user would, with its line shown."""
    console.print(f"$ pullback {' '.join(command)}", style="bold")
    return pullback(command)


def _files() -> list[str]:
    return sorted(str(path) for path in EXAMPLES.glob("*.py"))


def _lint(console: Console) -> int:
    return _pullback(console, "lint", str(EXAMPLES)) or _pullback(console, "lint", "--verbose", str(SHOWN))


def _promotion(console: Console) -> int:
    """The formula as its author wrote it, and as it runs."""
    ((name, formula),) = load_formulas(str(SHOWN))
    written, runs = formula.source("author"), formula.source("python")
    for title, text in ((f"{name} as it is written", written), (f"{name} as it runs", runs)):
        console.print(title, style="bold")
        console.print(Syntax(text, "python", background_color="default"))
    return 0


def _transpile(console: Console) -> int:
    return max(_pullback(console, "transpile", file, "-o", "cpp_out") for file in _files())


def _compile(console: Console) -> int:
    for file in _files():
        for name, formula in load_formulas(file):
            begun = time.perf_counter()
            with console.status(f"compiling {name}"):
                pb.compile(formula, order=ORDER)
            seconds = time.perf_counter() - begun
            console.print(f"{name} to order {ORDER}: {seconds:.2f} s (less where the cache has it)")
    return 0


def _check(console: Console) -> int:
    return _pullback(console, "check", *_files(), "--order", str(ORDER))


def _time(console: Console) -> int:
    """The benchmark's table; it stands outside of the package, beside `examples/`."""
    sys.path.insert(0, "benchmarks")
    try:
        operators = importlib.import_module("operators")
    finally:
        sys.path.remove("benchmarks")
    operators.report(size=1 << 18, dtype="float32", seconds=1.5, console=console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
