"""## What it does
Says where the closure computes again what the forward has computed already.

## Why is this bad?
It is right. It costs time in every backward, which may be what you want, for it saves memory.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * (a + b) + grad * b

    return t * b, simple_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, simple_pullback
```

## References
Recomputation against saving: `docs/captures.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Eqn, Formula

from .rule import Rule

CODE = "PB901"
# Metadata costs nothing to read again.
FREE = frozenset({"shape", "ndim", "size", "dtype", "like", "item", "tuple", "list", "slice", "is_none"})


def check(formula: Formula) -> Iterator[Diagnostic]:
    """One finding per equation of the closure that the forward has already computed."""
    if formula.pullback is None:
        return
    known = {_key(eqn): eqn for eqn in formula.forward.eqns if eqn.outs and _counts(eqn)}
    for eqn in formula.pullback.eqns:
        first = known.get(_key(eqn))
        if first is None or not _counts(eqn) or eqn.span is None:
            continue
        span = eqn.span
        value = formula.source.line(span.line)[span.column - 1 : span.end_column - 1]
        where = f" (line {first.span.line})" if first.span else ""
        message = f"{value} is computed again; the forward has it already{where}"
        hint = "capture it: it is promoted. Recomputing is right where memory counts more than time"
        yield diagnostic(CODE, message, span, name=formula.name, value=value, hint=hint)


def _counts(eqn: Eqn) -> bool:
    return eqn.op not in FREE and not eqn.blocks and eqn.outs[0].kind == "tensor"


def _key(eqn: Eqn) -> tuple[object, ...]:
    return (eqn.op, eqn.args, eqn.kwargs)


RULE = Rule(CODE, __doc__, check)
