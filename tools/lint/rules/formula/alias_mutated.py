"""## What it does
Finds an in-place change of an input, or of something that may share memory with one.

## Why is this bad?
The caller's array changes, and with it whatever another operator saved.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def shifted(x):
    t = x
    t += 1

    def shifted_pullback(grad):
        return grad * 2 * t

    return t * t, shifted_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def shifted(x):
    t = x + 1

    def shifted_pullback(grad):
        return grad * 2 * t

    return t * t, shifted_pullback
```

## References
The fence: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB301", __doc__)
