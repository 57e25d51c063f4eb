"""## What it does
Finds a gradient in which the incoming gradient does not enter linearly.

## Why is this bad?
A derivative is a linear map. A gradient that is squared, or divided by, is right for one incoming
gradient at most.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(x):
    def doubled_pullback(grad):
        return 2 * grad * grad

    return x * 2, doubled_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(x):
    def doubled_pullback(grad):
        return 2 * grad

    return x * 2, doubled_pullback
```

## References
Gradients that are meant to differ from the derivative: `@pb.formula(surrogate=True)`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB203", __doc__)
