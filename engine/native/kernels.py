"""The kernels of an operator, and the order in which its arguments go into them.

The build compiles kernels of library formulas into `_native`. An operator of
the library that has them is replaced by its compiled form, provided that the
text which it would emit now is the text that was built. What `pb.compile` made
has kernels of its own.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...transpile.analysis.effects import acts
from ...transpile.diagnostics import FormulaError
from ...transpile.emit.cpp import emit_cpp
from ...transpile.library import standard_library
from ...transpile.loops.kernels.formula_kernels import formula_kernels
from ...transpile.loops.kernels.plain_values import place_of, with_plain_results
from ...transpile.operators import OPERATORS
from ...transpile.passes.kernel.attribute_patterns import attribute_patterns
from ..core.operator import Operator, Variant
from ..kernels import CompiledKernel
from ..kernels.abi import Call, Infer, ParallelFor
from ..kernels.exported import tables_of
from ..kernels.gemm import RUNTIME
from ..kernels.load import KernelLibrary
from ..kernels.operator import CompiledOperator
from ._native import parallel_for_address
from .levels import builtin_kernels, supplied

# Of library kernels: the forward and the first backward. Further ones run the emitted closure, whose
# operators have kernels again.
ORDER = 1

RUNTIME.parallel_for = ParallelFor(parallel_for_address())

_INFER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Infer))
_RUN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Call))


class Argument(NamedTuple):
    """An argument of a kernel: its role, and where it comes from."""

    role: str
    of_kernel_type: bool
    is_cotangent: bool
    position: int
    used: bool = True


class Layout(NamedTuple):
    """A kernel's addresses, its arguments, and what its outputs are to the operator.

    `plain_outputs` are places and kinds of those values, which are its last outputs. `numbers_widen` is
    True where a Python number beside float32 makes the result float64, so that the kernel does not take it.
    """

    infer: int
    run: int
    flat: int
    runtime: int
    arguments: tuple[Argument, ...]
    outputs: tuple[int, ...]
    plain_likes: tuple[int, ...]
    plain_ranks: tuple[int, ...]
    plain_outputs: tuple[tuple[int, str], ...]
    numbers_widen: bool
    kernel: CompiledKernel


class BuiltinLibrary(KernelLibrary):
    """Kernels of one formula that are linked into `_native`."""

    def __init__(self, addresses: dict[str, tuple[int, int, int]]) -> None:
        self._addresses = addresses

    def functions(self, kernel: str) -> tuple[Any, Any]:
        """The kernel's `infer` and `run`."""
        infer, run, _ = self._addresses[kernel]
        return _INFER(infer), _RUN(run)

    def flat(self, kernel: str) -> int:
        """The address of the kernel's loop; 0 where it is no pointwise one."""
        return self._addresses[kernel][2]


def compiled_form(operator: Any) -> Any:
    """The operator with kernels, if the build made some from what is now its text; else itself.

    Here and below an operator may be what no formula stands behind: the write of a region.
    """
    if type(operator) is not Operator:
        return operator
    return _builtin_form(operator, operator.formula.name, {}) or operator


class AttributeForms(NamedTuple):
    """The attributes of an operator by name, their defaults, and the values that there are forms for."""

    names: tuple[str, ...]
    defaults: tuple[Any, ...]
    values: tuple[tuple[Any, ...], ...]


def attribute_forms(operator: Any) -> AttributeForms | None:
    """For which attributes the build may have made kernels; None where it has made none."""
    if type(operator) is not Operator:
        return None
    patterns = attribute_patterns(operator.formula)
    if not patterns:
        return None
    names = tuple(param.var.name for param in operator.attributes)
    defaults = tuple(param.default.value for param in operator.attributes if param.default is not None)
    values = tuple(tuple(pattern.attributes[name] for name in names) for pattern in patterns)
    return AttributeForms(names, defaults, values)


def attribute_form(operator: Operator, index: int) -> Operator | None:
    """The operator for one of these values, an operator without attributes; None where it has no kernels."""
    pattern = attribute_patterns(operator.formula)[index]
    return _builtin_form(operator, pattern.name, pattern.attributes)


def _builtin_form(operator: Operator, name: str, attributes: dict[str, object]) -> Operator | None:
    """The operator with the kernels of this name, provided that they were built from its text."""
    formula = operator.formula
    builtin = builtin_kernels().get(name)
    exposed = operator.n_hidden != len(formula.hidden) or operator.result_is_tuple != formula.result_is_tuple
    if builtin is None or exposed:
        return None
    digest, addresses = builtin
    try:
        compiled = with_plain_results(
            formula_kernels(formula, standard_library(), attributes, ORDER, stem=name)
        )
        text = emit_cpp(name, compiled.kernels(), formula.source)
    except FormulaError:
        return None
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        return None
    if not supplied(tables_of(text)):
        return None
    return CompiledOperator(compiled, BuiltinLibrary(addresses), operator.namespace, operator.plain_views)


def other_form(operator: Any) -> Any:
    """The operator for arrays of other dtypes than kernels take; None where there is none."""
    return operator.of_other_dtypes if isinstance(operator, CompiledOperator) else None


