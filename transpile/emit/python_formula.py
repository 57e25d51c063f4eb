"""A formula as a person writes one: the forward, and in it the closure.

In: a formula that is not promoted. Out: its function as a syntax tree without places, which
`function_text` prints.
"""

from __future__ import annotations

import ast

from ..ir import Block, Formula, Literal, Var
from ..rewrite import uses, without_numbers
from .python import assignment, statements
from .python_expr import Expressions, dotted
from .python_names import with_shared_names
from .python_unpacking import with_unpacking

# About how long an expression becomes before a part of it gets a name.
_WIDTH = 66


def formula_function(formula: Formula, docstring: str | None = None) -> ast.FunctionDef:
    """``@pb.formula def f(x): ... return y, f_pullback``."""
    formula = _unpacking(formula)
    assert formula.pullback is not None
    name = f"{formula.name}_pullback"
    forward, pullback = with_shared_names(formula, name)
    # What the closure reads is read twice, so that it keeps its name.
    kept = (*forward.results[: formula.results], *pullback.free(), *pullback.free())
    body = _body(Block(forward.params, forward.eqns, kept), formula.results, formula.result_is_tuple)
    closure = _function(name, _closure_arguments(formula, forward, pullback))
    closure.body = _body(pullback, len(pullback.results), len(pullback.results) > 1, tidy=True)
    returned = body[-1]
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    returned.value = ast.Tuple([returned.value, ast.Name(name, ast.Load())], ast.Load())
    body.insert(-1, closure)
    if docstring is not None:
        body.insert(0, ast.Expr(ast.Constant(docstring)))
    function = _function(formula.name, _signature(formula))
    function.body, function.decorator_list = body, [_decorator(formula)]
    if not formula.rules:
        _number_anew(function, {param.var.name for param in formula.params} | {formula.name, name})
    return ast.fix_missing_locations(function)


def _unpacking(formula: Formula) -> Formula:
    """The formula with its unpackings; what the closure reads is no unread element."""
    forward, pullback = formula.forward, formula.pullback
    assert pullback is not None
    made = with_unpacking(Block(forward.params, forward.eqns, (*forward.results, *pullback.free())))
    return formula.evolve(
        forward=Block(forward.params, made.eqns, forward.results), pullback=with_unpacking(pullback)
    )


def _number_anew(function: ast.FunctionDef, fixed: set[str]) -> None:
    """Names count up from the bare one, without gaps: what was written inside of others took none."""
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.Name | ast.arg)]
    written = {node.id if isinstance(node, ast.Name) else node.arg for node in nodes}
    free = {name for name in written if not any(_is_bound(node, name) for node in nodes)}
    names = {name: name for name in fixed | free}
    taken = {*names}
    for node in nodes:
        name = node.id if isinstance(node, ast.Name) else node.arg
        if name not in names:
            stem = without_numbers(name)
            number, names[name] = 0, stem
            while names[name] in taken:
                number += 1
                names[name] = f"{stem}_{number}"
            taken.add(names[name])
        if isinstance(node, ast.Name):
            node.id = names[name]
        else:
            node.arg = names[name]


def _is_bound(node: ast.Name | ast.arg, name: str) -> bool:
    if isinstance(node, ast.arg):
        return node.arg == name
    return node.id == name and isinstance(node.ctx, ast.Store)


def _function(name: str, arguments: ast.arguments) -> ast.FunctionDef:
    return ast.FunctionDef(name=name, args=arguments, body=[], decorator_list=[], lineno=1)


def _body(block: Block, count: int, several: bool, tidy: bool = False) -> list[ast.stmt]:
    """The statements of a block, which returns its first `count` results."""
    expressions = Expressions(uses(block), _WIDTH, tidy)
    body = statements(block.eqns, expressions)
    results = block.results[:count]
    expressions.fit(results)
    values = [expressions.of(atom) for atom in results]
    body += [assignment((var,), taken) for var, taken in expressions.apart()]
    body.append(ast.Return(ast.Tuple(values, ast.Load()) if several else values[0]))
    return body


def _closure_arguments(formula: Formula, forward: Block, pullback: Block) -> ast.arguments:
    """A gradient per result, and one per rule, named after what the rule is for."""
    assert formula.pullback is not None
    names = [var.name for var in pullback.params]
    renamed = dict(zip(_outs(formula.forward), _outs(forward), strict=True))
    places = {param: place for place, param in enumerate(formula.pullback.params)}
    for var, param in formula.rules:
        names[places[param]] = f"grad_{renamed[var].name}"
    return ast.arguments(
        posonlyargs=[], args=[ast.arg(n) for n in names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )


def _outs(block: Block) -> list[Var]:
    return [out for eqn in block.eqns for out in eqn.outs]


def _decorator(formula: Formula) -> ast.expr:
    """``@pb.formula``, with what it was given besides hints on what to save."""
    options, keywords = formula.options, []
    for name in ("first_order_only", "surrogate"):
        if getattr(options, name):
            keywords.append(ast.keyword(name, ast.Constant(True)))
    if options.nondifferentiable:
        value = ast.Tuple([ast.Constant(place) for place in options.nondifferentiable], ast.Load())
        keywords.append(ast.keyword("nondifferentiable", value))
    given = [dotted(formula.target)] if formula.target is not None else []
    decorator = dotted("pullback.formula")
    return ast.Call(decorator, given, keywords) if given or keywords else decorator


def _signature(formula: Formula) -> ast.arguments:
    """The parameters as they were written: annotations, defaults, what stood after the star."""
    plain = [param for param in formula.params if not param.keyword]
    keyword = [param for param in formula.params if param.keyword]
    annotated = {
        param.var: ast.arg(
            param.var.name,
            None if param.annotation == "Tensor" else _annotation(param.annotation),
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


def _annotation(text: str) -> ast.expr:
    """An annotation that can be evaluated: ``list[pb.Tensor]``, however the author wrote it."""

    class Qualified(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            return dotted("pullback.Tensor") if node.attr == "Tensor" else node

        def visit_Name(self, node: ast.Name) -> ast.expr:
            return dotted({"Tensor": "pullback.Tensor", "dtype": "numpy.dtype"}.get(node.id, node.id))

        def visit_Constant(self, node: ast.Constant) -> ast.expr:
            return _annotation(node.value) if isinstance(node.value, str) else node

    made: ast.Expression = Qualified().visit(ast.parse(text, mode="eval"))
    return made.body


def _default(literal: Literal | None) -> ast.expr | None:
    return None if literal is None else ast.parse(repr(literal.value), mode="eval").body
