"""`pb.compile`: a formula whose forward and backwards are kernels, up to an order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, update_wrapper
from typing import TYPE_CHECKING, Any, Generic

from ...transpile.diagnostics import Diagnostic, FormulaError
from ...transpile.emit.cpp import emit_cpp
from ...transpile.ir import Formula as FormulaIR
from ...transpile.ir import Param
from ...transpile.loops.kernels.formula_kernels import formula_kernels, is_runtime_number
from ...transpile.loops.kernels.plain_values import with_plain_results
from ...transpile.passes.kernel.arguments import Arguments
from ...transpile.passes.kernel.array_attributes import Indexing, indexing
from ..calls.direct import DirectCall, OperatorFunction, result_on_arrays
from ..calls.lists import joined
from ..core.dispatch import engine_of
from ..core.operator import as_input, bound
from ..core.registry import FORMULAS, LIBRARY
from ..core.typed import P, Q, R_co, Routine, S
from ..formula.decorators import derive_pullback
from ..formula.formula import LIBRARY_OF_PROCESS, Composite, Formula, is_global
from .array_attributes import split_attributes
from .compiler import identity
from .lazy import LazyLibrary
from .operator import CompiledOperator
from .prepared import Prepared, asks_ranks, prepare
from .primal import primal_of
from .readings import read
from .signature import leaves, signature


def compile(function: Callable[Q, S], order: int = 2) -> CompiledFormula[Q, S]:
    """A formula, or a plain function of differentiable operators, compiled to C++.

    Inputs that the kernels don't take (dtypes other than
    float32, float64, int64 and bool) run on the formula.

    Parameters
    ----------
    function : callable or Formula
        A formula, a plain function of differentiable operators, or a function of NumPy, SciPy or
        `pullback.numpy` that the library has a formula for.
    order : int, optional
        Up to which derivatives are compiled; further ones run the emitted Python.

    Returns
    -------
    CompiledFormula
        Called like the formula, on arrays and on tensors; it gives the same results.

    Raises
    ------
    CompilerError
        There is no C++ compiler.
    FormulaError
        The forward is not compiled (PB501, located); `limits` tells about backwards that are not. A
        function with loops, or products that ask for numbers of axes, is compiled for those of its
        first call, which raises instead.

    Examples
    --------
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
    found = FORMULAS.find(function) if not isinstance(function, Formula) else None
    if isinstance(function, OperatorFunction):
        found = FORMULAS.of_operator(function.op)
    if found is not None:
        function = found
    if isinstance(function, Composite):
        function = function.__wrapped__
    formula = function if isinstance(function, Formula) else derive_pullback(function)
    return CompiledFormula(formula, order)


