"""## What it does
Says that something in a formula has no C++, and where. (Found by `pullback transpile` and `pb.compile`;
`pb.compile(f).limits()` has those of backwards.)

All of the language is compiled; `docs/constructs.md` is the table. What has no C++:

* calls that the vocabulary does not know;
* an attribute that is an array of floats, a cast to another type than float32, float64, int64 and bool, and a
  value that has another type in each branch or iteration;
* an index, a shape or axes that only the values of an array decide;
* with `pullback transpile` alone: attributes without a default, and lists whose length the call decides.
  `pb.compile` makes the C++ for the values and lengths that it is called with.

## Why is this bad?
The formula still runs on both engines, by its emitted Python, with the same results. Each of its
operators is then a pass over memory, as in NumPy.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def total(x, *, axis: int):
    shape = x.shape

    def total_pullback(grad):
        return np.broadcast_to(np.expand_dims(grad, axis), shape)

    return np.sum(x, axis=axis), total_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def total(x, *, axis: int = -1):
    shape = x.shape

    def total_pullback(grad):
        return np.broadcast_to(np.expand_dims(grad, axis), shape)

    return np.sum(x, axis=axis), total_pullback
```

## References
What is compiled: `docs/constructs.md`. What C++ is made of: `docs/architecture.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB501", __doc__)
