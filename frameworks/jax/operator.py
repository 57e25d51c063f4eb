"""A formula's emitted Python, compiled over JAX: names checked, errors at the author's lines."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from traceback import walk_tb
from typing import Any

import jax

from pullback.engine.core.operator import Operator
from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.emit.jax.names import missing, unknown_calls
from pullback.transpile.ir import Formula, Span
from pullback.transpile.operators import OPERATORS

_MODULES = {"np": "numpy", "special": "scipy.special", "primitives": "pullback.primitives", "pb": "pullback"}
# What JAX raises where Python asks for the value of an array that is being traced.
_TRACED = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)


class JaxOperator(Operator):
    """An operator that runs on JAX's arrays.

    `namespace` holds `np`, `special`, `primitives` and `pb` over JAX, and the formulas that it calls.
    Raises FormulaError for what has no counterpart there.
    """

    def __init__(self, formula: Formula, namespace: Mapping[str, Any]) -> None:
        super().__init__(formula, namespace)
        _refuse_unknown_calls(formula)

    def compile(self, function: ast.FunctionDef) -> Callable[..., Any]:
        """The emitted function, whose errors about traced values say where the author asks for one."""
        self._refuse_missing_names(function)
        compiled = super().compile(function)

        def located(*args: Any) -> Any:
            try:
                return compiled(*args)
            except _TRACED as error:
                raise self._traced(error) from error

        return located

    def _refuse_missing_names(self, function: ast.FunctionDef) -> None:
        findings = []
        for node, dotted in _dotted_names(function):
            first, *rest = dotted.split(".")
            found = self.namespace.get(first)
            for name in rest:
                found = getattr(found, name, None)
            if found is None:
                findings.append(missing(self.formula, dotted, self._call(dotted, node.lineno)))
        if findings:
            raise FormulaError(list(dict.fromkeys(findings)), self.formula.source)

    def _call(self, dotted: str, line: int) -> Span:
        """The place of the call of a function, or what stands on this line."""
        first, _, rest = dotted.partition(".")
        name = f"{_MODULES[first]}.{rest}"
        calls = (eqn for eqn in self.formula.every() if eqn.op in OPERATORS)
        spans = (eqn.span for eqn in calls if OPERATORS[eqn.op].python == name and eqn.span is not None)
        return next(spans, self._span(line))

    def check(self) -> None:
        """Raise FormulaError for what the forward or the plain first backward needs and JAX lacks."""
        _ = self._forward
        defined = [i < self.n_results and i not in self.nondifferentiable for i in range(self._outputs)]
        self.backward(tuple(defined), tuple(param.differentiable for param in self.inputs))

    @property
    def _outputs(self) -> int:
        return self.n_results + self.n_hidden

    def _traced(self, error: Exception) -> FormulaError:
        """The error with the line of the formula at which a value is asked for."""
        path = self.formula.source.path
        lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == path]
        span = self._span(lines[-1]) if lines else self.span
        message = f"{self.name!r} asks for a value of an array that JAX traces: {_first_sentence(error)}"
        hint = "choose by np.where, or make what decides an attribute; without jit and vmap it runs"
        return FormulaError(
            [diagnostic("PB501", message, span, name=self.name, hint=hint)], self.formula.source
        )

    def _span(self, line: int) -> Span:
        """The place of a statement of the author's on this line."""
        spans = [eqn.span for eqn in self.formula.every() if eqn.span is not None and eqn.span.line == line]
        return spans[0] if spans else self.span


def _dotted_names(function: ast.FunctionDef) -> Iterator[tuple[ast.Attribute, str]]:
    """The names of modules' members that a function reads, longest first."""
    inner: set[ast.AST] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node not in inner:
            inner |= {child for child in ast.walk(node) if isinstance(child, ast.Attribute)}
            text = ast.unparse(node)
            if text.split(".")[0] in _MODULES and "(" not in text:
                yield node, text


def _refuse_unknown_calls(formula: Formula) -> None:
    """Raise FormulaError for calls of functions that the vocabulary does not know: they run on NumPy."""
    findings = unknown_calls(formula)
    if findings:
        raise FormulaError(findings, formula.source)


def _first_sentence(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")
