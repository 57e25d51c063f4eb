"""Levels and plans for the bridge: which kernel runs a call or a backward, and on which values.

A level is an operator of the engines with its kernels (`CompiledOperator`): a formula for certain
attributes and dtypes, its plain first backward, and so on. It is described to C++ in a row of integers.
"""

from __future__ import annotations

import ctypes
import warnings
from array import array
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
import torch

from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels.cuda import CudaLibrary
from pullback.engine.kernels.launch import CompiledKernel
from pullback.engine.kernels.lazy import LazyLibrary, Part
from pullback.engine.kernels.operator import Backward, CompiledOperator
from pullback.engine.kernels.prepared import Prepared, asks_ranks, prepare
from pullback.engine.kernels.readings import read
from pullback.engine.kernels.signature import signature
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.ir import Var
from pullback.transpile.loops.kernels.formula_kernels import is_runtime_number
from pullback.transpile.loops.kernels.plain_values import place_of
from pullback.transpile.loops.lower.kernel import Input

from ..emitted import Emitted
from .build import bridge

_ORDER = 2
_MOST = 60  # tensors of a call: kMost of bridge.cpp, with room
_PRODUCTS = {"matmul", "contract", "convolve"}
_PACKING = {"packed", "unpacked"}
_DTYPES = {torch.float32: "float32", torch.float64: "float64", torch.bool: "bool"}

# Role, Place, Kind and Source of bridge.cpp
_ROLES = {"tensor": 0, "like": 1, "shape": 1, "int": 2, "bool": 2, "float": 3, "strong": 3}
_SPEC, _ARGUMENT, _LIKE, _SIZE, _RANK, _OUTPUT, _NONE = range(7)
_ABSENT, _TENSOR, _PLAIN, _INTEGER, _DOUBLE = range(5)
_KINDS = {"like": _PLAIN, "shape": _PLAIN, "int": _INTEGER, "bool": _INTEGER, "float": _DOUBLE}
_SOURCES = {"input": 0, "output": 1, "plain": 2}


class NoKernel(Exception):
    """A formula, or a part of it, whose kernels the bridge cannot call."""


class Versions:
    """The kernels of a formula for the bridge, one version per kind of arguments.

    Raises CompilerError where there is no compiler.
    """

    def __init__(self, formula: Any, order: Sequence[str]) -> None:
        bridge()
        read(formula)
        self._formula = formula
        self._order = order
        self._inputs = [param.var.name for param in formula.ir.params if not param.attribute]
        self._fixed = [p.var.name for p in formula.ir.attributes if not is_runtime_number(p)]
        self._levels: list[Level] = []

    def words(self) -> array[int]:
        """The description of the operator."""
        kinds = {param.var.name: _argument(param) for param in self._formula.ir.params}
        row = array("q", [int(asks_ranks(self._formula)), self._formula.ir.results])
        return row + array("q", [len(self._order), *(kinds[name] for name in self._order)])

    def version(self, given: Sequence[Any]) -> int:
        """The address of the level for such arguments; 0 where they run op by op."""
        try:
            level = self._level(dict(zip(self._order, given, strict=True)))
        except (FormulaError, NoKernel):
            return 0
        except CompilerError as error:
            warnings.warn(f"{self._formula.__name__} runs op by op: {error}", RuntimeWarning, stacklevel=2)
            return 0
        self._levels.append(level)
        return level.address

    def _level(self, given: dict[str, Any]) -> Level:
        inputs = [_stand_in(given[name]) for name in self._inputs]
        tensors = [x for name in self._inputs for x in _listed(given[name]) if x is not None]
        ranks = asks_ranks(self._formula, elements=tensors[0].device.type == "cpu")
        arguments = signature(self._inputs, inputs, ranks)
        prepared = prepare(self._formula, {name: given[name] for name in self._fixed}, _ORDER, arguments)
        library = _library(prepared, tensors[0].device)
        library.part = Part(32 if any(x.dtype == torch.float32 for x in tensors) else 64)
        return Level(
            CompiledOperator(prepared.compiled, library, self._formula.namespace(prepared.compiled.formula))
        )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _library(prepared: Prepared, device: torch.device) -> LazyLibrary:
    """The kernels for a device."""
    if device.type == "cpu":
        return LazyLibrary(prepared)
    if torch.version.cuda is None:
        raise NoKernel("a GPU that is not CUDA's")
    major, minor = torch.cuda.get_device_capability(device)
    return CudaLibrary(prepared, f"sm_{major}{minor}")


