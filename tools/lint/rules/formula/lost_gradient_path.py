"""## What it does
Finds a formula that wraps a value computed from its inputs, or an incoming gradient, as a fresh
variable (`pb.tensor(t)`, `np.array(t)`, `t.detach()`) and uses that in its closure, so that the
path back to the inputs is lost.

## Why is this bad?
The first derivative is right. The second silently lacks every term that goes through the wrapped
value: this is the bug that the project exists for, written by hand.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        fresh = pb.tensor(t, requires_grad=True)
        return grad * b, grad * fresh + grad * b

    return t * b, simple_pullback
```

## Use instead
Capture the value itself; for a constant that is meant, write `pb.stop_gradient(t)`:
```python
import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, simple_pullback
```

## References
PyTorch issue 58509; `docs/tutorial.ipynb`, the third of the seven ways.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB102", __doc__)
