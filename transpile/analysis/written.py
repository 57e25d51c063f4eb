"""Values as their author wrote them: a name of his, or the expression where there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", source.text):
        return name
    for eqn in eqns:
        if eqn.span is not None and any(out.name == name for out in eqn.outs):
            return _text(source, eqn.span) or otherwise
    return otherwise


def _text(source: Source, span: Span) -> str:
    """The text of a place, in one line, cut where it is long."""
    lines = [source.line(number) for number in range(span.line, span.end_line + 1)]
    if not any(lines):
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    text = " ".join(" ".join(lines).split())
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
