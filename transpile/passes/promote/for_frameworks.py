"""A promoted formula for the texts of PyTorch and JAX, which people read and keep.

In: a formula as it was read. Out: the same formula, promoted, where

- each gradient of a matrix product is one call, which is made where that gradient is asked for;
- a name has no number that tells it from no other: ``like_x`` in the place of ``like_x_1``.

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
from ...rewrite import RESERVED, rename_formula, without_numbers
from ..readable.named_gradients import with_factor_gradients
from .promote import promote


def for_frameworks(formula: Formula, library: Derivatives) -> Formula:
    """The promoted formula. Raises FormulaError as `promote` does."""
    return _with_few_numbers(promote(formula, with_factor_gradients(library)))


def _with_few_numbers(formula: Formula) -> Formula:
    given = {param.var for param in formula.params}
    own = [var for block in formula.blocks for var in block.bound() if var not in given]
    taken = {var.name for var in (*given, *own)} | RESERVED | {formula.name}
    names: dict[Var, Var] = {}
    for var in dict.fromkeys(own):
        stem = without_numbers(var.name)
        if not var.name.startswith("_") and stem not in taken:
            taken.add(stem)
            names[var] = var._replace(name=stem)
    return rename_formula(formula, names)
