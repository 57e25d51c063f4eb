"""## What it does
Finds a call into the vocabulary with too many arguments, or with one that the function does not
have.

## Why is this bad?
NumPy would raise when the formula runs; C++ can't be made of it.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def total(x):
    shape = x.shape

    def total_pullback(grad):
        return np.broadcast_to(grad, shape)

    return np.sum(x, axes=0), total_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def total(x):
    shape = x.shape

    def total_pullback(grad):
        return np.broadcast_to(grad, shape)

    return np.sum(x, axis=0), total_pullback
```

## References
The vocabulary: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB404", __doc__)
