"""``python benchmarks/every_operator.py``: all operators beside torch eager, small and large, in one run.

Every operator of the table that names its function in PyTorch and has a derivative, and the calls of
`operator_calls.py`, on 4, 1000 and 100,000 float32 elements: the call, recorded, and its backward. Functions
are those of `pb.numpy` and `pb.special`: NumPy's own come to the same operators by its dispatch, which costs
0.8 us more. Values are compared first. What is printed are medians of both, interleaved, how many times as
long torch takes, and the geometric means; the slowest beside torch come first, and who is below the goal of
its size is counted. Where torch has no such function, our times stand alone.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from math import isnan, nan
from operator import attrgetter
from statistics import geometric_mean
from typing import Any, NamedTuple

import numpy as np
from operator_calls import CALLS
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from timing import interleaved, left_out, readable

import pullback as pb
from pullback.engine.core.dispatch import available
from pullback.transpile.operators import OPERATORS, OperatorInfo

SIZES = (4, 1000, 100_000)


def _each(names: str, value: Any) -> dict[str, Any]:
    return dict.fromkeys(names.split(), value)


ROWS = "softmax log_softmax logsumexp sum mean max min norm cumsum cumprod"
# Attributes of an operator, as NumPy and as torch spell them; MATRIX and so on: its operands.
MATRIX, SQUARE, SHORT = "matrix", "square", "short"
AXIS = ({"axis": -1}, {"dim": -1})
ATTRIBUTES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    **_each(ROWS, AXIS),
    "swapaxes": ({"axis1": 0, "axis2": 1}, {"axis0": 0, "axis1": 1}),
    "moveaxis": ({"source": 0, "destination": 1}, {"source": 0, "destination": 1}),
    "flip": ({"axis": 0}, {"dims": (0,)}),
    "roll": ({"shift": 1, "axis": 0}, {"shifts": 1, "dims": 0}),
    "repeat": ({"repeats": 2, "axis": 0}, {"repeats": 2, "dim": 0}),
    "tile": ({"reps": (2, 1)}, {"dims": (2, 1)}),
    "reshape": ({"shape": (-1,)}, {"shape": (-1,)}),
    "expand_dims": ({"axis": 0}, {"dim": 0}),
    "concatenate": ({"axis": 0}, {"dim": 0}),
    "stack": ({"axis": 0}, {"dim": 0}),
    "prod": ({}, {}),
    "squeeze": ({}, {}),
    "tensordot": ({"axes": 1}, {"dims": 1}),
}
# Operands of two axes; other operators get vectors.
SHAPES = {
    **_each(ROWS, MATRIX),
    **_each("swapaxes moveaxis flip roll repeat tile reshape diagonal trace tril triu", MATRIX),
    **_each("matmul tensordot inv det slogdet solve matrix_power", SQUARE),
    **_each("transpose vstack hstack", MATRIX),
    "outer": SHORT,
}
# Without one way to call them that both have, of another cost than their elements', without a gradient in one
# of the two, or (cholesky) with another one: of the whole matrix, or of its lower half; or (positive) a copy
# in one of the two alone.
LEFT_OUT = frozenset(
    _each(
        "positive broadcast_to take_along_axis pinv copysign where cholesky j0 j1 y0 y1 k0 k0e k1 k1e", None
    )
)


class Case(NamedTuple):
    """An operator on the same arrays: `ours` takes tensors of ours, `peer` those of torch, if it has one."""

    name: str
    ours: Callable[..., Any]
    peer: Callable[..., Any] | None
    inputs: tuple[np.ndarray[Any, Any], ...]


def cases(size: int) -> Iterator[Case]:
    """All operators, on arrays of about so many elements."""
    import torch

    side = max(2, int(size**0.5))
    positive = np.random.default_rng(0).uniform(0.2, 0.8, size).astype(np.float32)
    shapes: dict[str, tuple[int, ...]] = {"": (size,), SHORT: (side,)}
    shapes |= {MATRIX: (size // side, side), SQUARE: (side, side)}
    for entry in OPERATORS.values():
        if not entry.torch or entry.derivative != "formula" or entry.name in LEFT_OUT:
            continue
        shape = shapes[SHAPES.get(entry.name, "")]
        values = np.resize(positive, shape)
        if SHAPES.get(entry.name) == SQUARE:
            values = values @ values.T / side + np.eye(side, dtype=np.float32)
        if entry.name == "arccosh":
            values = values + 1
        count = 2 if entry.variadic else len(entry.operands)
        inputs = tuple(values * (1 + k / 8) for k in range(count))
        yield Case(entry.name, _ours(entry), _peer(entry, attrgetter(entry.torch[6:])(torch)), inputs)
    names = operands(size)
    modules = {"np": pb.numpy, "special": pb.special, "torch": torch, "two": torch.tensor(2)}
    constants = {key: names.pop(key) for key in ("mask", "places", "rows", "bits", "signs")}
    torch_constants = {key: torch.from_numpy(value) for key, value in constants.items()}
    for text, peer in CALLS.items():
        used = [key for key in names if re.search(rf"\b{key}\b", text)]
        yield Case(
            text,
            _of_text(text, used, modules | constants),
            _of_text(peer, used, modules | torch_constants) if peer else None,
            tuple(names[key] for key in used),
        )


def operands(size: int) -> dict[str, np.ndarray[Any, Any]]:
    """What the letters of `operator_calls.py` stand for."""
    rng, side = np.random.default_rng(1), max(2, int(size**0.5))
    x, y, z = rng.permuted(np.linspace(0.2, 0.9, 3 * size)).astype(np.float32).reshape(3, size)
    square = np.resize(x, (side, side))
    square = square @ square.T / side + np.eye(side, dtype=np.float32)
    shape = (size // side, side)
    return {
        **{"x": x, "y": y, "z": z, "m": np.resize(x, shape), "k": np.resize(y, shape)},
        **{"t": np.resize(x, (2, 2, max(1, size // 4))), "v": np.resize(x, (max(1, size // 3), 3))},
        **{"s": square, "r": square[::-1].copy(), "mask": x > 0.5, "bits": (x > 0.5).astype(np.int64)},
        **{
            "signs": np.sign(y - 0.5),
            "places": rng.permutation(size),
            "rows": rng.integers(0, shape[0], shape[0]),
        },
    }


def _of_text(text: str, names: list[str], globals_: dict[str, Any]) -> Callable[..., Any]:
    result: Callable[..., Any] = eval(f"lambda {', '.join(names)}: {text}", globals_)
    return result


# Where the functions of a module are for tensors.
MODULES = {"numpy": pb.numpy, "numpy.linalg": pb.numpy.linalg, "scipy.special": pb.special, "pullback": pb}


def _ours(entry: OperatorInfo) -> Callable[..., Any]:
    module, _, name = entry.python.rpartition(".")
    return _called(entry, getattr(MODULES[module], name), ATTRIBUTES.get(entry.name, ({}, {}))[0])


def _peer(entry: OperatorInfo, function: Callable[..., Any]) -> Callable[..., Any]:
    return _called(entry, function, ATTRIBUTES.get(entry.name, ({}, {}))[1])


def _called(
    entry: OperatorInfo, function: Callable[..., Any], attributes: dict[str, Any]
) -> Callable[..., Any]:
    """A function of the operands that costs no more than the call."""
    if entry.variadic:
        return lambda *x: function(x, **attributes)
    return partial(function, **attributes) if attributes else function


class Measured(NamedTuple):
    """Median seconds, ours and torch's, forward and backward."""

    name: str
    forward: tuple[float, float]
    backward: tuple[float, float]

    @property
    def ratios(self) -> tuple[float, float]:
        """How many times as long torch takes; NaN where it has no such function."""
        return self.forward[1] / self.forward[0], self.backward[1] / self.backward[0]

    @property
    def has_peer(self) -> bool:
        return not isnan(self.forward[1])