def forward_layout(operator: Any) -> Layout | None:
    """The launch of the forward's kernel; None where there is none that the engine can call alone."""
    if not isinstance(operator, CompiledOperator):
        return None
    kernel = operator.kernel
    plain = _plain_places(operator)
    order = [*(param.var for param in operator.inputs), *(param.var for param in operator.attributes)]
    arguments = tuple(_argument(entry, False, order.index(entry.var)) for entry in kernel.kernel.inputs)
    outputs = tuple(position for position, _ in kernel.kernel.outputs)
    if not _is_passed_as_it_is(kernel):
        return None
    count = operator.n_results + operator.n_hidden
    if sorted(position for position in outputs if position < count) != list(range(count)):
        return None
    if plain is None and max(outputs) >= count:
        return None
    if plain is None:  # `operator.plain_values` computes them when the call is recorded
        return _layout(operator, kernel, arguments, outputs, (), ())._replace(flat=0)
    return _layout(operator, kernel, arguments, outputs, *plain)


def backward_layout(operator: Any, variant: Variant) -> Layout | None:
    """The launch of a backward's kernel; None where there is none."""
    run = variant.call
    sources: Sequence[tuple[bool, int]] | None = getattr(run, "sources", None)
    if not isinstance(operator, CompiledOperator) or sources is None:
        return None
    kernel = run.kernel  # type: ignore[attr-defined]
    if not _is_passed_as_it_is(kernel):
        return None
    arguments = tuple(
        _argument(entry, is_cotangent, position)._replace(used=used)
        for entry, (is_cotangent, position), used in zip(
            kernel.kernel.inputs,
            sources,
            run.used,  # type: ignore[attr-defined]
            strict=True,
        )
    )
    needed = run.wanted  # type: ignore[attr-defined]
    slots = [*run.slots, *[-1] * (len(needed) - len(run.slots))]  # type: ignore[attr-defined]
    outputs = tuple(slot if need else -1 for slot, need in zip(slots, needed, strict=True))
    if all(slot < 0 for slot in outputs):  # the gradients that are needed are known to be zero
        return None
    return _layout(operator, kernel, arguments, outputs, (), ())


def _is_passed_as_it_is(kernel: CompiledKernel) -> bool:
    """True where no argument is a value that a branch may leave out."""
    return all(entry.role == "tensor" or not entry.optional for entry in kernel.kernel.inputs)


def passed_on(operator: Any) -> tuple[int, ...]:
    """The inputs whose gradient is the one result's, reduced to them: of equal shapes it is that gradient.

    None of a closure that may raise, or calls something unknown: it has to run.
    """
    if not isinstance(operator, Operator) or operator.n_results + operator.n_hidden != 1:
        return ()
    formula = operator.formula
    assert formula.pullback is not None
    if any(map(acts, formula.pullback.eqns)):
        return ()
    (grad,) = formula.pullback.params
    reduced = {eqn.outs[0] for eqn in formula.pullback.eqns if eqn.op == "sum_to" and eqn.args[0] == grad}
    places = [i for i, param in enumerate(operator.inputs) if param.differentiable]
    found = zip(places, formula.pullback.results, strict=True)
    return tuple(i for i, atom in found if atom == grad or atom in reduced)


def relied_on(variant: Variant) -> tuple[int, ...]:
    """The saved values that the variant's gradients depend on; a kernel may take others besides."""
    python: Variant = getattr(variant.call, "python", variant)
    return python.reads if python.relied is None else python.relied


def closure_of(variant: Variant) -> Any:
    """The variant's Python, for arrays that its kernel does not take."""
    python = getattr(variant.call, "python", None)
    return variant.call if python is None else python.call


def _argument(entry: Any, is_cotangent: bool, position: int) -> Argument:
    return Argument(entry.role, entry.role == "tensor" and entry.dtype == "T", is_cotangent, position)


def _layout(
    operator: CompiledOperator,
    kernel: CompiledKernel,
    arguments: tuple[Argument, ...],
    outputs: tuple[int, ...],
    likes: tuple[int, ...],
    ranks: tuple[int, ...],
) -> Layout:
    runtime = ctypes.addressof(RUNTIME)
    plain_outputs = tuple((one.position, one.kind) for one in kernel.kernel.plain_results)
    scalars = [OPERATORS[eqn.op].scalar for eqn in operator.formula.forward.eqns if eqn.op in OPERATORS]
    widens = any(scalar is not None and scalar.double != "" for scalar in scalars)
    return Layout(
        kernel.infer_address,
        kernel.run_address,
        0 if widens else kernel.flat_address,  # which asks no more than the dtype of arrays
        runtime,
        arguments,
        (*outputs, *[-1] * len(plain_outputs)),
        likes,
        ranks,
        plain_outputs,
        widens,
        kernel,
    )


def _plain_places(operator: CompiledOperator) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The source of each plain value; None where one is computed otherwise.

    First an input whose shape and dtype it is, or -1 and below for an attribute,
    counted from the first. Then -1; or a number of axes, where the value is
    whether that input has so many; or -4, where it is whether that input is None;
    or -2, where it is the number of elements of that input, or of an output
    counted after the inputs; or -3, where it is a plain output of the kernel,
    counted from the first, with arrays behind the others.
    """
    forward = operator.formula.forward
    first = operator.n_results + operator.n_hidden
    kernel = operator.kernel.kernel
    positions = [one.position for one in kernel.plain_results]
    positions += [position for position, _ in kernel.outputs if position >= first]
    plain_outputs = {position: k for k, position in enumerate(positions)}
    likes, ranks = [], []
    for position, atom in enumerate(forward.results[first:], first):
        place = place_of(operator.formula, atom)
        if position in plain_outputs:
            likes.append(plain_outputs[position])
            ranks.append(-3)
        elif place is None:
            return None
        else:
            likes.append(-1 - place.number if place.kind == "attribute" else place.number)
            ranks.append({"rank": place.axes, "size": -2, "none": -4}.get(place.kind, -1))
    return tuple(likes), tuple(ranks)
