"""## What it does
Counts what the closure returns: one gradient per differentiable input, in order; `None` for zero.

## Why is this bad?
A gradient would go to the wrong input, or to none.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def product(a, b):
    def product_pullback(grad):
        return grad * b

    return a * b, product_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def product(a, b):
    def product_pullback(grad):
        return grad * b, grad * a

    return a * b, product_pullback
```

## References
The contract of a formula: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB201", __doc__)
