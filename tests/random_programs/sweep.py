"""Random programs by the thousand: ``python -m tests.random_programs.sweep FIRST COUNT``.

Prints how many were drawn, compiled and refused, with reasons, and each program that is wrong, as small as it
gets. All kernels of a program are compiled by one call of the compiler, for both float types.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import pullback as pb
from pullback.engine.kernels import lazy
from pullback.engine.kernels.launch import CompiledKernel
from pullback.engine.kernels.tensors import NotTaken
from pullback.engine.primitives.plumbing import Like
from pullback.transpile.loops.interpreter import Arguments, run
from pullback.transpile.loops.interpreter.functions import NotInterpreted
from pullback.transpile.loops.interpreter.numbers import Refused
from pullback.transpile.loops.lower.schedule import program_of

from .cases import Case, others
from .generator import Generator
from .run import Outcome, compare, compare_without_compiler
from .shrink import shrunk

_SHRINKING = 20.0  # seconds for one program


class Sweep:
    """Counts of programs that were drawn and compared, each with `more` calls of its own choice.

    Where they are `interpreted`, nothing is compiled: NumPy runs the programs of kernels, in float64.
    """

    def __init__(
        self, folder: Path, more: int, interpreted: bool = False, mostly_loops: bool = False
    ) -> None:
        self.folder, self.more, self.interpreted = folder, more, interpreted
        self.mostly_loops = mostly_loops
        self.totals, self.refusals, self.notes = Counter[str](), Counter[str](), Counter[str]()
        self.wrong: list[str] = []

    def over(self, seeds: Iterable[int], seconds: float = 1e9) -> None:
        """Draw a program for each seed, as long as there is time."""
        started = time.monotonic()
        with _interpreted() if self.interpreted else _compiled_at_once():
            for seed in seeds:
                if time.monotonic() - started > seconds:
                    break
                self._draw(seed)

    def _draw(self, seed: int) -> None:
        generator = Generator(random.Random(seed), mostly_loops=self.mostly_loops)
        text, case = generator.program(), generator.case
        more = generator.random.sample(sorted(others(case)), self.more)
        self.totals["drawn"] += 1
        try:
            outcome = _checked(text, self.folder, case, more)
            while outcome.refusal and (less := generator.without(text, outcome.line)) is not None:
                self.refusals[_general(outcome.refusal)] += 1
                self.totals["statements refused"] += 1
                text = less
                outcome = _checked(text, self.folder, case, more)
        except Exception as error:
            self.totals["wrong"] += 1
            small = self._smallest(text, case, more, error)
            self.wrong.append(
                f"seed {seed}, {case}, {more}: {type(error).__name__} {str(error)[:900]}\n\n{small}"
            )
            print(f"WRONG {self.wrong[-1]}\n", flush=True)
            return
        self.totals["refused" if outcome.refusal else "compiled"] += 1
        self.totals["calls by kernel"] += outcome.by_kernel
        self.totals["calls by Python"] += outcome.by_python
        self.refusals.update([_general(outcome.refusal)] if outcome.refusal else [])
        self.notes.update(map(_general, outcome.notes))

    def _smallest(self, text: str, case: Case, more: Sequence[str], error: Exception) -> str:
        """The smallest program that still fails in the same way."""

        until = time.monotonic() + _SHRINKING

        def fails(smaller: str) -> bool:
            if time.monotonic() > until:
                return False
            try:
                _checked(smaller, self.folder, case, more)
            except Exception as other:
                return _kind(other) == _kind(error)
            return False

        return shrunk(text, fails)


@contextmanager
def _compiled_at_once() -> Iterator[None]:
    """Compile a program's kernels by one call of the compiler, all parts of them."""
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(lazy.Part, "macros", ()))
        patches.enter_context(mock.patch.object(lazy, "processors", return_value=1))
        yield


@contextmanager
def _interpreted() -> Iterator[None]:
    """Have the interpreter of loops run what a kernel is called for."""
    native = sys.modules.get("pullback.engine.native.kernels")
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(CompiledKernel, "with_plain_outputs", _with_plain_outputs))
        if native is not None:  # which calls kernels by itself
            patches.enter_context(mock.patch.object(native, "forward_layout", return_value=None))
        patches.enter_context(pb.use_engine("reference"))
        yield


def _with_plain_outputs(
    kernel: CompiledKernel, arguments: Sequence[Any], needed: Sequence[bool] | None = None
) -> tuple[list[Any], list[Any]]:
    """Outputs and plain values of a kernel in float64, interpreted."""
    tensors, _ = kernel._sorted(arguments)
    own = [t for t, code in zip(tensors, kernel._codes, strict=True) if code == "T" and t is not None]
    if any(tensor.dtype != np.float64 for tensor in own):
        raise NotTaken("a float type that is not interpreted")
    arrays = [np.empty(t.shape, t.dtype) if isinstance(t, Like) else t for t in tensors]
    entries = kernel.kernel.inputs
    numbers = [value for value, entry in zip(arguments, entries, strict=True) if entry.is_number]
    program, count = program_of(kernel.kernel), len(kernel.kernel.outputs)

    def computed(entries: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        found = run(program, Arguments(entries, numbers))
        plain = [_plain(one, found[k]) for k, one in enumerate(kernel.kernel.plain_results, count)]
        return [found[k] for k in range(count)], plain

    try:
        outputs, plain = computed(arrays)
    except (NotInterpreted, Refused) as missing:
        raise NotTaken(str(missing)) from missing
    if plain:
        # A kernel tells them before it runs: they are the same for other entries.
        others = [-t[::-1] if t is not None and t.ndim and t.dtype.kind == "f" else t for t in arrays]
        with suppress(NotInterpreted, Refused, IndexError, ValueError):
            assert computed(others)[1] == plain, "a plain value that elements decide"
    return outputs, plain


def _plain(result: Any, found: Any) -> Any:
    if result.kind == "like":
        return Like(found.shape, found.dtype)
    return found.shape if result.kind == "shape" else np.ravel(found)[0].item()


def _checked(text: str, folder: Path, case: Case, more: Sequence[str]) -> Outcome:
    """All comparisons of a program. Raises an exception where one fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # divisions and powers that other programs would not make
        outcome = compare(text, folder, case, more=more)
        if not outcome.refusal and not outcome.notes:
            try:
                compare_without_compiler(text, folder, case, order=2)
            except pb.errors.MutationError as error:  # of an array that only a large result is made of
                outcome.notes.append(str(error))
    return outcome


def _kind(error: BaseException) -> tuple[str, str]:
    """What two failures share that are of one kind."""
    return type(error).__name__, re.sub(r"[^a-z ]", "", str(error)[:100])


def _general(message: str) -> str:
    """A message without the names and numbers of its program."""
    return re.sub(r"`[^`]*`|\b\w+_\d+\b", "`_`", re.sub(r"(?<!PB)\b\d+\b", "N", message))[:120]


def main() -> None:
    """Draw programs of a range of seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--seconds", type=float, default=1e9, help="draw none after so many")
    parser.add_argument("--more", type=int, default=3, help="further calls of each program")
    parser.add_argument("--interpreted", action="store_true", help="compile nothing")
    parser.add_argument("--loops", action="store_true", help="draw short programs, mostly of loops")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(Path(folder), asked.more, asked.interpreted, asked.loops)
        sweep.over(range(asked.first, asked.first + asked.count), asked.seconds)
    for counted in (sweep.totals, sweep.refusals, sweep.notes):
        print("\n".join(f"{number:6}  {what}" for what, number in counted.most_common()), end="\n\n")


if __name__ == "__main__":
    main()
