"""## What it does
Finds helpers that call themselves, and formulas whose forwards call each other in a circle.

## Why is this bad?
The derivative of one is made from the derivative of the other, without end. Closures may use each
other's operators.

## Example
```python
import numpy as np
import pullback as pb


def power(x, n):
    return x * power(x, n - 1)


@pb.formula
def cube(x):
    def cube_pullback(grad):
        return 3 * grad * power(x, 2)

    return power(x, 3), cube_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def cube(x):
    def cube_pullback(grad):
        return 3 * grad * x**2

    return x**3, cube_pullback
```

## References
The fixpoint of promotion: `docs/architecture.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB105", __doc__)
