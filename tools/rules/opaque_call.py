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
def filled(x):
    y = np.select([np.isnan(x)], [0.0], x)

    def filled_pullback(grad):
        return np.where(np.isnan(x), 0.0, grad)

    return y, filled_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def filled(x):
    missing = np.isnan(x)

    def filled_pullback(grad):
        return np.where(missing, 0.0, grad)

    return np.where(missing, 0.0, x), filled_pullback
```

## References
The vocabulary: `docs/language.md`.
"""

from __future__ import annotations

from .rule import Rule

RULE = Rule("PB403", __doc__)
