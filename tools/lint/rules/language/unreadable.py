"""## What it does
Reports a file that Python cannot parse, at the place where Python stopped; and, as a warning, a class that
looks like a `torch.autograd.Function` where its base, its forward or its backward is not at hand.

## Why is this bad?
Nothing in the file, or of the class, can be read, so nothing in it is checked.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def square(x:
    return x * x
```

## Use instead
```python
import numpy as np
import pullback as pb


@pb.formula
def square(x):
    def square_pullback(grad):
        return 2 * grad * x

    return x * x, square_pullback
```

## References
The Python language reference.
"""

from __future__ import annotations

from ..rule import Rule

RULE = Rule("PB400", __doc__)
