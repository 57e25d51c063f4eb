"""## What it does
Says that PyTorch or JAX has no equal of something in a formula, and where. (Found by
`pullback.torch.function`, `pullback.jax.function` and `pullback transpile` for these targets.)

## Why is this bad?
The formula runs on both engines of this package, and not on that library's tensors: a function that is
called there must have the values of NumPy's or SciPy's, and derivatives of every order.

## Example
```python
import pullback as pb
from scipy import special


@pb.formula
def weighted(x):
    w = special.dawsn(x)

    def weighted_pullback(grad):
        return grad * (1 - 2 * x * w)

    return w, weighted_pullback
```

## Use instead
Functions that the library has, or an approximation of it by these:

```python
import numpy as np
import pullback as pb


@pb.formula
def weighted(x):
    w = x / (1 + np.square(x))

    def weighted_pullback(grad):
        return grad * (1 - np.square(x)) / np.square(1 + np.square(x))

    return w, weighted_pullback
```

## References
What is called by which name: `transpile/operators`, and `docs/pytorch.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB502", __doc__)
