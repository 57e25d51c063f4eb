"""A formula with kernels, as the engines run it: an `Operator` that calls C++ where it can."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ...transpile.emit.python import forward_function
from ...transpile.ir import Atom, Block, Param, Var
from ...transpile.loops.kernels.formula_kernels import Compiled
from ...transpile.loops.lower.flat import is_pointwise
from ...transpile.loops.lower.kernel import Kernel
from ...transpile.passes.simplify.simplify import remove_dead
from ..core import dispatch
from ..core.operator import Operator, Variant
from ..core.registry import FORMULAS
from ..primitives.plumbing import like
from .launch import CompiledKernel
from .load import KernelLibrary
from .tensors import NotTaken


class PlainOperator(Operator):
    """An operator without kernels: it runs on arrays of dtypes that those do not take."""


class CompiledOperator(Operator):
    """A promoted formula whose forward and backward are kernels.

    What a kernel doesn't take runs on the formula's Python, with the same
    result. A backward that is recorded calls the compiled derivative as an
    operator of its own, and beyond the compiled orders the emitted closure.
    `namespace` and `plain_views` are those of the operator that was compiled.
    `of_other_dtypes` is called in its place on arrays of dtypes that kernels do
    not take, where the formula asks for such.
    """

    def __init__(
        self,
        compiled: Compiled,
        library: KernelLibrary,
        namespace: Mapping[str, Any],
        plain_views: bool = False,
    ) -> None:
        super().__init__(compiled.formula, namespace, plain_views)
        self.compiled = compiled
        self.library = library
        self.kernel = CompiledKernel(library, compiled.forward)
        self._patterns: dict[tuple[tuple[bool, ...], tuple[bool, ...]], Variant] = {}
        if compiled.undecided is not None:
            self.of_other_dtypes = PlainOperator(compiled.undecided, namespace, plain_views)

    def forward(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
        """Results, hidden outputs and plain values, by the kernel where it takes the inputs."""
        other = self.for_dtypes(inputs)
        if other is not self:  # on arrays alone: an engine asks itself
            return other.forward(inputs, attributes)
        arrays = self._by_kernel(inputs, attributes)
        if arrays is None:
            return super().forward(inputs, attributes)
        return self._completed(arrays, inputs, attributes)

    def results(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
        """The results alone."""
        arrays = self._by_kernel(inputs, attributes)
        given = {position for position, _ in self.kernel.kernel.outputs}
        if arrays is None or not given.issuperset(range(self.n_results)):
            return self.forward(inputs, attributes)[: self.n_results]
        return tuple(arrays[: self.n_results])

    def _by_kernel(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> list[Any] | None:
        """All values, as far as the kernel gives them; None where it does not take the inputs."""
        given = dict(zip((p.var for p in self.inputs), inputs, strict=True))
        given |= {p.var: attributes[p.var.name] for p in self.attributes}
        try:
            outputs, plain = self.kernel.with_plain_outputs(
                [given[entry.var] for entry in self.kernel.kernel.inputs]
            )
        except NotTaken:
            return None
        results: list[Any] = [None] * (self.n_results + self.n_hidden + self.n_plain)
        for (position, _), array in zip(self.kernel.kernel.outputs, outputs, strict=True):
            results[position] = array[()] if array.ndim == 0 else array
        for one, value in zip(self.kernel.kernel.plain_results, plain, strict=True):
            results[one.position] = value
        return results

    def plain_values(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], known: Sequence[Any]
    ) -> tuple[Any, ...]:
        """All values, where those that the kernel gives are known."""
        return self._completed(list(known), inputs, attributes)

    def _completed(
        self, results: list[Any], inputs: Sequence[Any], attributes: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """The results with those that the kernel does not give."""
        positions, extras, function = self._values
        if positions:
            given = dict(zip((p.var for p in self.inputs), inputs, strict=True))
            given |= {p.var: attributes[p.var.name] for p in self.attributes}
            arguments = [given[param.var] for param in self.formula.params]
            computed = function(*arguments, *(results[k] for k in extras))
            for position, value in zip(positions, computed, strict=True):
                results[position] = value
        return tuple(results)

    @cached_property
    def _values(self) -> tuple[list[int], list[int], Callable[..., tuple[Any, ...]]]:
        """Positions of the values that the kernel doesn't give, those of what they read, their Python."""
        forward, kernel = self.formula.forward, self.kernel.kernel
        given = {position for position, _ in kernel.outputs} | {one.position for one in kernel.plain_results}
        positions = [k for k in range(len(forward.results)) if k not in given]
        wanted = tuple(forward.results[k] for k in positions)
        there = {a: k for k, a in enumerate(forward.results) if isinstance(a, Var) and k in given}
        rest = [eqn for eqn in forward.eqns if not all(out in there for out in eqn.outs)]
        eqns = tuple(remove_dead(rest, wanted))
        free = Block((), eqns, wanted).free()
        extras = [var for var in free if var in there]
        params = (*self.formula.params, *(Param(var) for var in extras))
        block = Block(tuple(p.var for p in params), eqns, wanted)
        part = self.formula.evolve(params=params, forward=block)
        return positions, [there[var] for var in extras], self.compile(forward_function(part))

    def backward(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        """The pullback for a pattern of defined and needed gradients, by a kernel where there is one."""
        key = (defined, needed)
        if key not in self._patterns:
            self._patterns[key] = self._pattern(defined, needed)
        return self._patterns[key]

    def _pattern(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        python = super().backward(defined, needed)
        derivative = self.compiled.derivative
        if derivative is None or self.barrier is not None:
            return python
        plain = tuple(
            k < self.n_results and k not in self.nondifferentiable
            for k in range(self.n_results + self.n_hidden)
        )
        kernel = derivative.forward if defined == plain else self.library.variant(self.compiled, defined)
        if kernel is None:
            return python
        run = Backward(self, CompiledKernel(self.library, kernel), needed, python, defined == plain)
        if len(defined) == 1:
            return Variant(run, run.reads, python.materialize)
        # A call keeps what its own pattern reads, with every gradient defined, and all sizes; a kernel of
        # another pattern may read more than that.
        recorded = tuple(k not in self.nondifferentiable for k in range(len(defined)))
        if defined != recorded and not {*run.reads} <= {*self.backward(recorded, needed).reads}:
            return python
        sizes = (k for k, entry in enumerate(self.saved) if entry.source == "plain")
        return Variant(run, tuple(sorted({*run.reads, *sizes})), python.materialize)

    @cached_property
    def derivative(self) -> CompiledOperator | None:
        """The plain first backward as an operator; None where its own derivative is not compiled."""
        derivative = self.compiled.derivative
        if derivative is None or derivative.derivative is None:
            return None
        names = {**self.namespace, **FORMULAS.called_by(derivative.formula)}
        return CompiledOperator(derivative, self.library, names, self.plain_views)


class Backward:
    """A backward of one pattern: on arrays a kernel, on tensors a recorded operator or the closure.

    sources  for each argument of the kernel: whether it is a cotangent (else a saved value), and which
    used     whether what is wanted depends on it; a pointwise kernel takes anything for the others
    slots    the input that each gradient belongs to
    wanted   whether each output of the kernel is needed
    python   the same on the closure
    """

    def __init__(
        self,
        owner: CompiledOperator,
        kernel: CompiledKernel,
        needed: tuple[bool, ...],
        python: Variant,
        plain: bool,
    ) -> None:
        self._owner = owner
        self.kernel = kernel
        self.python = python
        self._plain = plain
        saved = {entry.name: k for k, entry in enumerate(owner.saved)}
        cotangents = {var: k for k, var in enumerate(owner.formula.cotangents)}
        # Each argument is a saved value or a cotangent.
        self.sources = [
            (True, cotangents[entry.var]) if entry.var in cotangents else (False, saved[entry.var.name])
            for entry in kernel.kernel.inputs
        ]
        self.used = [True] * len(self.sources)
        given = list(self.sources)
        if owner.library.has_flat(kernel.kernel) or is_pointwise(kernel.kernel):
            self._leave_out(python.reads)
        self.reads = tuple(sorted({*python.reads, *(k for k, used in self._saved_arguments() if used)}))
        self._complete = all(self.used) and given == self.sources
        self.slots = _slots(owner, kernel.kernel, plain)
        wanted = [needed[slot] for slot in self.slots]
        self.wanted = [*wanted, *[False] * (len(kernel.kernel.outputs) - len(wanted))]

    @property
    def recordable(self) -> bool:
        """True where the compiled derivative, with these arguments, is the same."""
        return self._plain and self._complete

    def _saved_arguments(self) -> list[tuple[int, bool]]:
        pairs = zip(self.sources, self.used, strict=True)
        return [(k, used) for (is_cotangent, k), used in pairs if not is_cotangent]

    def _leave_out(self, reads: tuple[int, ...]) -> None:
        """Pass shapes for arguments of which only these are read, and mark those that are not read."""
        likes = _likes(self._owner)
        for index, (is_cotangent, k) in enumerate(self.sources):
            if is_cotangent or k in reads or self.kernel.kernel.inputs[index].dtype != "T":
                continue
            if likes.get(k) in reads:
                self.sources[index] = False, likes[k]
            else:
                self.used[index] = False

    def __call__(self, saved: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        arguments = [cotangents[k] if is_cotangent else saved[k] for is_cotangent, k in self.sources]
        if dispatch.engine_of(*arguments) is not None:
            operator = self._owner.derivative if self.recordable else None
            if operator is None:
                return self.python.call(saved, cotangents)
            given = dict(zip((entry.var for entry in self.kernel.kernel.inputs), arguments, strict=True))
            inputs = [given[param.var] for param in operator.inputs]
            attributes = {param.var.name: given[param.var] for param in operator.attributes}
            gradients = dispatch.apply(operator, inputs, attributes)
        else:
            if not all(self.used):
                filler = like(next(gradient for gradient in cotangents if gradient is not None))
                pairs = zip(arguments, self.used, strict=True)
                arguments = [argument if used else filler for argument, used in pairs]
            try:
                gradients = self.kernel(arguments, self.wanted)
            except NotTaken:
                return self.python.call(saved, cotangents)
        full: list[Any] = [None] * len(self._owner.inputs)
        for slot, wanted, gradient in zip(self.slots, self.wanted, gradients, strict=False):
            full[slot] = gradient if wanted else None
        return tuple(full)


def _likes(owner: CompiledOperator) -> dict[int, int]:
    """For saved inputs, the saved value that is the shape and dtype of the same one."""
    forward = owner.formula.forward
    inputs: dict[Atom, int] = {param.var: k for k, param in enumerate(owner.inputs)}
    sizes: dict[Atom, int] = {
        eqn.outs[0]: inputs[eqn.args[0]] for eqn in forward.eqns if eqn.op == "like" and eqn.args[0] in inputs
    }
    plain = forward.results[owner.n_results + owner.n_hidden :]
    places = {
        sizes[plain[entry.position]]: k
        for k, entry in enumerate(owner.saved)
        if entry.source == "plain" and plain[entry.position] in sizes
    }
    return {
        k: places[entry.position]
        for k, entry in enumerate(owner.saved)
        if entry.source == "input" and entry.position in places
    }


def _slots(owner: CompiledOperator, kernel: Kernel, plain: bool) -> list[int]:
    """The input that each gradient of the kernel belongs to."""
    differentiable = [k for k, param in enumerate(owner.inputs) if param.differentiable]
    if not plain:
        return [differentiable[position] for position, _ in kernel.outputs]
    return [differentiable[index] for index in owner.compiled.gradients]
