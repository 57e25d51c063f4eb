"""## What it does
Finds a returned gradient, or a term of one, that depends on no incoming gradient.

## Why is this bad?
A pullback is linear in the incoming gradient. A constant term is right only when that gradient
happens to be one: at the end of the graph, which is where a quick test looks.

## Example
```python
import numpy as np
import pullback as pb


@pb.formula
def square(x):
    def square_pullback(grad):
        return 2 * x

    return x * x, square_pullback
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
Surrogate gradients that are meant: `@pb.formula(surrogate=True)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Atom, Block, Eqn, Formula, Literal, Var

from .rule import Rule

CODE = "PB202"
HINT = "multiply it by the incoming gradient, or say surrogate=True in the decorator where it is meant"


def check(formula: Formula) -> Iterator[Diagnostic]:
    """One finding per returned gradient with a term that no incoming gradient reaches."""
    block = formula.pullback
    if block is None or formula.options.surrogate:
        return
    made = {out: eqn for eqn in block.eqns for out in eqn.outs}
    reached = _reached(block)
    for param, result in zip(formula.inputs, block.results, strict=False):
        for term in _terms(result, made):
            if _is_independent(term, made, reached):
                span = made[term].span if isinstance(term, Var) and term in made else None
                message = f"the gradient of {param.var.name} has a term that depends on no incoming gradient"
                yield diagnostic(
                    CODE, message, span or formula.span, name=formula.name, value=param.var.name, hint=HINT
                )


def _reached(block: Block) -> set[Var]:
    """The variables that depend on a cotangent."""
    reached = set(block.params)
    for eqn in block.eqns:
        inner = [var for nested in eqn.blocks for var in nested.free()]
        if any(var in reached for var in (*eqn.reads(), *inner)):
            reached.update(eqn.outs)
    return reached


def _terms(atom: Atom, made: dict[Var, Eqn]) -> Iterator[Atom]:
    """The summands of a value."""
    eqn = made.get(atom) if isinstance(atom, Var) else None
    if eqn is not None and eqn.op in ("add", "subtract", "negative", "positive", "accumulate"):
        for arg in eqn.args:
            yield from _terms(arg, made)
    else:
        yield atom


def _is_independent(term: Atom, made: dict[Var, Eqn], reached: set[Var]) -> bool:
    if isinstance(term, Literal):
        return term.value is not None and term.value != 0
    eqn = made.get(term)
    zero = eqn is not None and eqn.op in ("zeros", "zeros_like")
    return term not in reached and term.kind == "tensor" and not zero


RULE = Rule(CODE, __doc__, check)
