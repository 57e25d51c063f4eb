"""## What it does
Finds a constant that NumPy holds as a float64 scalar, such as `np.sqrt(2 / np.pi)`, in arithmetic
with a tensor.

## Why is this bad?
By NumPy's promotion rules the result for a float32 array is float64: twice the memory, and half the
speed, in compiled kernels too, which promote as NumPy does. A plain Python number does not widen.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def scaled(x):
    c = np.sqrt(2.0)

    def scaled_pullback(grad):
        return grad * 1.4142135623730951

    return x * c, scaled_pullback
```

## Use instead
```python
import math

import pullback as pb


@pb.formula
def scaled(x):
    c = math.sqrt(2.0)

    def scaled_pullback(grad):
        return grad * c

    return x * c, scaled_pullback
```

## References
NEP 50, promotion rules for Python scalars.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB902", __doc__)
