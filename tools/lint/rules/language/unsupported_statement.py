"""## What it does
Finds statements outside the fence: `try`, `with`, `yield`, `global`, classes, `del` of a part, and
the like.

## Why is this bad?
What a formula computes must be visible in its text: that is what derivatives and C++ are made from.
Inside the fence are assignments, tuple unpacking, arithmetic, comparison, calls, conditional
expressions, `if`, `while`, and `for` over a `range` or a list.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def halved(x):
    with np.errstate(all="raise"):
        half = x / 2

    def halved_pullback(grad):
        return grad / 2

    return half, halved_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def halved(x):
    half = x / 2

    def halved_pullback(grad):
        return grad / 2

    return half, halved_pullback
```

## References
The fence: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB401", __doc__)
