"""## What it does
Finds a constant that NumPy holds as a float64 scalar, such as `np.sqrt(2 / np.pi)`, in arithmetic
with a tensor.

## Why is this bad?
By NumPy's promotion rules the result for a float32 array is float64: twice the memory, and half the
speed. A plain Python number does not widen.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def scaled(x):
    c = np.sqrt(2.0)

    def scaled_pullback(grad):
        return grad * 1.4142135623730951

    return x * c, scaled_pullback
```

## Use instead
```python
import math

import pullback as pb


@pb.formula
def scaled(x):
    c = math.sqrt(2.0)

    def scaled_pullback(grad):
        return grad * c

    return x * c, scaled_pullback
```

## References
NEP 50, promotion rules for Python scalars.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Eqn, Formula, Literal, Var
from pullback.transpile.vocabulary import WORDS

from .rule import Rule

CODE = "PB902"


def check(formula: Formula) -> Iterator[Diagnostic]:
    """One finding per float64 scalar that meets a tensor."""
    blocks = (formula.forward, *((formula.pullback,) if formula.pullback else ()))
    for eqn in (eqn for block in blocks for eqn in block.eqns):
        constant = next((a for a in eqn.args if isinstance(a, Literal) and a.strong), None)
        if constant is not None and eqn.span is not None and _widens(eqn):
            message = f"{constant} is a NumPy float64 scalar: it makes a float32 operand's result float64"
            hint = "compute the constant with math.sqrt and the like, or wrap it in float()"
            yield diagnostic(CODE, message, eqn.span, name=formula.name, value=str(constant), hint=hint)


def _widens(eqn: Eqn) -> bool:
    word = WORDS.get(eqn.op)
    tensor = any(isinstance(a, Var) and a.kind == "tensor" for a in eqn.args)
    return tensor and word is not None and word.pointwise and word.dtype in ("same", "float")


RULE = Rule(CODE, __doc__, check)
