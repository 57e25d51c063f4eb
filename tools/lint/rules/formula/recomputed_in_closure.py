"""## What it does
Says where the closure computes again what the forward has computed already.

## Why is this bad?
It is right. It costs time in every backward, which may be what you want, for it saves memory. A
captured value leaves the choice open: `save=` and `recompute=` of `pb.formula` say which, and without
them `pb.compile` computes again, in the loop of the backward, what costs less than to read it.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * (a + b) + grad * b

    return t * b, simple_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, simple_pullback
```

## References
Recomputation against saving: `docs/captures.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB901", __doc__)
