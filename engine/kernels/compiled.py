"""`pb.compile`: a formula whose forward and backwards are kernels, up to an order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property, update_wrapper
from typing import Any

import numpy as np

from ...transpile.diagnostics import Diagnostic
from ...transpile.emit.native import emit_cpp
from ...transpile.emit.native.arguments import Arguments
from ...transpile.emit.native.formula_kernels import Compiled, formula_kernels, is_runtime_number
from ...transpile.emit.native.ranks import asks
from ..dispatch import engine_of
from ..formula import LIBRARY_OF_PROCESS, Composite, Formula, derive_pullback
from .compile import compile_text
from .compiler import find_compiler
from .load import KernelLibrary
from .operator import CompiledOperator
from .signature import leaves, signature


def compile(function: Callable[..., Any] | Formula, order: int = 2) -> CompiledFormula:
    """A formula, or a plain function of differentiable operators, compiled to C++.

    order   up to which derivatives are compiled; further ones run the emitted Python

    The result is called like the formula, on arrays and on tensors, and gives
    the same results. Inputs that the kernels don't take (dtypes other than
    float32, float64, int64 and bool) run on the formula. Raises CompilerError
    without a compiler, FormulaError (PB501, located) where the forward is not
    compiled; `limits` tells about backwards that are not.

    >>> import numpy as np, pullback as pb
    >>> @pb.formula
    ... def area(r):
    ...     def area_pullback(grad):
    ...         return 2 * np.pi * r * grad
    ...     return np.pi * r * r, area_pullback
    >>> fast = pb.compile(area)  # doctest: +SKIP
    """
    if order < 0:
        raise ValueError(f"order must not be negative, got {order}")
    if isinstance(function, CompiledFormula):
        function = function.formula
    if isinstance(function, Composite):
        function = function.__wrapped__
    formula = function if isinstance(function, Formula) else derive_pullback(function)
    return CompiledFormula(formula, order)


class CompiledFormula:
    """A formula with its kernels. `formula` is what it was compiled from.

    Attributes of type float are arguments of the kernels; for other attributes
    there is a version per value, compiled when it is first seen. So there is for
    lists of another length, absent inputs, and inputs of several dtypes.
    """

    def __init__(self, formula: Formula, order: int) -> None:
        self.formula = formula
        self.order = order
        self._operators: dict[Hashable, CompiledOperator] = {}
        update_wrapper(self, formula.__wrapped__)
        attributes = self._fixed_attributes
        find_compiler()
        known = {p.var.name: p.default.value for p in attributes if p.default is not None}
        if len(known) == len(attributes) and not self._waits:
            self._operator(known, {})

    @cached_property
    def _fixed_attributes(self) -> tuple[Any, ...]:
        return tuple(p for p in self.formula.operator.formula.attributes if not is_runtime_number(p))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inputs, attributes = self.formula.operator.bind(args, kwargs)
        fixed = {p.var.name: attributes.pop(p.var.name) for p in self._fixed_attributes}
        if any(isinstance(value, np.ndarray) for value in leaves(list(fixed.values()))):
            return self.formula(*args, **kwargs)
        params = self.formula.operator.inputs
        arguments = signature([param.var.name for param in params], inputs, self._asks_ranks)
        operator = self._operator(fixed, arguments)
        present = leaves(inputs)
        engine = engine_of(*present)
        if engine is not None:
            return engine.apply(operator, present, attributes)
        outputs = operator.forward(present, attributes)[: operator.n_results]
        return outputs if operator.result_is_tuple else outputs[0]

    @cached_property
    def _asks_ranks(self) -> bool:
        return asks(self.formula.operator.formula)

    @cached_property
    def _waits(self) -> bool:
        """Whether there is nothing to compile before the arguments are seen."""
        lists = any(param.var.kind == "list" for param in self.formula.operator.inputs)
        return self._asks_ranks or lists

    def __repr__(self) -> str:
        return f"<compiled {self.formula.__name__}, order {self.order}>"

    def limits(self, **attributes: Any) -> tuple[Diagnostic, ...]:
        """Why some order that was asked for runs on the formula's Python; empty where none does."""
        operator = self.operator(**attributes)
        return operator.compiled.limits

    def source(self, **attributes: Any) -> str:
        """The C++ for these attributes; defaults stand for those that are not given."""
        known = {
            p.var.name: p.default.value for p in self._fixed_attributes if p.default is not None
        } | attributes
        return self._text(self._compiled(known, {}))

    def operator(self, **attributes: Any) -> CompiledOperator:
        """The operator for these attributes, as the engines run it."""
        inputs = [None] * len(self.formula.operator.inputs)
        _, bound = self.formula.operator.bind(inputs, attributes)
        return self._operator({p.var.name: bound[p.var.name] for p in self._fixed_attributes}, {})

    def _operator(self, attributes: Mapping[str, Any], arguments: Arguments) -> CompiledOperator:
        key = (*((name, _key(value)) for name, value in attributes.items()), *arguments.items())
        if key not in self._operators:
            known = {name: _literal(value) for name, value in attributes.items()}
            compiled = self._compiled(known, arguments)
            path = compile_text(self._text(compiled))
            library = KernelLibrary(path, self.formula.operator.name)
            self._operators[key] = CompiledOperator(compiled, library, self.formula.operator)
        return self._operators[key]

    def _compiled(self, attributes: Mapping[str, Any], arguments: Arguments) -> Compiled:
        return formula_kernels(self.formula.ir, LIBRARY_OF_PROCESS, attributes, self.order, arguments)

    def _text(self, compiled: Compiled) -> str:
        ir = self.formula.operator.formula
        return emit_cpp(ir.name, compiled.kernels(), ir.source)


def _literal(value: Any) -> Any:
    """A list as a tuple, as a literal holds it."""
    return tuple(map(_literal, value)) if isinstance(value, (list, tuple)) else value


def _key(value: Any) -> Hashable:
    """What tells attributes apart: 1, 1.0 and True are three."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_key, value))
    return type(value), repr(value)
