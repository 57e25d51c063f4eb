"""## What it does
Finds a parameter whose annotation or default is not part of the contract.

## Why is this bad?
The contract says what an operator takes, in Python and in C++: `Tensor`, `Tensor | None`,
`list[Tensor]`, `int`, `float`, `bool`, `str`, `tuple[int, ...]`, a dtype.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(*x):
    def doubled_pullback(grad):
        return 2 * grad

    return 2 * x, doubled_pullback
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def doubled(x):
    def doubled_pullback(grad):
        return 2 * grad

    return 2 * x, doubled_pullback
```

## References
The contract of a formula: `docs/language.md`.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB406", __doc__)