def measure(case: Case, seconds: float) -> Measured:
    """Times of a case. Raises AssertionError where values or gradients are not those of torch."""
    import torch

    ours = [pb.tensor(value, requires_grad=True) for value in case.inputs]
    y = case.ours(*ours)
    seed = pb.tensor(np.ones(y.shape, y.dtype))

    def back() -> Any:
        return pb.grad(y, ours, grad_outputs=seed, retain_graph=True)

    ways = {"forward": {"ours": lambda: case.ours(*ours)}, "backward": {"ours": back}}
    peer = case.peer
    if peer is not None:
        theirs = [torch.tensor(value, requires_grad=True) for value in case.inputs]
        z = peer(*theirs)
        torch_seed = torch.ones_like(z)

        def torch_back() -> Any:
            return torch.autograd.grad(z, theirs, torch_seed, retain_graph=True)

        close(y, z)
        for mine, other in zip(back(), torch_back(), strict=True):
            close(mine, other)
        ways["forward"]["torch"] = lambda: peer(*theirs)
        ways["backward"]["torch"] = torch_back
    least = 1e-4 if case.inputs[0].size < 10_000 else 0.0

    def medians(contenders: dict[str, Callable[[], Any]]) -> tuple[float, float]:
        timings = interleaved(contenders, seconds=seconds, least=least, pause=0.0)
        return timings["ours"].median, timings["torch"].median if "torch" in timings else nan

    return Measured(case.name, medians(ways["forward"]), medians(ways["backward"]))