def _argument(param: Any) -> int:
    """Argument of bridge.cpp."""
    if not param.attribute:
        return int(param.var.kind == "list")
    return 2 if is_runtime_number(param) else 3


def _stand_in(value: Any) -> Any:
    """An array of the dtype and number of axes of a tensor."""
    if isinstance(value, list):
        return [_stand_in(each) for each in value]
    return None if value is None else np.empty((1,) * value.ndim, _DTYPES[value.dtype])


class Level:
    """An operator with kernels, as the bridge calls it. Raises NoKernel where it can't.

    address   of the bridge's own
    """

    def __init__(self, operator: CompiledOperator) -> None:
        self._operator = operator
        self._results = operator.n_results + operator.n_hidden
        if operator.barrier is not None:
            raise NoKernel("second derivatives are forbidden, which emitted Python says")
        if any(eqn.op in _PACKING for eqn in operator.formula.every()):
            raise NoKernel("saved lists in one array, which only kernels read")
        values = [self._argument_of(entry) for entry in self._entries]
        row = array("q", _kernel_words(operator.kernel, values, operator.library))
        row.extend(self._description())
        address = bridge().pullback_torch_level(
            self,
            f"{_camel(operator.name)}Backward".encode(),
            (ctypes.c_int64 * len(row))(*row),
            len(row),
        )
        self.address: int = address
        self._derivatives: list[Level] = []

    @property
    def _entries(self) -> tuple[Input, ...]:
        return self._operator.kernel.kernel.inputs

    def _argument_of(self, entry: Input) -> int:
        """The place of a kernel's input among inputs, then attributes."""
        operator = self._operator
        for k, param in enumerate((*operator.inputs, *operator.attributes)):
            if param.var == entry.var:
                return k
        raise NoKernel(f"{entry.var} is no argument")

    def _description(self) -> list[int]:
        operator = self._operator
        formula, kernel = operator.formula, operator.kernel.kernel
        arguments = len(operator.inputs) + len(operator.attributes)
        positions = [position for position, _ in kernel.outputs]
        if any(eqn.op in _PRODUCTS for eqn in kernel.block.every()):
            raise NoKernel("products of matrices are faster in PyTorch")
        if (
            not set(range(self._results)) <= set(positions)
            or len(kernel.inputs) > _MOST
            or len(positions) > _MOST
        ):
            raise NoKernel("a result that the kernel does not give")
        differentiable = [int(k not in operator.nondifferentiable) for k in range(self._results)]
        places = [self._place(k, positions) for k in range(self._results, len(formula.forward.results))]
        saved = [(_SOURCES[entry.source], entry.position) for entry in operator.saved]
        row = [arguments, operator.n_results, self._results - operator.n_results]
        row += [len(positions), *positions, len(differentiable), *differentiable]
        row += [len(places), *(number for place in places for number in place)]
        return [*row, len(saved), *(number for entry in saved for number in entry)]

    def _place(self, position: int, positions: Sequence[int]) -> tuple[int, int, int, int]:
        """The place of a value that is saved and is no result."""
        operator = self._operator
        kernel = operator.kernel.kernel
        if position in positions:
            return _OUTPUT, position, 0, _TENSOR
        for k, one in enumerate(kernel.plain_results):
            if one.position == position:
                return _SPEC, k, 0, _KINDS[one.kind]
        found = place_of(operator.formula, operator.formula.forward.results[position])
        inputs = len(operator.inputs)
        match found:
            case None:
                raise NoKernel("a saved value that the kernel does not give")
            case ("attribute", number, _):
                return _ARGUMENT, inputs + number, 0, _ABSENT
            case ("like", number, _):
                return _LIKE, number, 0, _PLAIN
            case ("rank", number, axes):
                return _RANK, number, axes, _INTEGER
            case ("none", number, _):
                return _NONE, number, 0, _INTEGER
        number = found.number
        return _SIZE, number if number < inputs else number + len(operator.attributes), 0, _INTEGER

    def plan(self, defined: int, needed: int) -> bytes:
        """The kernel of the backward for a pattern of gradients, as C++ reads it; empty for none."""
        try:
            return array("q", self._plan(defined, needed)).tobytes()
        except (NoKernel, CompilerError, FormulaError):
            return b""

    def _plan(self, defined: int, needed: int) -> list[int]:
        operator = self._operator
        variant = operator.backward(_bits(defined, self._results), _bits(needed, len(operator.inputs)))
        run = variant.call
        if not isinstance(run, Backward) or variant.materialize:
            raise NoKernel("no kernel of this pattern")
        kernel = run.kernel.kernel
        if len(kernel.inputs) > _MOST or len(kernel.outputs) > _MOST:
            raise NoKernel("more tensors than the bridge has places for")
        if any(eqn.op in _PRODUCTS for eqn in kernel.block.every()):
            raise NoKernel("products of matrices are faster in PyTorch")
        saved = len(operator.saved)
        places = [saved + k if is_cotangent else k for is_cotangent, k in run.sources]
        values = [place if used else -1 for place, used in zip(places, run.used, strict=True)]
        slots = [*run.slots, *[-1] * (len(kernel.outputs) - len(run.slots))]
        wanted = sum(1 << k for k, want in enumerate(run.wanted) if want)
        row = [*_kernel_words(run.kernel, values, operator.library), len(slots), *slots, wanted]
        derivative = operator.derivative if run.recordable else None
        if derivative is None:
            return [*row, 0, 0]
        given = dict(zip((entry.var for entry in kernel.inputs), places, strict=True))
        params = [param.var for param in (*derivative.inputs, *derivative.attributes)]
        try:
            level = Level(derivative)
        except NoKernel:
            return [*row, 0, 0]
        if not set(params) <= set(given):
            return [*row, 0, 0]
        self._derivatives.append(level)
        return [*row, len(params), *(given[var] for var in params), level.address]

    def backward(self, saved: list[Any], cotangents: list[Any], likes: list[Any], needed: int) -> list[Any]:
        """The gradients of the arguments, op by op."""
        operator = self._operator
        emitted = self._emitted
        device = next(cotangent.device for cotangent in cotangents if cotangent is not None)
        gradients = emitted.backward(
            [emitted.plain(value, kind, device) for value, kind in zip(saved, self._kinds, strict=True)],
            cotangents,
            [emitted.plain(value, "like", device) for value in likes],
            _bits(needed, len(operator.inputs)),
        )
        return [*gradients, *[None] * len(operator.attributes)]

    @cached_property
    def _kinds(self) -> list[str]:
        """The kind of each saved value, as the emitted text reads it."""
        operator = self._operator
        plain_kinds = {one.position: one.kind for one in operator.kernel.kernel.plain_results}
        results = operator.formula.forward.results
        roles = {entry.var: entry.role for entry in operator.kernel.kernel.inputs}

        def kind(position: int) -> str:
            found = place_of(operator.formula, results[position])
            if position in plain_kinds or found is None:
                return plain_kinds.get(position, "tensor")
            given = {"like": "like", "rank": "bool", "none": "bool", "size": "int"}
            if found.kind in given:
                return given[found.kind]
            atom = results[position]
            return roles.get(atom, "attribute") if isinstance(atom, Var) else "attribute"

        return [
            kind(self._results + entry.position) if entry.source == "plain" else "tensor"
            for entry in operator.saved
        ]

    @cached_property
    def _emitted(self) -> Emitted:
        return Emitted(self._operator.formula)


def _kernel_words(kernel: CompiledKernel, values: Sequence[int], library: Any) -> list[int]:
    """A kernel with the place of each of its inputs."""
    module = _module(library) if isinstance(library, CudaLibrary) else 0
    roles = [_ROLES[entry.role] for entry in kernel.kernel.inputs]
    pairs = [number for pair in zip(values, roles, strict=True) for number in pair]
    row = [kernel.infer_address, kernel.run_address, kernel.flat_address, module, len(roles), *pairs]
    return [*row, len(kernel.kernel.outputs), len(kernel.kernel.plain_results)]


@cache
def _module(library: CudaLibrary) -> int:
    """The bridge's address of kernels on a GPU, which it has as long as the process lives."""
    try:
        address: int = bridge().pullback_torch_module(library)
    except RuntimeError as error:  # a driver before CUDA 12
        raise CompilerError(str(error)) from error
    return address


def _bits(word: int, count: int) -> tuple[bool, ...]:
    return tuple(bool(word >> k & 1) for k in range(count))


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
