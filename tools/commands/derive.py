"""``pullback derive``: the closure that follows from a function's forward, as Python to read or to keep."""

from __future__ import annotations

import argparse
import ast

from pullback.transpile.emit.python import backward_function, forward_function, function_text
from pullback.transpile.ir import Block, Formula, Literal
from pullback.transpile.library import Library
from pullback.transpile.passes.derive import derive
from pullback.transpile.passes.simplify import remove_dead, simplify
from pullback.transpile.passes.specialize import Variant

from ..formulas import read_formula
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback derive examples/softplus.py::softplus
"""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "derive",
        "print a function with the closure that follows from its forward, as Python",
        EXAMPLE,
        run,
    )
    parser.add_argument(
        "target", metavar="FILE::NAME", help="a formula, or a plain function without a closure"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the derived formula; a closure that is written already is left aside."""
    formula, file = read_formula(arguments.target, plain=True)
    print(derived_text(formula, file.library))
    return 0


def derived_text(formula: Formula, library: Library) -> str:
    """The formula with a derived closure, as text that is a formula again.

    Raises FormulaError where an operator on the way has no derivative.
    """
    derived = derive(formula.evolve(pullback=None, captures=(), rules=()), library)
    assert derived.pullback is not None
    # Values that the closure reads count as results here, so that each keeps its name.
    captured = derived.pullback.free()
    results = (*derived.forward.results, *captured)
    block = Block(derived.forward.params, tuple(remove_dead(list(derived.forward.eqns), results)), results)
    function = forward_function(derived.evolve(forward=block), derived.name)
    closure = backward_function(
        derived, Variant(simplify(derived.pullback), ()), (), f"{derived.name}_pullback"
    )
    _unwrap(closure.body[-1])
    result = function.body[-1]
    assert isinstance(result, ast.Return)
    assert isinstance(result.value, ast.Tuple)
    del result.value.elts[derived.results :]
    _unwrap(result)
    result.value = ast.Tuple([result.value, ast.Name(closure.name, ast.Load())], ast.Load())
    function.body.insert(-1, closure)
    function.args = _signature(derived)
    text = function_text(ast.fix_missing_locations(function), derived.source)
    return f"import numpy as np\nimport pullback as pb\n\n\n@pb.formula\n{text}"


def _unwrap(statement: ast.stmt) -> None:
    """``return (x,)`` as ``return x``."""
    assert isinstance(statement, ast.Return)
    if isinstance(statement.value, ast.Tuple) and len(statement.value.elts) == 1:
        statement.value = statement.value.elts[0]


def _signature(formula: Formula) -> ast.arguments:
    """The parameters as they were written: annotations, defaults, attributes after the star."""
    plain = [param for param in formula.params if not param.attribute]
    keyword = [param for param in formula.params if param.attribute]
    annotated = {
        param.var: ast.arg(
            param.var.name,
            None if param.annotation == "Tensor" else ast.parse(param.annotation, mode="eval").body,
        )
        for param in formula.params
    }
    return ast.arguments(
        posonlyargs=[],
        args=[annotated[param.var] for param in plain],
        kwonlyargs=[annotated[param.var] for param in keyword],
        kw_defaults=[_default(param.default) for param in keyword],
        defaults=[value for param in plain if (value := _default(param.default)) is not None],
    )


def _default(literal: Literal | None) -> ast.expr | None:
    return None if literal is None else ast.parse(repr(literal.value), mode="eval").body
