"""A formula with kernels on JAX's arrays: forward and first backward are kernels, what is beyond is XLA's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from pullback.engine.core.operator import Operator, Variant
from pullback.engine.kernels.launch import CompiledKernel
from pullback.engine.kernels.lazy import LazyLibrary
from pullback.engine.kernels.operator import Backward, CompiledOperator
from pullback.engine.kernels.prepared import Prepared
from pullback.engine.kernels.tensors import NotTaken

from ..operator import JaxOperator
from ..primitives import like
from ..ruled import Ruled
from ..values import filled, packed, unpacked
from .kernel import JaxKernel


class KernelOperator(CompiledOperator):
    """The operator of a formula that was prepared for these dtypes; `python` is the same without kernels."""

    def __init__(self, prepared: Prepared, library: LazyLibrary, namespace: Mapping[str, Any]) -> None:
        self.python = JaxOperator(prepared.compiled.formula, namespace)
        super().__init__(prepared.compiled, library, namespace)
        self.kernel: Any = JaxKernel(library, prepared.compiled.forward)

    def compile(self, function: ast.FunctionDef) -> Callable[..., Any]:
        """The emitted function over JAX."""
        return self.python.compile(function)

    def _pattern(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        python = Operator.backward(self, defined, needed)
        derivative = self.compiled.derivative
        plain = tuple(
            k < self.n_results and k not in self.nondifferentiable
            for k in range(self.n_results + self.n_hidden)
        )
        if derivative is None or self.barrier is not None or defined != plain:
            return python
        run = _Backward(self, CompiledKernel(self.library, derivative.forward), needed, python, True)
        return Variant(run, tuple(range(len(self.saved))), python.materialize)


class _Backward(Backward):
    """A first backward: a kernel, whose own derivatives are those of the emitted closure."""

    def __call__(self, saved: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        kernel = JaxKernel(self._owner.library, self.kernel.kernel)  # type: ignore[arg-type]

        def by_kernel(saved: Any, cotangents: Any) -> list[Any]:
            values = list(map(unpacked, saved))
            arguments = [cotangents[k] if is_cotangent else values[k] for is_cotangent, k in self.sources]
            if not all(self.used):
                filler = like(next(gradient for gradient in cotangents if gradient is not None))
                pairs = zip(arguments, self.used, strict=True)
                arguments = [argument if used else filler for argument, used in pairs]
            try:
                gradients, _ = kernel.with_plain_outputs(arguments, self.wanted)
            except NotTaken:
                return by_python(saved, cotangents)
            full: list[Any] = [None] * len(self._owner.inputs)
            for slot, wanted, gradient in zip(self.slots, self.wanted, gradients, strict=False):
                full[slot] = gradient if wanted else None
            return full

        def by_python(saved: Any, cotangents: Any) -> list[Any]:
            return list(self.python.call(list(map(unpacked, saved)), cotangents))

        def moved(primals: Any, tangents: Any) -> tuple[Any, Any]:
            return jax.jvp(by_python, primals, filled(tangents))

        return tuple(Ruled(by_kernel, moved)(list(map(packed, saved)), list(cotangents)))