class CompiledFormula(Routine, Generic[P, R_co], DirectCall):
    """A formula with its kernels. `formula` is what it was compiled from.

    For type checkers it is `CompiledFormula[P, R]`, of the formula's parameters and result.

    Attributes of type float are arguments of the kernels; for other attributes
    there is a version per value, compiled when it is first seen. So there is for
    lists of another length, absent inputs, inputs of several dtypes, and in functions
    with loops for other numbers of axes. Arrays in attributes are data, which no
    version depends on.

    Examples
    --------
    >>> import numpy as np
    >>> import pullback as pb
    >>> @pb.compile
    ... def swish(x):
    ...     return x / (1 + np.exp(-x))
    >>> type(swish).__name__, swish.formula.__name__, swish(np.zeros(2))
    ('CompiledFormula', 'swish', array([0., 0.]))
    """

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    __qualname__: str

    def __init__(self, formula: Formula[P, R_co], order: int) -> None:
        self.formula = formula
        self.order = order
        self._operators: dict[Hashable, CompiledOperator] = {}
        self._refused: dict[Hashable, FormulaError] = {}
        update_wrapper(self, formula.__wrapped__)
        read(formula)
        attributes = self._fixed_attributes
        identity()
        known = {p.var.name: p.default.value for p in attributes if p.default is not None}
        if len(known) == len(attributes) and not self._waits:
            self._operator(known, {})

    @cached_property
    def _fixed_attributes(self) -> tuple[Any, ...]:
        return tuple(p for p in self.formula.ir.attributes if not is_runtime_number(p))

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        inputs, attributes = self._bound(args, kwargs)
        if self._primal is not None and engine_of(*inputs, *attributes.values()) is None:
            with suppress(FormulaError):
                return self._primal(*inputs, **attributes)
        split = split_attributes(attributes, self._indexing)
        if split is None:
            return self.formula(*args, **kwargs)
        attributes, arrays = split
        fixed = {p.var.name: attributes.pop(p.var.name) for p in self._fixed_attributes}
        names = [param.var.name for param in self._inputs]
        arguments = signature(names, inputs, self._asks_ranks)
        try:
            operator = self._operator(fixed, arguments)
        except FormulaError:
            if not arrays:
                raise
            return self.formula(*args, **kwargs)
        present = [*leaves(inputs), *arrays]
        library = operator.library
        if isinstance(library, LazyLibrary):
            library.expect(present)
        engine = engine_of(*present)
        # From now on without Python in between.
        if not (fixed or arguments or attributes) and engine is not None:
            self._set_operator(operator)
        # Kernels know the lengths of lists, and a remembered call does not tell arrays from tensors.
        varies = self._takes_lists or arrays or self._primal is not None
        if len(args) == len(names) and not varies:
            self._remember(operator, attributes, args, kwargs, frozenset(fixed), self._asks_ranks)
        if engine is not None:
            return engine.apply(operator, present, attributes)
        return result_on_arrays(operator, tuple(present), attributes)

    @cached_property
    def _primal(self) -> CompiledFormula[P, R_co] | None:
        """The kernels for calls that are not recorded, where those of others save what loops compute."""
        if self._takes_lists:
            return None
        made = primal_of(self.formula)
        return None if made is None else CompiledFormula(made, 0)

    def _data_apart(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Attributes that say of arrays what kernels have to know; as they are where none takes them."""
        split = split_attributes(attributes, self._indexing)
        return attributes if split is None else split[0]

    @cached_property
    def _indexing(self) -> Indexing:
        return indexing(self.formula.ir)

    @property
    def _is_library(self) -> bool:
        return str(self.formula.__module__).startswith(LIBRARY)

    @cached_property
    def _inputs(self) -> tuple[Param, ...]:
        return tuple(param for param in self.formula.ir.params if not param.attribute)

    def _bound(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        inputs, attributes = bound(
            self.formula.ir.name, self._inputs, self.formula.ir.attributes, args, kwargs
        )
        return tuple(map(_as_input, self._inputs, inputs)), attributes

    @cached_property
    def _asks_ranks(self) -> bool:
        return asks_ranks(self.formula)

    @cached_property
    def _waits(self) -> bool:
        """True where nothing is compiled before the arguments are seen."""
        return self._asks_ranks or self._takes_lists

    @cached_property
    def _takes_lists(self) -> bool:
        return any(param.var.kind == "list" for param in self._inputs)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By its name, where it has one; else compiled again from the formula."""
        return self.__qualname__ if is_global(self) else (compile, (self.formula, self.order))

    def __repr__(self) -> str:
        return f"<compiled {self.formula.__name__}, order {self.order}>"

    def limits(self, **attributes: Any) -> tuple[Diagnostic, ...]:
        """The reason why an order that was asked for runs on the formula's Python; empty where none does.

        With lists, and where the numbers of axes decide what is computed (`np.dot`), there is
        nothing to compile before a call: then this is of the versions that were compiled so far.
        """
        if not self._takes_lists:
            try:
                return self.operator(**attributes).compiled.limits
            except FormulaError as error:
                if not self._operators:
                    return tuple(error.diagnostics)
        found = (limit for operator in self._operators.values() for limit in operator.compiled.limits)
        return tuple(dict.fromkeys(found))

    def source(self, **attributes: Any) -> str:
        """The C++ for these attributes; defaults stand for those that are not given."""
        known = {
            p.var.name: p.default.value for p in self._fixed_attributes if p.default is not None
        } | self._data_apart(attributes)
        optional = any(param.optional for param in self.formula.ir.params)
        compiled = formula_kernels(self.formula.ir, LIBRARY_OF_PROCESS, known, self.order, present=optional)
        compiled = with_plain_results(compiled)
        return emit_cpp(compiled.formula.name, compiled.kernels(), compiled.formula.source)

    def operator(self, **attributes: Any) -> CompiledOperator:
        """The operator for these attributes, as the engines run it."""
        _, given = self._bound([None] * len(self._inputs), attributes)
        fixed = {p.var.name: given[p.var.name] for p in self._fixed_attributes}
        return self._operator(self._data_apart(fixed), {})

    def _operator(self, attributes: Mapping[str, Any], arguments: Arguments) -> CompiledOperator:
        key = (*((name, _key(value)) for name, value in attributes.items()), *arguments.items())
        if key in self._refused:
            raise self._refused[key]
        if key not in self._operators:
            known = {name: _literal(value) for name, value in attributes.items()}
            try:
                prepared = self._prepared(known, arguments)
            except FormulaError as error:
                self._refused[key] = error
                raise
            self._operators[key] = CompiledOperator(
                prepared.compiled,
                LazyLibrary(prepared),
                Names(self.formula, prepared.compiled.formula),
                self._is_library,
            )
        return self._operators[key]

    def _prepared(self, attributes: Mapping[str, Any], arguments: Arguments) -> Prepared:
        return prepare(self.formula, attributes, self.order, arguments)


def _as_input(param: Param, value: Any) -> Any:
    """An input as kernels take it; the lists in a list are joined, with their gradients."""
    if isinstance(value, (list, tuple)):
        value = [joined(part) for part in value] if param.var.kind == "list" else joined(value)
    return as_input(param, value)


class Names(Mapping[str, Any]):
    """The names of a formula's emitted Python, found when some of it runs."""

    def __init__(self, formula: Formula, promoted: FormulaIR) -> None:
        self._formula, self._promoted = formula, promoted

    @cached_property
    def _known(self) -> Mapping[str, Any]:
        return self._formula.namespace(self._promoted)

    def __getitem__(self, name: str) -> Any:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _literal(value: Any) -> Any:
    """A list as a tuple, as a literal holds it."""
    return tuple(map(_literal, value)) if isinstance(value, (list, tuple)) else value


def _key(value: Any) -> Hashable:
    """The key of an attribute's value: 1, 1.0 and True are three."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_key, value))
    return type(value), repr(value)
