"""## What it does
Finds a captured value that is changed in place, by the forward after the closure is defined or by
the closure itself. (A name that is assigned again is PB104.)

## Why is this bad?
Python looks a captured name up when the closure runs, so the backward would see the later value;
C++ saves when the forward runs, and would see the earlier one. Both can't be right.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def scaled(x):
    t = x * 2

    def scaled_pullback(grad):
        return grad * t

    t += 1
    return x * t, scaled_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def scaled(x):
    t = x * 2
    u = t + 1

    def scaled_pullback(grad):
        return grad * (u + x * 2)

    return x * u, scaled_pullback
```

## References
Programming FAQ of Python: late binding of closures.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB303", __doc__)
