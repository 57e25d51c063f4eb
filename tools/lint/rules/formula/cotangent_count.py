"""## What it does
Checks the closure's parameters: a gradient per result, in order, then `grad_<name>` for each
intermediate with a hand-written rule.

## Why is this bad?
The closure could not be called, or would take one result's gradient for another's.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def both(a, b):
    def both_pullback(grad):
        return grad * b, grad * a

    return (a * b, a + b), both_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def both(a, b):
    def both_pullback(grad_product, grad_sum):
        return grad_product * b + grad_sum, grad_product * a + grad_sum

    return (a * b, a + b), both_pullback
```

## References
The contract of a formula: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB205", __doc__)
