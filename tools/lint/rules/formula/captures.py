"""## What it does
Prints, with ``--verbose``, what every value that a closure captures is, and what happens to it.

## Why is this bad?
It isn't: this is how the author sees that the transformation understood the formula. An input, a
result, a size or a mask can be saved as it stands. An intermediate can't: see PB101.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def scaled(a, b):
    r = a * b

    def scaled_pullback(grad):
        return grad * b, grad * a

    return r, scaled_pullback
```

## Use instead
Nothing needs to change. To keep a large input from living until backward, capture its size only:
```python
import numpy as np
import pullback as pb


@pb.formula
def total(a):
    shape = a.shape

    def total_pullback(grad):
        return np.broadcast_to(grad, shape)

    return np.sum(a), total_pullback
```

## References
The verdicts: `docs/captures.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Capture, Formula, Verdict

from ..rule import Rule

CODE = "PB100"


def check(formula: Formula) -> Iterator[Diagnostic]:
    """One finding per capture that needs no promotion."""
    for capture in formula.captures:
        if capture.action not in ("promoted", "refused"):
            yield diagnostic(CODE, _sentence(capture), capture.span, name=formula.name, value=capture.name)


def _sentence(capture: Capture) -> str:
    article = "an" if capture.verdict in (Verdict.INPUT, Verdict.INTERMEDIATE, Verdict.OPAQUE) else "a"
    kind = capture.verdict.value
    if capture.verdict in (Verdict.NOT_DIFFERENTIABLE, Verdict.FOREIGN):
        article = ""
    what = "" if capture.action == "rule" else capture.action
    reason = capture.reason if not what else f"{what} ({capture.reason})" if capture.reason else what
    return f"`{capture.name}` is {article} {kind}".replace("  ", " ") + f": {reason}"


RULE = Rule(CODE, __doc__, check)
