"""## What it does
Finds a formula that does not return `result, closure`.

## Why is this bad?
Without the closure there is no derivative. A function of operators that have one needs nothing:
`pb.derive_pullback` or `@pb.composite` make a formula of it.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def cube(x):
    return x * x * x
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def cube(x):
    def cube_pullback(grad):
        return 3 * grad * x * x

    return x * x * x, cube_pullback
```

## References
`pullback derive FILE::NAME` prints a closure for a function that has none.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB405", __doc__)
