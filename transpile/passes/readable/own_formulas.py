"""Calls of formulas that the library has for itself, which no module of a reader's has, written out.

In: a formula whose closure was derived. Out: one whose closure has the text of such formulas in their place.

>>> from ...library import formula_in, standard_library
>>> from ...printer import block_text
>>> from ..differentiate.derive import derive
>>> text = '''
... def bell(x):
...     return special.erf(x)
... '''
>>> derived = derive(formula_in(text), standard_library())
>>> print(block_text(derived.pullback))
_1 = slope_of_erf(x)
_2 = multiply(grad, _1)
grad_x = sum_to(_2, like=like_x)
return grad_x
>>> print(block_text(with_own_formulas_written(derived, standard_library()).pullback))
_1_1 = negative(x)
_2_1 = multiply(_1_1, x)
_3 = exp(_2_1)
r = multiply(1.1283791670955126, _3)
_2 = multiply(grad, r)
grad_x = sum_to(_2, like=like_x)
return grad_x
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from ...derivatives import Derivatives
from ...ir import Formula
from ..inline import inline


@dataclass(frozen=True)
class _Named(Container[str]):
    """Operators that a reader has a name for: all but the formulas that the package has for itself."""

    library: Derivatives

    def __contains__(self, op: object) -> bool:
        return not self.library.is_internal(str(op))


def with_own_formulas_written(formula: Formula, library: Derivatives) -> Formula:
    """The formula without such calls in its closure."""
    named, pullback = _Named(library), formula.pullback
    if pullback is None or all(eqn.op in named for eqn in pullback.every()):
        return formula
    return formula.evolve(pullback=inline(pullback, library, named))
