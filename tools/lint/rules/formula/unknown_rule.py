"""## What it does
Finds a closure parameter `grad_<name>` where the formula has no value of that name.

## Why is this bad?
The rule could not belong to anything, and the gradient that it should carry would be lost.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad, grad_sum):
        return grad * b, grad * t + grad * b

    return t * b, simple_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad, grad_t):
        return grad * b + grad_t, grad * t + grad * b + grad_t

    return t * b, simple_pullback
```

## References
Hand-written rules: `docs/captures.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB204", __doc__)
