"""A promoted formula for the texts of PyTorch and JAX, which people read and keep.

In: a formula as it was read. Out: the same formula, promoted, where

- each gradient of a matrix product is one call, which is made where that gradient is asked for;
- names are numbered anew, as few of them as there have to be: ``like_x`` in the place of ``like_x_1``.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> print(formula_text(for_frameworks(formula_in('''
... def linear(x, w):
...     return x @ w
... '''), standard_library())))
formula linear(x: Tensor, w: Tensor)
  forward:
    like_x = like(x)
    like_w = like(w)
    product = matmul(x, w)
    return result product, plain like_x, plain like_w
  pullback(grad):
    grad_x = left_gradient(grad, w, like=like_x)
    grad_w = right_gradient(grad, x, like=like_w)
    return grad_x, grad_w
"""

from __future__ import annotations

from ...derivatives import Derivatives
from ...ir import Formula, Var
from ...rewrite import Namer, rename_formula, without_numbers
from ..readable.named_gradients import with_factor_gradients
from .promote import promote


def for_frameworks(formula: Formula, library: Derivatives) -> Formula:
    """The promoted formula. Raises FormulaError as `promote` does."""
    return _with_few_numbers(promote(formula, with_factor_gradients(library)))


def _with_few_numbers(formula: Formula) -> Formula:
    given = {param.var for param in formula.params}
    gradients = [] if formula.pullback is None else formula.pullback.results
    bound = [*formula.cotangents, *gradients, *(var for block in formula.blocks for var in block.bound())]
    own = [var for var in dict.fromkeys(bound) if isinstance(var, Var) and var not in given]
    counted = {var for var in own if var.name.startswith("_")}
    namer = Namer({var.name for var in (*given, *counted)} | {formula.name})
    named = (var for var in own if var not in counted)
    names = {var: namer.fresh(without_numbers(var.name), var.kind, var.temp) for var in named}
    return rename_formula(formula, names)
