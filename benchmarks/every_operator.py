"""``python benchmarks/every_operator.py``: all operators beside torch eager, small and large, in one run.

Every operator of the table that names its function in PyTorch and has a derivative, and indexing and powers
with numbers, on 4, 1000 and 100,000 float32 elements: the call, recorded, and its backward. Values are
compared first. What is printed are medians of both, interleaved, how many times as long torch takes, and the
geometric means; the slowest beside torch come first.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from operator import attrgetter
from statistics import geometric_mean
from typing import Any, NamedTuple

import numpy as np
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
# Attributes of an operator, as NumPy and as torch spell them; MATRIX and SQUARE say what its operands are.
MATRIX, SQUARE = "matrix", "square"
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
}
# Without one way to call them that both have, of another cost than their elements', without a gradient in one
# of the two, or (cholesky) with another one: of the whole matrix, or of its lower half.
LEFT_OUT = frozenset(
    _each("broadcast_to take_along_axis pinv copysign where cholesky j0 j1 y0 y1 k0 k0e k1 k1e", None)
)


class Case(NamedTuple):
    """An operator on the same arrays in both: `ours` takes tensors of ours, `peer` those of torch."""

    name: str
    ours: Callable[..., Any]
    peer: Callable[..., Any]
    inputs: tuple[np.ndarray[Any, Any], ...]


def cases(size: int) -> Iterator[Case]:
    """All operators, on arrays of about so many elements."""
    import torch

    side = max(2, int(size**0.5))
    positive = np.random.default_rng(0).uniform(0.2, 0.8, size).astype(np.float32)
    shapes: dict[str, tuple[int, ...]] = {"": (size,), MATRIX: (size // side, side), SQUARE: (side, side)}
    for entry in OPERATORS.values():
        if not entry.torch or entry.derivative != "formula" or entry.name in LEFT_OUT:
            continue
        shape = shapes[SHAPES.get(entry.name, "")]
        values = np.resize(positive, shape)
        if SHAPES.get(entry.name) == SQUARE:
            values = values @ values.T + np.eye(side, dtype=np.float32)
        if entry.name == "arccosh":
            values = values + 1
        count = 2 if entry.variadic else len(entry.operands)
        inputs = tuple(values * (1 + k / 8) for k in range(count))
        yield Case(entry.name, _ours(entry), _peer(entry, attrgetter(entry.torch[6:])(torch)), inputs)
    vector, matrix = positive, np.resize(positive, shapes[MATRIX])
    for name, function in WITH_NUMBERS.items():
        yield Case(name, function, function, (matrix if "," in name or "None" in name else vector,))
    yield Case("clip(x, 0.3, 0.6)", lambda x: np.clip(x, 0.3, 0.6), lambda x: x.clip(0.3, 0.6), (vector,))
    mask = vector > 0.5
    torch_mask = torch.from_numpy(mask)
    yield Case(
        "where(m, x, y)",
        lambda x, y: np.where(mask, x, y),
        lambda x, y: torch.where(torch_mask, x, y),
        (vector, vector * 2),
    )


# The same text on both tensors.
WITH_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "x * 2": lambda x: x * 2,
    "x**2": lambda x: x**2,
    "x**3": lambda x: x**3,
    "x[1]": lambda x: x[1],
    "x[1:3]": lambda x: x[1:3],
    "x[0, 1]": lambda x: x[0, 1],
    "x[:, 0]": lambda x: x[:, 0],
    "x[None]": lambda x: x[None],
}


def _ours(entry: OperatorInfo) -> Callable[..., Any]:
    module, _, name = entry.python.rpartition(".")
    function = getattr(np, name) if module == "numpy" else pb.formulas()[entry.name]
    attributes = ATTRIBUTES.get(entry.name, ({}, {}))[0]
    return lambda *x: function(*([list(x)] if entry.variadic else x), **attributes)


def _peer(entry: OperatorInfo, function: Callable[..., Any]) -> Callable[..., Any]:
    attributes = ATTRIBUTES.get(entry.name, ({}, {}))[1]
    return lambda *x: function(*([list(x)] if entry.variadic else x), **attributes)


class Measured(NamedTuple):
    """Median seconds, ours and torch's, forward and backward."""

    name: str
    forward: tuple[float, float]
    backward: tuple[float, float]

    @property
    def ratios(self) -> tuple[float, float]:
        """How many times as long torch takes."""
        return self.forward[1] / self.forward[0], self.backward[1] / self.backward[0]


def measure(case: Case, seconds: float) -> Measured:
    """Times of a case. Raises AssertionError where values or gradients are not those of torch."""
    import torch

    ours = [pb.tensor(value, requires_grad=True) for value in case.inputs]
    theirs = [torch.tensor(value, requires_grad=True) for value in case.inputs]
    y, z = case.ours(*ours), case.peer(*theirs)
    np.testing.assert_allclose(y.detach().numpy(), z.detach().numpy(), rtol=2e-3, atol=1e-4)
    seed, torch_seed = pb.tensor(np.ones(y.shape, np.float32)), torch.ones_like(z)

    def back() -> Any:
        return pb.grad(y, ours, grad_outputs=seed, retain_graph=True)

    def torch_back() -> Any:
        return torch.autograd.grad(z, theirs, torch_seed, retain_graph=True)

    for mine, other in zip(back(), torch_back(), strict=True):
        np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=2e-3, atol=1e-4)
    least = 1e-4 if case.inputs[0].size < 10_000 else 0.0

    def medians(mine: Callable[[], Any], other: Callable[[], Any]) -> tuple[float, float]:
        timings = interleaved({"ours": mine, "torch": other}, seconds=seconds, least=least, pause=0.0)
        return timings["ours"].median, timings["torch"].median

    forward = medians(lambda: case.ours(*ours), lambda: case.peer(*theirs))
    return Measured(case.name, forward, medians(back, torch_back))


def table(size: int, rows: list[Measured], most: int) -> Table:
    """The slowest beside torch first."""
    result = Table(title=f"{len(rows)} operators of {size} elements; the {min(most, len(rows))} slowest")
    for heading in ("", "forward", "torch / this", "backward", "torch / this"):
        result.add_column(heading, justify="right" if heading else "left")
    for row in sorted(rows, key=lambda row: min(row.ratios))[:most]:
        forward, backward = row.ratios
        mine = (readable(row.forward[0]), readable(row.backward[0]))
        result.add_row(escape(row.name), mine[0], f"{forward:.2f}", mine[1], f"{backward:.2f}")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, nargs="+", default=SIZES, help="elements")
    parser.add_argument("--seconds", type=float, default=0.2, help="time for each operator and way")
    parser.add_argument("--most", type=int, default=25, help="rows of a table")
    parser.add_argument("--only", default="", help="operators whose names contain this")
    arguments = parser.parse_args()
    console = Console(highlight=False)
    for line in left_out(("torch",)):
        console.print(line)
    if find_spec("torch") is None or "native" not in available():
        console.print("skipped: this compares the native engine with torch")
        return
    import torch

    torch.set_num_threads(pb.get_num_threads())
    for size in arguments.size:
        rows = []
        with pb.use_engine("native"):
            for case in cases(size):
                if arguments.only in case.name:
                    rows.append(measure(case, arguments.seconds))
        console.print(table(size, rows, arguments.most))
        for way in (0, 1):
            ratios = [row.ratios[way] for row in rows]
            slower = sum(ratio < 1 for ratio in ratios)
            what = ("forward", "backward")[way]
            console.print(f"{what}: torch / this {geometric_mean(ratios):.2f} in the mean, {slower} slower")


if __name__ == "__main__":
    main()
