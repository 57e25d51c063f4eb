"""## What it does
Finds a captured value that comes from a call which the vocabulary does not know.

## Why is this bad?
The forward runs, and the first derivative is right. But nothing says how the value depends on the
inputs, so it can't be promoted: the second derivative would lack a term. Differentiating twice
through it raises an error that names this line.

## Example
```python
import numpy as np
import pullback as pb


from elsewhere import mystery


@pb.formula
def scaled(x):
    t = mystery(x)

    def scaled_pullback(grad):
        return grad * t

    return x * t, scaled_pullback
```

## Use instead
Compute it with the vocabulary, or make the call a formula of its own, or state the rule for `t` by
a parameter `grad_t`:
```python
import numpy as np
import pullback as pb


@pb.formula
def scaled(x):
    t = np.tanh(x)

    def scaled_pullback(grad):
        return grad * (t + x * (1 - t * t))

    return x * t, scaled_pullback
```

## References
The vocabulary: `docs/language.md`. Hand-written rules (`grad_t`) are a way out: `docs/captures.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB103", __doc__)
