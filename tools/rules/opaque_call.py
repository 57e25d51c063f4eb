"""## What it does
Finds a call that the vocabulary does not know.

## Why is this bad?
It runs in the reference engine as it is, but has no derivative, cannot become C++, and what is
captured from it can't be promoted.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def rate(x):
    scale = np.interp(2.5, [1, 2, 3], [3, 2, 0])

    def rate_pullback(grad):
        return grad * scale

    return x * scale, rate_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def rate(x):
    def rate_pullback(grad):
        return grad * 1.0

    return x * 1.0, rate_pullback
```

## References
The vocabulary: `docs/language.md`.
"""

from __future__ import annotations

from .rule import Rule

RULE = Rule("PB403", __doc__)
