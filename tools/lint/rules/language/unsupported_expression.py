"""## What it does
Finds expressions outside the fence: generators, sets, formatted strings, and the
like; and calls that nothing reads the value of, such as `print(x)`: they would be left out.

## Why is this bad?
What a formula computes must be visible in its text: that is what derivatives and C++ are made from.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(x):
    def doubled_pullback(grad):
        return 2 * grad

    return len({"a", "b"}) * x, doubled_pullback
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

RULE = Rule("PB402", __doc__)
