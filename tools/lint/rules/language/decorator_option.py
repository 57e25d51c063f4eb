"""## What it does
Finds an option of `@pb.formula` that does not exist, or whose value can't be read from the text.

## Why is this bad?
The option would have no effect, or a different one in C++ than in Python.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula(first_order=True)
def doubled(x):
    def doubled_pullback(grad):
        return 2 * grad

    return 2 * x, doubled_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula(first_order_only=True)
def doubled(x):
    def doubled_pullback(grad):
        return 2 * grad

    return 2 * x, doubled_pullback
```

## References
The options: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB408", __doc__)
