"""`pullback.jax.compile`: a formula whose forward and backward are C++ kernels that XLA calls."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import update_wrapper
from importlib import import_module
from operator import attrgetter
from typing import Any

import jax
import numpy as np

from pullback import Formula
from pullback.engine.kernels.lazy import LazyLibrary, Part
from pullback.engine.kernels.prepared import asks_ranks, prepare
from pullback.engine.kernels.readings import read
from pullback.engine.kernels.signature import leaves, signature
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.loops.kernels.formula_kernels import is_runtime_number

from .ffi.bridge import bridge
from .ffi.operator import KernelOperator
from .function import as_inputs, function, namespace
from .rules import Mode, Rules
from .values import is_array


def compile(formula: Formula, mode: Mode = "reverse") -> Compiled:
    """The formula as a function of JAX arrays on the CPU whose forward and first backward are kernels.

    formula  an operator with its derivative
    mode     "reverse": a `jax.custom_vjp`, which runs both kernels. Forward mode over it works, as in
             `jax.hessian`; "both": a primitive whose forward is a kernel and whose tangents are XLA's

    The kernels are those of `pb.compile`, compiled when a call with new dtypes or attributes is traced and
    cached on disk. Derivatives beyond the first, products of matrices, dtypes other than float32 and
    float64, and whatever has no kernel are computed by XLA as `function` computes them, with the same
    results. A batch of `vmap` is one call where the kernel works entry by entry on arrays of equal rank,
    else a loop of calls. Raises CompilerError without a compiler, FormulaError as `function` does.

    >>> import jax, numpy as np, pullback as pb
    >>> @pb.formula
    ... def area(r):
    ...     return np.pi * r * r, lambda grad: grad * (2 * np.pi * r)
    >>> fast = compile(area)  # doctest: +SKIP
    >>> jax.grad(lambda r: fast(r).sum())(np.ones(3))  # doctest: +SKIP
    """
    bridge()
    return Compiled(formula, mode)


class Compiled:
    """A formula with kernels as a function of JAX arrays; `compile` makes it."""

    __name__: str
    __qualname__: str

    def __init__(self, formula: Formula, mode: Mode) -> None:
        self._plain = function(formula, mode)
        self.mode: Mode = mode
        self._formula = formula
        self._rules: dict[Hashable, Rules | None] = {}
        read(formula)
        self._inputs = tuple(param for param in formula.ir.params if not param.attribute)
        self._fixed = tuple(p.var.name for p in formula.ir.attributes if not is_runtime_number(p))
        update_wrapper(self, formula.__wrapped__)

    def __repr__(self) -> str:
        return f"<pullback.jax.compile {self.__name__}, mode={self.mode!r}>"

    def __copy__(self) -> Compiled:
        return self

    def __deepcopy__(self, seen: dict[int, Any]) -> Compiled:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """By the name that the formula, or this function, has in its module."""
        module, name = self.__module__, self.__qualname__
        try:
            found = _named(module, name)
        except (ImportError, AttributeError):
            found = None
        if found is not self and found is not self._formula:
            raise pickle.PicklingError(f"{module}.{name} is not the formula: one is pickled by its name")
        return _loaded, (module, name, self.mode)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The formula's results."""
        given, attributes = self._formula.operator.bind(args, kwargs)
        if any(is_array(leaf) for leaf in jax.tree.leaves(attributes)):
            return self._plain(*args, **kwargs)
        inputs = as_inputs(self._formula.__name__, self._inputs, given)
        fixed = {name: attributes.pop(name) for name in self._fixed}
        rules = self._rules_for(fixed, inputs)
        if rules is None:
            return self._plain(*args, **kwargs)
        outputs = rules.call(leaves(inputs), attributes, self.mode)[: rules.operator.n_results]
        return outputs if rules.operator.result_is_tuple else outputs[0]

    def _rules_for(self, fixed: Mapping[str, Any], inputs: Sequence[Any]) -> Rules | None:
        """The rules of the kernels for these arguments; None where there are no kernels."""
        names = [param.var.name for param in self._inputs]
        arguments = signature(names, inputs, asks_ranks(self._formula))
        bits = 32 if any(leaf.dtype == np.float32 for leaf in leaves(inputs)) else 64
        key = repr(fixed), tuple(arguments.items()), bits
        if key not in self._rules:
            try:
                prepared = prepare(self._formula, fixed, 1, arguments)
                library = LazyLibrary(prepared)
                library.part = Part(bits)
                operator = KernelOperator(prepared, library, namespace(self._formula))
                operator.python.check()  # XLA has the derivatives beyond the first
            except FormulaError:
                self._rules[key] = None
            else:
                self._rules[key] = Rules(operator)
        return self._rules[key]


def _named(module: str, name: str) -> Any:
    return attrgetter(name)(import_module(module))


def _loaded(module: str, name: str, mode: Mode) -> Compiled:
    """The function that was pickled by this name, or one of the formula of this name."""
    found = _named(module, name)
    return found if isinstance(found, Compiled) else compile(found, mode)
