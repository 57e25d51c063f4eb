"""Operators whose gradients a reader is shown by name: ``primitives.matmul_gradients(grad, a, b)``.

In: a library. Out: one in which the closure of such an operator is a call of that name, or a call for each
factor, in texts for frameworks.

>>> from ...library import standard_library
>>> from ...printer import block_text
>>> print(block_text(with_named_gradients(standard_library()).formula("matmul").pullback))
grad_x1, grad_x2 = pullback.primitives.matmul_gradients(grad, x1, x2)
return grad_x1, grad_x2
>>> print(block_text(with_factor_gradients(standard_library()).formula("matmul").pullback))
like_x1 = like(x1)
like_x2 = like(x2)
grad_x1 = left_gradient(grad, x2, like=like_x1)
grad_x2 = right_gradient(grad, x1, like=like_x2)
return grad_x1, grad_x2
"""

from __future__ import annotations

from ...derivatives import Derivatives
from ...ir import Block, Eqn, Formula, Var
from ...operators import FACTOR_GRADIENTS, NAMED_GRADIENTS


def with_named_gradients(library: Derivatives) -> Derivatives:
    """The library with closures for readers."""
    known = {op: library.formula(op) for op in NAMED_GRADIENTS}
    return library.having({op: _named(formula) for op, formula in known.items() if formula is not None})


def with_factor_gradients(library: Derivatives) -> Derivatives:
    """The library with closures of which each gradient is computed alone."""
    known = {op: library.formula(op) for op in FACTOR_GRADIENTS}
    return library.having({op: _by_factor(formula) for op, formula in known.items() if formula is not None})


def _by_factor(formula: Formula) -> Formula:
    inputs = [param.var for param in formula.inputs]
    likes = [Var(f"like_{var}", "value") for var in inputs]
    gradients = tuple(Var(f"grad_{var}") for var in inputs)
    eqns = [Eqn((like,), "like", (var,), span=formula.span) for like, var in zip(likes, inputs, strict=True)]
    (grad,) = formula.cotangents
    for k, info in enumerate(FACTOR_GRADIENTS[formula.name]):
        like = (("like", likes[k]),)
        eqns.append(Eqn((gradients[k],), info.name, (grad, inputs[1 - k]), like, (), formula.span))
    return formula.evolve(pullback=Block(formula.cotangents, tuple(eqns), gradients))


def _named(formula: Formula) -> Formula:
    assert formula.pullback is not None
    inputs = tuple(param.var for param in formula.inputs)
    gradients = tuple(Var(f"grad_{var}") for var in inputs)
    call = Eqn(gradients, NAMED_GRADIENTS[formula.name], (*formula.cotangents, *inputs), span=formula.span)
    return formula.evolve(pullback=Block(formula.cotangents, (call,), gradients))
