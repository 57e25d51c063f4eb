"""Formulas as operators of `torch.ops`."""

from __future__ import annotations

import keyword
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from importlib import import_module
from typing import Any

import torch

from ..engine.formula.formula import Formula
from . import compiled_code
from .bridge.attached import Attached, call_nothing_from, directly
from .dispatched import Kernels
from .function import TorchFunction
from .helpers.numbers import check_attributes

_OF_TORCH = frozenset(
    {"aten", "prim", "prims", "quantized", "inductor", "higher_order", "c10d", "_c10d_functional"}
)
_OPERATORS: dict[str, TorchOperator] = {}


class TorchOperator:
    """An operator of `torch.ops` made of a formula: `register` makes them.

    formula  the formula
    name     its qualified name, `namespace::name`
    op       the overload, `torch.ops.namespace.name.default`
    compiled whether it runs kernels on the CPU
    source   the text of the module that its kernels are from
    """

    def __init__(self, namespace: str, name: str, formula: Formula, compiled: bool) -> None:
        self.formula = formula
        self.compiled = compiled
        self.name = f"{namespace}::{name}"
        function = TorchFunction(formula)
        self.source = function.source
        params = formula.ir.params
        self._names = [param.var.name for param in params if not param.keyword]
        self._fixed = {param.var.name for param in params if param.attribute}
        places = [k for k, key in enumerate(self._names) if key in self._fixed]
        self._first_attribute = min(places, default=len(self._names))
        kernels = Kernels(self.name, function, dense=compiled)
        attached = Attached(formula, kernels.signature.names) if compiled else None
        self._library = kernels.library(namespace, name, op_by_op=compiled)
        self.op = kernels.op
        # PyTorch gives one result without a tuple.
        is_tuple = formula.operator.formula.result_is_tuple
        self._is_tuple_of_one = is_tuple and len(self.op._schema.returns) == 1
        if attached is not None:
            attached.attach(namespace, name, f"{name}_op_by_op")
            attached.call_from(self, self._by_dispatcher, is_tuple)
        self._attached = attached
        update_wrapper(self, formula.__wrapped__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._by_dispatcher(*args, **kwargs)

    def _by_dispatcher(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) > self._first_attribute:
            check_attributes(self.name, self._attributes(args, kwargs))
        found = self.op(*args, **kwargs)
        return (found,) if self._is_tuple_of_one else found

    def _attributes(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes that a call gives."""
        given = {**dict(zip(self._names, args, strict=False)), **kwargs}
        return {key: value for key, value in given.items() if key in self._fixed}

    def close(self) -> None:
        """Take the operator from `torch.ops`; calls raise RuntimeError from then on."""
        closed = _Closed(self.name, self.op._schema)
        if self._attached is not None:
            call_nothing_from(self, closed)
            self._attached.close()
        self._library._destroy()
        self.op = closed

    def __repr__(self) -> str:
        return f"<torch operator {self.op._schema}>"

    def __copy__(self) -> TorchOperator:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TorchOperator:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """By its name, and the module that registers it."""
        return _loaded, (self.name, self.formula.__module__)


class _Closed:
    """An overload that is gone: PyTorch would read memory that it has freed."""

    def __init__(self, name: str, schema: Any) -> None:
        self._name, self._schema = name, schema

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"{self._name} was closed, or its formula was defined anew, which replaced it: call what "
            f"pullback.torch.register returned last, or torch.ops.{self._name.replace('::', '.')}"
        )


def register(
    namespace: str, formula: Any, *more_formulas: Any, name: str | None = None, compiled: bool = False
) -> Any:
    """Formulas as operators `torch.ops.namespace.name`, differentiable to every order.

    namespace       the namespace, an identifier; those of PyTorch itself are refused
    formula         what `pb.formula` or `pb.derive_pullback` makes
    more_formulas   more of them
    name            the operator's name, for one formula; else the formula's own
    compiled        run the formula's C++ kernels on float32 and float64 tensors of the CPU, compiled when a
                    call with new dtypes or attributes comes, and what has no kernel op by op

    The operator has a schema (tensors, optional tensors, lists of tensors, attributes with their
    defaults), kernels for every device, a fake implementation with symbolic sizes, derivatives in both
    modes, batching rules, and a rule for autocast where products of matrices are computed. It works
    under `torch.compile` and `torch.export` without a graph break, and in `torch.func`. Complex tensors
    are computed with, and have no gradients.

    Returns a `TorchOperator`, or a list of them for several formulas. A formula that is defined anew, as
    a notebook's cell that is run again does, replaces its operator.

    Raises FormulaError (PB502), at the formula's line, at what PyTorch or its schemas have no equal of;
    ValueError for a namespace or name that can't be one; RuntimeError for a name that is taken;
    CompilerError for `compiled` where there is no compiler.

    >>> import numpy as np, torch
    >>> import pullback as pb
    >>> @pb.formula
    ... def soft_sign(x, *, scale: float = 1.0):
    ...     d = 1 / (scale + np.abs(x))
    ...     return x * d, lambda grad: grad * scale * d * d
    >>> register("doctest", soft_sign)
    <torch operator doctest::soft_sign(Tensor x, *, float scale=1.) -> Tensor>
    >>> torch.ops.doctest.soft_sign(torch.tensor([1.0, -3.0]))
    tensor([ 0.5000, -0.7500])
    """
    formulas = (formula, *more_formulas)
    for each in formulas:
        if not isinstance(each, Formula):
            kind = type(each).__name__
            raise TypeError(
                f"pullback.torch.register takes formulas, not {kind}: decorate it with pb.formula"
            )
    if name is not None and more_formulas:
        raise ValueError(f"pullback.torch.register: name={name!r} names one operator, not {len(formulas)}")
    names = [each.__name__ if name is None else name for each in formulas]
    _check_names(namespace, names, formulas)
    made = []
    for each, own in zip(formulas, names, strict=True):
        qualified = f"{namespace}::{own}"
        known = _OPERATORS.get(qualified)
        if known is None or known.formula is not each or known.compiled != compiled:
            if known is not None:
                known.close()
                del _OPERATORS[qualified]
            made_of = directly(TorchOperator) if compiled else TorchOperator
            _OPERATORS[qualified] = made_of(namespace, own, each, compiled)
        made.append(_OPERATORS[qualified])
    compiled_code.tag({name: operator.source for name, operator in _OPERATORS.items()})
    return made if more_formulas else made[0]


def _check_names(namespace: str, names: Sequence[str], formulas: Sequence[Formula]) -> None:
    """Raise for names that are no names, or taken."""
    for what, text in (("namespace", namespace), *(("name", name) for name in names)):
        if not (isinstance(text, str) and text.isidentifier() and text.isascii()) or keyword.iskeyword(text):
            raise ValueError(f"pullback.torch.register: {what} {text!r} is no identifier")
    if namespace in _OF_TORCH:
        raise ValueError(
            f"pullback.torch.register: the namespace {namespace!r} is PyTorch's own: choose one of yours"
        )
    for name, formula in zip(names, formulas, strict=True):
        qualified = f"{namespace}::{name}"
        known = _OPERATORS.get(qualified)
        if known is not None:
            if _identity(known.formula) == _identity(formula):
                continue
            of = f"the formula at {known.formula.ir.span}"
        elif torch._C._jit_get_schemas_for_operator(qualified):
            of = "somebody else"
        else:
            continue
        raise RuntimeError(
            f"pullback.torch.register: {qualified} is registered already, by {of}: "
            "choose another name= or namespace"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise RuntimeError(f"pullback.torch.register: {namespace}::{twice} is given twice")


def _identity(formula: Formula) -> tuple[str, str]:
    return formula.__module__, formula.__wrapped__.__qualname__


def _loaded(name: str, module: str) -> TorchOperator:
    """The operator that was pickled by this name; importing the formula's module registers it."""
    if name not in _OPERATORS:
        import_module(module)
    if name not in _OPERATORS:
        namespace = name.split("::")[0]
        raise pickle.UnpicklingError(
            f"{name} is not registered: call pullback.torch.register({namespace!r}, ...), in {module} best"
        )
    return _OPERATORS[name]
