"""## What it does
Says, when a closure is derived or an intermediate is promoted, that the gradient would have to pass
an operator whose derivative is not known. (Found by `pullback derive` and at a formula's first
call.)

## Why is this bad?
There is nothing to derive the closure from.

## Example
```python
from scipy import ndimage


def smoothed(x):
    return ndimage.uniform_filter1d(x, 3, mode="constant") * x
```

## Use instead
```python
import numpy as np
import pullback as pb


def smoothed(x):
    return np.convolve(x, np.ones(3) / 3, mode="same") * x
```

## References
The vocabulary: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB106", __doc__)
