"""Values as their author wrote them: a name of his, or the expression where there is none."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache

from ..ir import Eqn, Source, Span

WIDEST = 28


def written(name: str, eqns: Iterable[Eqn], source: Source, otherwise: str = "") -> str:
    """The name of a value where it stands in the text, else the expression that computes it.

    Passes number the names that they make (``x_2``, ``tanh_1``, ``_4``); nobody should meet these.
    `otherwise` is for a value that no expression of the text computes.

    >>> from ..library import formula_in
    >>> formula = formula_in("def f(x):\\n    return np.exp(2 * x), lambda g: g")
    >>> [written(eqn.outs[0].name, formula.forward.eqns, formula.source) for eqn in formula.forward.eqns]
    ['2 * x', 'np.exp(2 * x)']
    """
    span = next((eqn.span for eqn in eqns if eqn.span and any(out.name == name for out in eqn.outs)), None)
    if name in _variables(source.text, span.line if span else None):
        return name
    return (span and _text(source, span)) or otherwise


@cache
def _variables(text: str, line: int | None) -> frozenset[str]:
    """The names of variables in the functions that a line is in; in all of the text for None."""
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a cell of a notebook, whose formulas were read without its other lines
        return frozenset()
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    around = [f for f in functions if line is not None and f.lineno <= line <= (f.end_lineno or 0)]
    nodes = list(ast.walk(around[0] if around else tree))
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return frozenset(arguments | {node.id for node in nodes if isinstance(node, ast.Name)})


def _text(source: Source, span: Span) -> str:
    """The text of a place, in one line, cut where it is long."""
    lines = [source.line(number) for number in range(span.line, span.end_line + 1)]
    if not any(lines):
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    text = " ".join(" ".join(lines).split())
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
