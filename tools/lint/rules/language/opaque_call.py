"""## What it does
Finds a call that the vocabulary does not know.

## Why is this bad?
It runs in the reference engine as it is, but has no derivative, cannot become C++, and what is
captured from it can't be promoted.

## Example
```python
import pullback as pb
from scipy import ndimage


@pb.formula
def smoothed(x):
    y = ndimage.uniform_filter1d(x, 3, mode="constant")

    def smoothed_pullback(grad):
        return ndimage.uniform_filter1d(grad, 3, mode="constant")

    return y, smoothed_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def smoothed(x):
    y = np.convolve(x, np.ones(3) / 3, mode="same")

    def smoothed_pullback(grad):
        return np.convolve(grad, np.ones(3) / 3, mode="same")

    return y, smoothed_pullback
```

## References
The vocabulary: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB403", __doc__)
