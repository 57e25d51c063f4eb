"""## What it does
Finds a returned gradient, or a term of one, that depends on no incoming gradient.

## Why is this bad?
A pullback is linear in the incoming gradient. A constant term is right only when that gradient
happens to be one: at the end of the graph, which is where a quick test looks.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def square(x):
    def square_pullback(grad):
        return 2 * x

    return x * x, square_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def square(x):
    def square_pullback(grad):
        return 2 * grad * x

    return x * x, square_pullback
```

## References
Surrogate gradients that are meant: `@pb.formula(surrogate=True)`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB202", __doc__)
