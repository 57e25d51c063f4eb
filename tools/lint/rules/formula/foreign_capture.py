"""## What it does
Finds a captured value that the formula did not compute: a global array, a mutable object, a loop
variable, a name that is assigned again after the closure is defined.

## Why is this bad?
It may change between forward and backward, and the gradient with it. C++ could not follow it at
all. Module-level numbers and the parameters of an enclosing factory are read once, when the formula
is defined, and are fine.

## Example
```python
import numpy as np
import pullback as pb


TABLE = np.array([1.0, 2.0, 3.0])


@pb.formula
def weighted(x):
    def weighted_pullback(grad):
        return grad * TABLE

    return x * TABLE, weighted_pullback
```

## Use instead
Make it a parameter:
```python
import numpy as np
import pullback as pb


@pb.formula
def weighted(x, table):
    def weighted_pullback(grad):
        return grad * table, grad * x

    return x * table, weighted_pullback
```

## References
The fence: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB104", __doc__)
