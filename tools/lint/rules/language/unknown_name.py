"""## What it does
Finds a name that nothing defines.

## Why is this bad?
It is a NameError when the formula runs.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(x):
    def doubled_pullback(grad):
        return 2 * gard

    return 2 * x, doubled_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(x):
    def doubled_pullback(grad):
        return 2 * grad

    return 2 * x, doubled_pullback
```

## References
The fence: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB407", __doc__)
