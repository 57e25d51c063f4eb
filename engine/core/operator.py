"""An operator as the engines run it: a promoted formula, compiled from its emitted Python.

Both engines see the same object. It knows nothing of tensors or tapes: it
takes arrays, or whatever NumPy's functions accept, and returns the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from ...transpile.emit.python import backward_function, forward_function, saved_variables
from ...transpile.ir import Block, Formula, Param, Span, Var
from ...transpile.passes.variants.specialize import specialize
from .errors import GradientShapeError


class Saved(NamedTuple):
    """A value that a pullback reads: where it comes from, and its name in the formula.

    `position` counts inputs, or results and hidden outputs together, or plain values.
    """

    source: Literal["input", "output", "plain"]
    position: int
    name: str


class Variant(NamedTuple):
    """A pullback for one pattern of defined and needed gradients.

    Gradients in and out are those of real losses by real and imaginary parts, ``dL/dx + i dL/dy``.

    ``call(saved, cotangents)`` takes an entry per `Operator.saved`, of which it
    looks at those in `reads`, and one per result and hidden output, None where
    undefined; undefined ones in `materialize` must come as zeros. It returns a
    gradient per input, None for zero, a list for a list of tensors. `relied` are
    those of `reads` whose values count, not only their sizes; None means all.
    """

    call: Callable[[Sequence[Any], Sequence[Any]], tuple[Any, ...]]
    reads: tuple[int, ...]
    materialize: tuple[int, ...]
    relied: tuple[int, ...] | None = None


def bound(
    called: str,
    inputs: Sequence[Param],
    attributes: Sequence[Param],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call as `Operator.bind` gives them; `called` is for errors."""
    params = (*inputs, *attributes)
    if len(args) > len(params):
        raise TypeError(f"{called}() takes {len(params)} arguments but {len(args)} were given")
    given = {param.var.name: value for param, value in zip(params, args, strict=False)}
    for name, value in kwargs.items():
        if name in given:
            raise TypeError(f"{called}() got multiple values for argument {name!r}")
        if not any(param.var.name == name for param in params):
            raise TypeError(f"{called}() got an unexpected keyword argument {name!r}")
        given[name] = value
    for param in params:
        name = param.var.name
        if name in given:
            continue
        if param.default is None and not param.optional:
            raise TypeError(f"{called}() missing required argument {name!r}")
        given[name] = param.default.value if param.default is not None else None
    values = tuple(given[param.var.name] for param in inputs)
    return values, {param.var.name: given[param.var.name] for param in attributes}


def as_input(param: Param, value: Any) -> Any:
    """An input as a formula reads it: a list is an array, and an array for a list of tensors is its parts."""
    if param.var.kind != "list":
        return np.asarray(value) if isinstance(value, (list, tuple)) else value
    parts = list(value) if hasattr(value, "dtype") else value
    if not isinstance(parts, (list, tuple)):
        return value
    return [np.asarray(item) if isinstance(item, (list, tuple)) else item for item in parts]


def _conjugates(gradients: Sequence[Any]) -> list[Any]:
    """The gradients, those that are complex conjugated; of a list, each."""
    found = []
    for gradient in gradients:
        if type(gradient) is list:
            gradient = _conjugates(gradient)
        elif (dtype := getattr(gradient, "dtype", None)) is not None and dtype.kind == "c":
            gradient = gradient.conj()
        found.append(gradient)
    return found


_OF_KERNELS = frozenset(map(np.dtype, ("float32", "float64", "int64", "bool")))


def _is_of_other_dtype(value: Any) -> bool:
    if type(value) is list:
        return any(map(_is_of_other_dtype, value))
    dtype = getattr(value, "dtype", None)
    return dtype is not None and dtype not in _OF_KERNELS


_ABOUT_SIZES = frozenset({"like", "shape", "ndim", "size", "dtype", "is_none"})


_FACTS = frozenset({"is_none", "like", "shape", "ndim"})


def _read_by_value(block: Block) -> set[Var]:
    """The free variables of a closure that it reads for more than their sizes."""
    eqns = tuple(eqn for eqn in block.eqns if eqn.op not in _ABOUT_SIZES)
    return set(Block(block.params, eqns, block.results).free())


