"""## What it does
Finds an in-place change of an incoming gradient, or of an alias or view of one.

## Why is this bad?
The same array may flow into a sibling branch of the graph, which then receives the changed one.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(x):
    def doubled_pullback(grad):
        grad *= 2
        return grad

    return x * 2, doubled_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(x):
    def doubled_pullback(grad):
        return grad * 2

    return x * 2, doubled_pullback
```

## References
The fence: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB302", __doc__)