def close(mine: Any, other: Any) -> None:
    """Compare a value with torch's. Raises AssertionError."""
    expected = other.detach().numpy()
    near = 2e-3 * max(0.05, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(mine.detach().numpy(), expected, rtol=2e-3, atol=near)


def table(size: int, rows: list[Measured], most: int) -> Table:
    """The slowest beside torch first, then those that it has not, the slowest first too."""
    result = Table(title=f"{len(rows)} operators of {size} elements; the {min(most, len(rows))} slowest")
    for heading in ("", "forward", "torch / this", "backward", "torch / this"):
        result.add_column(heading, justify="right" if heading else "left")

    def order(row: Measured) -> tuple[bool, float]:
        return not row.has_peer, min(row.ratios) if row.has_peer else -max(row.forward[0], row.backward[0])

    for row in sorted(rows, key=order)[:most]:
        mine = (readable(row.forward[0]), readable(row.backward[0]))
        forward, backward = (f"{ratio:.2f}" if row.has_peer else "" for ratio in row.ratios)
        result.add_row(escape(row.name), mine[0], forward, mine[1], backward)
    return result


def summary(size: int, rows: list[Measured]) -> Iterator[str]:
    """The geometric means, and how many are below the goal: 1, and 0.8 on large arrays."""
    goal = 1.0 if size < 100_000 else 0.8
    for way, what in enumerate(("forward", "backward")):
        ratios = [row.ratios[way] for row in rows if row.has_peer]
        if ratios:
            slower = sum(ratio < goal for ratio in ratios)
            mean = geometric_mean(ratios)
            yield f"{what}: torch / this {mean:.2f} in the mean of {len(ratios)}, {slower} below {goal}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, nargs="+", default=SIZES, help="elements")
    parser.add_argument("--seconds", type=float, default=0.05, help="time for each operator and way")
    parser.add_argument("--most", type=int, default=25, help="rows of a table")
    parser.add_argument("--only", default="", help="operators whose names contain this")
    parser.add_argument("--threads", type=int, default=pb.get_num_threads(), help="threads of each")
    arguments = parser.parse_args()
    console = Console(highlight=False)
    for line in left_out(("torch",)):
        console.print(line)
    if find_spec("torch") is None or "native" not in available():
        console.print("skipped: this compares the native engine with torch")
        return
    import torch

    pb.set_num_threads(arguments.threads)
    torch.set_num_threads(arguments.threads)
    for size in arguments.size:
        rows = []
        with pb.use_engine("native"):
            for case in cases(size):
                if arguments.only in case.name:
                    rows.append(measure(case, arguments.seconds))
        console.print(table(size, rows, arguments.most))
        for line in summary(size, rows):
            console.print(line)


if __name__ == "__main__":
    main()
