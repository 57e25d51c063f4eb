"""## What it does
Finds a captured value that is neither an input nor a result, but was computed from a differentiable
input.

## Why is this bad?
In a formula it is not: the value becomes a hidden output, and the closure gains the term that the
gradient of that output needs. The finding has severity info and says that this happens, because
everywhere else the same text gives a right first derivative and a silently wrong second one: the
gradient that flows into the saved value when the backward itself is differentiated is dropped.

## Example
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

## Use instead
Nothing needs to change. Where recomputing is cheaper than keeping the value, compute it in the
closure:
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    def simple_pullback(grad):
        return grad * b, grad * (a + b) + grad * b

    return (a + b) * b, simple_pullback
```

## References
PyTorch issues 58509, 76185 and 104040; HIPS/autograd issue 129.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Formula

from ..rule import Rule

CODE = "PB101"


def check(formula: Formula) -> Iterator[Diagnostic]:
    """One finding per capture that is promoted."""
    for capture in formula.captures:
        if capture.action == "promoted":
            where = f" (line {capture.defined.line})" if capture.defined else ""
            message = (
                f"`{capture.name}` is an intermediate{where}: promoted to a hidden output, "
                f"and the closure gains the term for its gradient"
            )
            yield diagnostic(CODE, message, capture.span, name=formula.name, value=capture.name)


RULE = Rule(CODE, __doc__, check)
