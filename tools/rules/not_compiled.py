"""## What it does
Says that something in a formula has no C++. (Found by `pullback transpile` and `pb.compile`.)

## Why is this bad?
The formula still runs on both engines, by its emitted Python, with the same results. It is not
faster than NumPy there.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def total(x, *, axis: int):
    shape = x.shape

    def total_pullback(grad):
        return np.broadcast_to(np.expand_dims(grad, axis), shape)

    return np.sum(x, axis=axis), total_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def total(x, *, axis: int = -1):
    shape = x.shape

    def total_pullback(grad):
        return np.broadcast_to(np.expand_dims(grad, axis), shape)

    return np.sum(x, axis=axis), total_pullback
```

## References
What C++ is made of: `docs/architecture.md`.
"""

from __future__ import annotations

from .rule import Rule

RULE = Rule("PB501", __doc__)
