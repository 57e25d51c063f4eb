"""## What it does
Finds an expression whose rank or shape cannot be right for any input: constants that do not broadcast,
an axis that an array of known rank does not have, a matrix product of sizes that differ.

## Why is this bad?
Each call raises an error at this expression. It is found here without an input.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def weighted(x):
    w = np.sum(np.ones((3, 4)), axis=2)

    def weighted_pullback(grad):
        return grad * w

    return x * w, weighted_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def weighted(x):
    w = np.sum(np.ones((3, 4)), axis=1)

    def weighted_pullback(grad):
        return grad * w

    return x * w, weighted_pullback
```

## References
NumPy, "Broadcasting".
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB409", __doc__)
