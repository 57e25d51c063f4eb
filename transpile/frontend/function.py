"""One formula: parameters, forward, closure."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..analysis.facts import Facts
from ..analysis.findings import analyse
from ..analysis.liveness import prune
from ..diagnostics import Diagnostic, FormulaError
from ..ir import Atom, Block, Formula, Options, Param, Source, Var
from .calls.opaque import PATH_LOSING
from .closure import Pullback, read_closure
from .names.bindings import Names
from .names.decorators import decoration
from .names.signature import own_call, with_itself
from .names.static import imported_inside, with_imports
from .naming import prefer_outer_names
from .parameters import read_parameters
from .readers import READERS
from .state.atoms import atom
from .state.builder import Builder
from .state.kinds import is_text, is_tuple
from .state.readers import read_body
from .state.values import Choice, Frame, Function, Items, Value, elements
from .syntax.fence import Refusal, is_generator, outside_of_loops, refuse, statement
from .syntax.leaving import always_raises, last_return
from .syntax.text import Text, find_function, parse


@dataclass(frozen=True)
class Reading:
    """The outcome of reading one function: a formula unless there are errors, and all findings."""

    formula: Formula | None
    diagnostics: tuple[Diagnostic, ...]


def read_function(
    source: Source, names: Names, name: str, options: Options | None = None, target: str | None = None
) -> Formula:
    """The formula of a function; `pullback` is None where it returns no closure.

    Raises `FormulaError` with everything that is wrong.

    >>> source = Source("f.py", "def double(x):\\n    return x + x, lambda grad: grad + grad\\n")
    >>> formula = read_function(source, Names.of({}), "double")
    >>> [eqn.op for eqn in formula.forward.eqns], formula.forward.results
    (['add'], (Var(name='_1', kind='tensor', temp=True),))
    """
    reading = read_one(source, names, name, options, target)
    if reading.formula is None:
        raise FormulaError([d for d in reading.diagnostics if d.severity == "error"], source)
    return reading.formula


def read_one(
    source: Source, names: Names, name: str, options: Options | None = None, target: str | None = None
) -> Reading:
    """Like `read_function`, with warnings and advice too, and errors as diagnostics."""
    try:
        text = parse(source)
        node = find_function(text.tree, name)
        if node is None:
            raise _missing(text, name)
        decorated = decoration(text, names, node)
        if decorated is not None:
            options, target = options or decorated.options, target or decorated.target
    except Refusal as refusal:
        return Reading(None, (refusal.finding,) if refusal.finding else ())
    return read_node(text, names, node, options, target)


def _missing(text: Text, name: str) -> Refusal:
    """The refusal of a text without a ``def`` of this name."""
    for node in ast.walk(text.tree):
        if name == "<lambda>" and isinstance(node, ast.Lambda):
            hint = "give it a name: `def name(...):`"
            return refuse("PB402", "a `lambda` is not read as a formula", text.span(node), hint=hint)
        if isinstance(node, ast.AsyncFunctionDef) and node.name == name:
            return statement(node, text.span(node))
    return refuse("PB400", f"no function `{name}` in this text", text.span(text.tree), value=name)


def read_node(
    text: Text, names: Names, node: ast.FunctionDef, options: Options | None, target: str | None
) -> Reading:
    """Read a function of a parsed text."""
    build = Builder()
    formula: Formula | None = None
    try:
        text.check_depth(node)
        if (stray := outside_of_loops(node.body)) is not None:
            word = "break" if isinstance(stray, ast.Break) else "continue"
            raise refuse(
                "PB400", f"`{word}` outside of a loop", text.span(stray), hint="return, or write `if`"
            )
        names = with_itself(names, node, target)
        formula = _read(build, text, names, node, options or Options(), target)
        if (own := own_call(formula, names)) is not None:
            raise own
    except Refusal as refusal:
        build.report(refusal)
    except RecursionError:
        deep = refuse("PB402", "nested too deeply", text.span(node), hint="split it over several assignments")
        build.report(deep)
    if any(finding.severity == "error" for finding in build.findings):
        formula = None
    if formula is not None:
        facts = Facts(build.defined, build.used, build.origin, build.opaque, text.source)
        formula, facts = prefer_outer_names(prune(formula), facts)
        analysis = analyse(formula, facts, PATH_LOSING)
        build.findings += analysis.findings
        formula = analysis.formula if analysis.usable else None
    return Reading(formula, tuple(_named(finding, node.name) for finding in build.findings))


def _named(finding: Diagnostic, name: str) -> Diagnostic:
    return finding if finding.name else replace(finding, name=name)


def _read(
    build: Builder, text: Text, names: Names, node: ast.FunctionDef, options: Options, target: str | None
) -> Formula:
    inside = imported_inside(node)
    names = with_imports(names, inside)
    frame = Frame(READERS, build, text, names, declared=text.locals_of(node) - inside.keys(), calls=(node,))
    if (found := is_generator(node)) is not None:
        raise refuse(
            "PB402",
            f"`{node.name}` is a generator",
            frame.span(found),
            hint="return the result and a closure",
        )
    params = read_parameters(frame, node)
    returned = read_body(frame, node.body, recover=True)
    if always_raises(node.body):
        where = next(item for item in ast.walk(node) if isinstance(item, ast.Raise))
        raise refuse(
            "PB405",
            f"`{node.name}` always raises, and returns nothing",
            frame.span(where),
            hint="raise under an `if`",
        )
    if returned is None:
        if any(finding.severity == "error" for finding in build.findings):
            raise Refusal
        raise refuse(
            "PB405", f"`{node.name}` returns nothing", frame.span(node), hint="return result, pullback"
        )
    value, closure = _split(frame, returned, node)
    results, is_tuple = _results(frame, value, node)
    forward_eqns = build.eqns
    pullback: Pullback | None = None
    if closure is not None:
        inputs = [param for param in params if param.differentiable]
        pullback = read_closure(frame, closure, len(results), inputs)
    _check_options(frame, node, options, len(results))
    params += tuple(
        Param(var, "float", attribute=True, keyword=True, differentiable=False)
        for var in build.factory.values()
    )
    return Formula(
        name=node.name,
        params=params,
        forward=Block(tuple(param.var for param in params), tuple(forward_eqns), results),
        pullback=pullback.block if pullback else None,
        source=text.source,
        span=text.span(node),
        target=target,
        results=len(results),
        rules=pullback.rules if pullback else (),
        options=options,
        result_is_tuple=is_tuple,
    )


def _check_options(frame: Frame, node: ast.FunctionDef, options: Options, results: int) -> None:
    """Refuse options that name what isn't there (PB408)."""
    known = {var.name for var in frame.build.forward_vars} | set(frame.build.origin.values())
    wrong = [str(index) for index in options.nondifferentiable if not 0 <= index < results]
    wrong += [name for name in (*options.save, *options.recompute) if name not in known]
    for value in wrong:
        what = f"result {value}" if value.lstrip("-").isdigit() else f"value `{value}`"
        where = node.decorator_list[0] if node.decorator_list else node
        raise refuse(
            "PB408", f"there is no {what}, which the decorator names", frame.span(where), value=value
        )


