"""Python from IR: the transformed formula as functions that the reference engine runs.

In: a promoted formula. Out: functions as syntax trees, whose line numbers are
the author's, so that tracebacks and breakpoints stand there; and the same
functions as text, with the author's line above each statement (`python_text`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ..derivatives import Variant
from ..ir import Block, Eqn, Formula, Span, Var
from ..passes.label_temporaries import label_block, label_temporaries
from ..passes.variants.specialize import specialize
from ..rewrite import all_names, uses
from .python_expr import Expressions, as_condition
from .python_loop import append, loop_statements
from .python_text import FILE, function_text

Node = TypeVar("Node", bound=ast.AST)
WIDTH = 110  # of a line of text


Printer = Callable[[Mapping[Var, int]], Expressions]  # of equations, by how often variables are read


def forward_function(formula: Formula, name: str = "", printer: Printer = Expressions) -> ast.FunctionDef:
    """``def f_forward(inputs, attributes)``, which returns results, hidden outputs and plain values."""
    params = [param.var for param in formula.params]
    return _function(name or f"{formula.name}_forward", params, formula.forward, formula, printer)


def backward_function(formula: Formula, variant: Variant, reads: Sequence[Var], name: str) -> ast.FunctionDef:
    """``def f_backward(saved, cotangents)``, which returns a gradient per differentiable input."""
    params = [*reads, *variant.block.params]
    return _function(name, params, variant.block, formula)


def plain_variant(formula: Formula) -> Variant:
    """The variant of a plain first backward: all results' gradients, no hidden output's."""
    defined = [i < formula.results for i in range(len(formula.cotangents))]
    for index in formula.options.nondifferentiable:
        defined[index] = False
    return specialize(formula, defined, [True] * len(formula.inputs))


def general_variant(formula: Formula) -> Variant:
    """The variant with every gradient defined."""
    return specialize(formula, [True] * len(formula.cotangents), [True] * len(formula.inputs))


def saved_variables(formula: Formula) -> tuple[Var, ...]:
    """The values of the forward that the pullback reads: inputs, outputs, plain values, in that order."""
    assert formula.pullback is not None
    free = formula.pullback.free()
    order = [*(param.var for param in formula.params), *formula.forward.results]
    return tuple(dict.fromkeys(var for var in order if isinstance(var, Var) and var in free))


def module_text(formula: Formula) -> str:
    """The promoted formula as Python text: forward, plain backward, general backward.

    The plain first backward is what runs when only the results have gradients.
    """
    formula = label_temporaries(formula)
    free = saved_variables(formula)
    parts = [function_text(forward_function(formula), formula.source, WIDTH)]
    variants = [(f"{formula.name}_backward", plain_variant(formula))]
    if formula.hidden:
        variants.append((f"{formula.name}_backward_general", general_variant(formula)))
    for name, variant in variants:
        block = variant.block
        reads = [var for var in free if var in block.free()]
        labelled = label_block(block, {*all_names(block), *(var.name for var in block.free())})
        function = backward_function(formula, replace(variant, block=labelled), reads, name)
        parts.append(function_text(function, formula.source, WIDTH))
    return "\n\n".join(parts)


def _function(
    name: str, params: Sequence[Var], block: Block, formula: Formula, printer: Printer = Expressions
) -> ast.FunctionDef:
    expressions = printer(uses(block))
    body = statements(block.eqns, expressions)
    results = ast.Tuple([expressions.of(atom) for atom in block.results], ast.Load())
    body.append(_at(ast.Return(results), formula.span))
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(param.name) for param in params],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    function = ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[])
    _at(function, formula.span)
    return ast.fix_missing_locations(function)


def statements(eqns: Sequence[Eqn], expressions: Expressions) -> list[ast.stmt]:
    """Equations as statements."""
    body: list[ast.stmt] = []
    span: Span | None = None
    for eqn in eqns:
        span = eqn.span or span
        made: list[ast.stmt] = []
        if eqn.op == "if" and not expressions.conditional_expression(eqn):
            made.append(_if_statement(eqn, expressions))
        elif eqn.op == "raise":
            made.append(expressions.raising(eqn))
        elif eqn.op == "for":
            made += loop_statements(eqn, expressions, statements)
        elif eqn.op == "append":
            grown, atom = eqn.args
            assert isinstance(grown, Var)
            made.append(append(grown, expressions.of(atom)))
        elif (value := expressions.equation(eqn)) is not None:
            made.append(assignment(eqn.outs, value))
        made[:0] = [assignment((var,), taken) for var, taken in expressions.apart()]
        body += [_at(statement, span) for statement in made]
    return body


def assignment(names: Sequence[Var], value: ast.expr) -> ast.Assign:
    """``name = value``, or ``first, second = value``."""
    targets: list[ast.expr] = [ast.Name(var.name, ast.Store()) for var in names]
    return ast.Assign([targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())], value)


def _if_statement(eqn: Eqn, expressions: Expressions) -> ast.If:
    branches: list[list[ast.stmt]] = []
    for block in eqn.blocks:
        body = statements(block.eqns, expressions)
        for out, atom in zip(eqn.outs, block.results, strict=True):
            value = expressions.of(atom)
            if not (isinstance(value, ast.Name) and value.id == out.name):
                body.append(_at(ast.Assign([ast.Name(out.name, ast.Store())], value), eqn.span))
        branches.append(body)
    test = as_condition(expressions.of(eqn.args[0]))
    if not branches[0] and branches[1]:
        return ast.If(ast.UnaryOp(ast.Not(), test), branches[1], [])
    return ast.If(test, branches[0] or [ast.Pass()], branches[1])


def _at(node: Node, span: Span | None) -> Node:
    """The node with the author's line and column on it and on all that has none."""
    if span is not None:
        for child in ast.walk(node):
            if "lineno" in child._attributes and not hasattr(child, "lineno"):
                child.lineno = child.end_lineno = span.line  # type: ignore[attr-defined]
                child.col_offset = child.end_col_offset = span.column - 1  # type: ignore[attr-defined]
        vars(node)[FILE] = span.path
    return node
