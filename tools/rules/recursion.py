"""## What it does
Finds formulas whose forwards call each other in a circle.

## Why is this bad?
The derivative of one is made from the derivative of the other, without end. Closures may use each
other's operators.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def power(x, n: int):
    r = x * power(x, n - 1)

    def power_pullback(grad):
        return grad * n * power(x, n - 1)

    return r, power_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def power(x, n: int):
    r = x**n

    def power_pullback(grad):
        return grad * n * x ** (n - 1)

    return r, power_pullback
```

## References
The fixpoint of promotion: `docs/architecture.md`.
"""

from __future__ import annotations

from .rule import Rule

RULE = Rule("PB105", __doc__)
