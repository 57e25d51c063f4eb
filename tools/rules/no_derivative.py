"""## What it does
Says, when a closure is derived or an intermediate is promoted, that the gradient would have to pass
an operator whose derivative is not known. (Found by `pullback derive` and at a formula's first
call.)

## Why is this bad?
There is nothing to derive the closure from.

## Example
```python
import numpy as np
import pullback as pb


def filled(x):
    return np.select([np.isnan(x)], [0.0], x) * x
```

## Use instead
```python
import numpy as np
import pullback as pb


def filled(x):
    return np.where(np.isnan(x), 0.0, x) * x
```

## References
The vocabulary: `docs/language.md`.
"""

from __future__ import annotations

from .rule import Rule

RULE = Rule("PB106", __doc__)
