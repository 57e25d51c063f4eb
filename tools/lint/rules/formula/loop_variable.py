"""## What it does
Finds a loop variable that a formula reads which the loop defines, or that a closure reads which an autograd
function or a hook leaves behind.

## Why is this bad?
Python looks the variable up when the function runs, after the loop: all of them see its last value.

## Example
```python
import pullback as pb

powers = []
for k in range(3):

    @pb.formula
    def scaled(x):
        def scaled_pullback(grad):
            return grad * 2 * k

        return x * 2 * k, scaled_pullback

    powers.append(scaled)
```

## Use instead
A factory binds it for each of them:
```python
import pullback as pb


def make(k: float):
    @pb.formula
    def scaled(x):
        def scaled_pullback(grad):
            return grad * 2 * k

        return x * 2 * k, scaled_pullback

    return scaled


powers = [make(k) for k in range(3)]
```

## References
The Python tutorial and FAQ: "Why do lambdas defined in a loop with different values all return the same
result?"
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import Diagnostic

from ...analyses.late_binding import late_bindings
from ...frontend.modules import TorchModule
from ..rule import Rule

CODE = "PB111"
HINT = "bind it where the function is made: by a factory, or as a default, `name=name`"


def check(module: TorchModule) -> Iterator[Diagnostic]:
    """One finding per variable and function."""
    for late in late_bindings(module):
        message = f"`{late.owner}` reads the loop variable `{late.variable}` when it runs, after the loop"
        yield diagnostic(CODE, message, late.span, name=late.owner, value=late.variable, hint=HINT)


RULE = Rule(CODE, __doc__, check_module=check)
