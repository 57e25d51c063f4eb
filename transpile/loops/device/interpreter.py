"""Runs a program entry by entry with NumPy's numbers: what its text is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ...operators import OPERATORS
from .ir import Compute, Constant, Each, Kernel, Length, Load, Operand, Program, Reduce, Statement, Store
from .launch import Launch, Shapes, host_numbers, launch, numbers

_START = {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf}
_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
_OWN: dict[str, Callable[..., Any]] = {
    "accumulate": np.add,
    "stop_gradient": np.positive,
    "sigmoid": lambda x: type(x)(1) / (type(x)(1) + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(type(x)(0), x),
    "relu": lambda x: np.maximum(x, type(x)(0)),
    "positive": lambda x: x,
}


def run(
    program: Program,
    inputs: Mapping[str, np.ndarray],
    scalars: Mapping[str, float],
    shapes: Shapes,
) -> list[Any]:
    """The program's results: arrays, or numbers; None where the host knows the value. `shapes` have names."""
    found = host_numbers(program, shapes, scalars)
    memory: dict[str, np.ndarray] = {}
    for buffer in program.buffers:
        if buffer.role == "input":
            memory[buffer.name] = np.ascontiguousarray(inputs[buffer.name], buffer.dtype).reshape(-1)
        else:
            memory[buffer.name] = np.zeros(int(np.prod(numbers(buffer.shape, shapes))), buffer.dtype)
    with np.errstate(all="ignore"):
        for kernel in program.kernels:
            _Run(kernel, launch(kernel, shapes), memory, found).all()
    return [_result(program, name, memory, found, shapes) for name in program.results]


def _result(
    program: Program,
    name: str,
    memory: Mapping[str, np.ndarray],
    found: Mapping[str, float],
    shapes: Shapes,
) -> Any:
    if name in memory:
        return memory[name].reshape(numbers(program.buffer(name).shape, shapes))
    return found.get(name)


class _Run:
    """One kernel under way."""

    def __init__(
        self, kernel: Kernel, how: Launch, memory: dict[str, np.ndarray], scalars: Mapping[str, float]
    ) -> None:
        self.kernel, self.how, self.memory = kernel, how, memory
        self.scalars = {name: np.float64(value) for name, value in scalars.items()}

    def all(self) -> None:
        """Every group."""
        for group in range(self.how.groups):
            self._body(self.kernel.body, dict(self.scalars), group, group)

    def _fibre(self, group: int) -> Sequence[int]:
        kernel, length = self.kernel, self.how.length
        if kernel.fibre == "chunk":
            return range(group, length, self.how.groups)
        if kernel.fibre == "map":
            base, step = self.how.maps[-2:]
            return [base.at(group) + step.at(k) for k in range(length)]
        return range(group * length, (group + 1) * length)

    def _body(self, body: tuple[Statement, ...], values: dict[str, Any], group: int, entry: int) -> None:
        for statement in body:
            if isinstance(statement, Load):
                places = {"entry": entry, "group": group, "zero": 0}
                place = (
                    self.how.maps[statement.map].at(entry)
                    if statement.index == "map"
                    else places[statement.index]
                )
                values[statement.out] = self.memory[statement.buffer][place]
            elif isinstance(statement, Compute):
                values[statement.out] = _computed(statement, values)
            elif isinstance(statement, Reduce):
                total = np.dtype(statement.dtype).type(_START[statement.op])
                for position in self._fibre(group):
                    inner = dict(values)
                    self._body(statement.body, inner, group, position)
                    total = _JOIN[statement.op](total, inner[statement.value])
                values[statement.out] = total
            elif isinstance(statement, Length):
                values[statement.out] = np.dtype(statement.dtype).type(self.how.length)
            elif isinstance(statement, Each):
                for position in self._fibre(group):
                    self._body(statement.body, dict(values), group, position)
            else:
                assert isinstance(statement, Store)
                self.memory[statement.buffer][entry] = values[statement.value]


def _computed(statement: Compute, values: Mapping[str, Any]) -> Any:
    kind = np.dtype(statement.of).type
    args = [
        _operand(arg, kind if place or statement.op != "where" else np.bool_, values)
        for place, arg in enumerate(statement.args)
    ]
    result = np.dtype(statement.dtype).type
    return result(args[0]) if statement.op == "cast" else result(_function(statement.op)(*args))


def _operand(arg: Operand, kind: Any, values: Mapping[str, Any]) -> Any:
    return kind(arg.value) if isinstance(arg, Constant) else values[arg]


def _function(op: str) -> Callable[..., Any]:
    if op in _OWN:
        return _OWN[op]
    module, _, name = OPERATORS[op].python.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