def _split(frame: Frame, returned: Value, node: ast.FunctionDef) -> tuple[Value, Function | Choice | None]:
    """``return result, closure`` into the two."""
    if isinstance(returned, Function | Choice):
        raise refuse("PB405", "only a closure is returned", frame.span(node), hint="return result, pullback")
    if not isinstance(returned, Items):
        return returned, None
    functions = [item for item in returned.items if isinstance(item, Function | Choice)]
    if not functions:
        return returned, None
    last = returned.items[-1]
    if len(returned.items) != 2 or not isinstance(last, Function | Choice) or len(functions) != 1:
        raise refuse(
            "PB405",
            "return the result (several as a tuple) and one closure",
            frame.span(last_return(node) or node),
            hint="return result, pullback; return (h, c), pullback",
        )
    return returned.items[0], last


def _results(frame: Frame, value: Value, node: ast.FunctionDef) -> tuple[tuple[Atom, ...], bool]:
    known: Sequence[Value] | None = elements(value)
    where = last_return(node) or node
    if known is None:
        return (_result(frame, value, where),), False
    if not known:
        raise refuse("PB405", "no result is returned", frame.span(where), hint="return result, pullback")
    return tuple(_result(frame, item, where) for item in known), True


def _result(frame: Frame, value: Value, where: ast.AST) -> Atom:
    found = atom(frame, value, where)
    wrong = "a string" if is_text(frame, found) else "a tuple" if is_tuple(frame, found) else ""
    if isinstance(found, Var) and found.kind == "list":
        wrong = "a list or tuple of tensors"
    if wrong:
        message = f"{wrong} is no result: an operator returns tensors"
        hint = "return the array, several as one tuple: `return first, *others`"
        raise refuse("PB405", message, frame.span(where), hint=hint)
    return found