class Operator:
    """A promoted formula, ready to run.

    `namespace` holds the names that the author's text may use besides the
    vocabulary (the formula's module), for calls that the vocabulary doesn't know.
    `plain_views` says that a result over an input's memory shows some of its
    entries, with their gradient, as it is for the library's operators. `jvp` is
    the author's forward-mode rule, where he gives one. `complex` says that the
    closure takes complex values: as it is the transpose of a derivative, and a
    gradient the conjugate of one, conjugates go in and come out.
    """

    def __init__(
        self,
        formula: Formula,
        namespace: Mapping[str, Any],
        plain_views: bool = False,
        jvp: Callable[..., Any] | None = None,
    ) -> None:
        assert formula.promoted, formula.name
        self.formula = formula
        self.plain_views = plain_views
        self.name = formula.name
        self.span: Span = formula.span
        self.inputs: tuple[Param, ...] = tuple(p for p in formula.params if not p.attribute)
        self.attributes: tuple[Param, ...] = formula.attributes
        self.n_results = formula.results
        self.n_hidden = len(formula.hidden)
        self.n_plain = len(formula.plain)
        self.result_is_tuple = formula.result_is_tuple
        self.nondifferentiable = frozenset(formula.options.nondifferentiable)
        self.barrier = formula.barrier or None
        self.complex = formula.options.complex
        self.namespace = namespace
        self._variables: tuple[Var, ...] = saved_variables(formula)
        self.saved = tuple(map(self._saved, self._variables))
        self.jvp = jvp
        self.tangent_rules: dict[tuple[bool, ...], Any] = {}  # see `tangents`
        self._variants: dict[tuple[tuple[bool, ...], tuple[bool, ...]], Variant] = {}

    # What is called on arrays of other dtypes than kernels take, where the formula asks for such.
    of_other_dtypes: Operator | None = None

    def for_dtypes(self, inputs: Sequence[Any]) -> Operator:
        """The operator to call on these inputs: `of_other_dtypes`, where it is for one of them."""
        if self.of_other_dtypes is not None and any(map(_is_of_other_dtype, inputs)):
            return self.of_other_dtypes
        return self

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    @property
    def exposed(self) -> Operator:
        """The same operator with its hidden outputs among its results."""
        other = Operator(self.formula, self.namespace, self.plain_views, self.jvp)
        other.n_results, other.n_hidden = self.n_results + self.n_hidden, 0
        other.result_is_tuple = True
        other._variants = self._variants
        return other

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Inputs in order, and attributes by name, with defaults filled in.

        Attributes may also be positional, after the inputs, as in NumPy. Raises
        TypeError for arguments that do not fit, as a Python function does.
        """
        if not kwargs and not self.attributes and len(args) == len(self.inputs):
            return tuple(args), {}
        return bound(self.name, self.inputs, self.attributes, args, kwargs)

    def forward(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
        """Results, hidden outputs and plain values of arrays and Python numbers."""
        arguments: Sequence[Any] = inputs
        if attributes:
            values = iter(inputs)
            arguments = [
                attributes[param.var.name] if param.attribute else next(values)
                for param in self.formula.params
            ]
        outputs: tuple[Any, ...] = self._forward(*arguments)
        return outputs

    @cached_property
    def _forward(self) -> Callable[..., Any]:
        return self.compile(forward_function(self.formula))

    def backward(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        """The pullback for a pattern; made when the pattern is first seen.

        `defined` has an entry per result and hidden output, `needed` one per input.
        """
        key = (defined, needed)
        if key not in self._variants:
            self._variants[key] = self._variant(defined, needed)
        return self._variants[key]

    def _variant(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        differentiable = [i for i, param in enumerate(self.inputs) if param.differentiable]
        special = specialize(self.formula, defined, [needed[i] for i in differentiable])
        free = set(special.block.free())
        reads = tuple(i for i, var in enumerate(self._variables) if var in free)
        name = f"{self.name}_backward"
        variables = [self._variables[i] for i in reads]
        function = self.compile(backward_function(self.formula, special, variables, name))
        present = tuple(self.formula.cotangents.index(var) for var in special.block.params)
        width, takes_complex = len(self.inputs), self.complex

        def call(saved: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
            incoming = [cotangents[i] for i in present]
            if takes_complex:
                incoming = _conjugates(incoming)
            try:
                gradients = function(*[saved[i] for i in reads], *incoming)
            except GradientShapeError as error:
                raise GradientShapeError(f"{self.span}: derivative of {self.name}: {error}") from error
            if takes_complex:
                gradients = _conjugates(gradients)
            if len(gradients) == width:
                return tuple(gradients)
            full: list[Any] = [None] * width
            for index, gradient in zip(differentiable, gradients, strict=True):
                full[index] = gradient
            return tuple(full)

        by_value = _read_by_value(special.block)
        relied = tuple(i for i in reads if self._variables[i] in by_value)
        return Variant(call, reads, special.materialize, relied)

    def _saved(self, var: Var) -> Saved:
        for index, param in enumerate(self.inputs):
            if param.var == var:
                return Saved("input", index, var.name)
        position = self.formula.forward.results.index(var)
        outputs = self.n_results + self.n_hidden
        if position < outputs:
            return Saved("output", position, var.name)
        return Saved("plain", position - outputs, var.name)

    @cached_property
    def plain_rules(self) -> tuple[tuple[str, str] | None, ...]:
        """For each plain value that follows from a call in one step its rule, and the name that it is of.

        The rule is "attribute" or "is_none" of an attribute, "like", "shape" or "ndim" of the only input.
        """
        forward = self.formula.forward
        attributes = {param.var for param in self.attributes}
        only = {param.var for param in self.inputs} if len(self.inputs) == 1 else set()
        rules: dict[Any, tuple[str, str]] = {var: ("attribute", var.name) for var in attributes}
        for eqn in forward.eqns:
            if eqn.op in _FACTS and eqn.args[0] in (attributes if eqn.op == "is_none" else only):
                rules[eqn.outs[0]] = eqn.op, eqn.args[0].name
        return tuple(rules.get(value) for value in forward.results[self.n_results + self.n_hidden :])

    def compile(self, function: ast.FunctionDef) -> Callable[..., Any]:
        """The emitted function; its lines are the author's, so tracebacks stand in the formula's file."""
        module = ast.Module([function], [])
        namespace = dict(self.namespace)
        exec(compile(module, self.formula.source.path, "exec"), namespace)
        compiled: Callable[..., Any] = namespace[function.name]
        return compiled
