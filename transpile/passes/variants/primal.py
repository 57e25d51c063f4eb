"""The primal alone: a formula whose pullback gives no gradient, and which saves nothing for one.

In: a formula as it was read. Out: the same, with a closure that returns None for
each input. A call that is not recorded needs no more, and what a loop saves of
each iteration costs more than the iteration.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from ..promote.promote import promote
>>> simple = formula_in('''
... def simple(a, b):
...     t = a + b
...     def simple_pullback(grad):
...         return grad * b, grad * t + grad * b
...     return t * b, simple_pullback
... ''')
>>> print(formula_text(promote(primal(simple), standard_library())))
formula simple(a: Tensor, b: Tensor)
  forward:
    t = add(a, b)
    _1 = multiply(t, b)
    return result _1
  pullback(grad):
    return None, None
"""

from __future__ import annotations

from ...ir import Block, Formula, Literal
from ...rewrite import Namer


def primal(formula: Formula) -> Formula:
    """The formula without its derivative."""
    namer = Namer.of(formula)
    cotangents = formula.cotangents or tuple(namer.fresh("grad") for _ in range(formula.results))
    nothing = Block(cotangents[: formula.results], (), (Literal(None),) * len(formula.inputs))
    return formula.evolve(pullback=nothing, rules=(), captures=())


def is_primal(formula: Formula) -> bool:
    """True where the closure gives no gradient."""
    return formula.pullback is not None and not formula.pullback.eqns and not formula.pullback.free()
