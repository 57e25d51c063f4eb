"""Alias analysis: values that are views of another one, as transposes, slices and reshapes are.

In: equations. Out: the base of a view. A view is rebuilt from its base in the
backward, so that the base alone is saved.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir import Eqn, Var
from ..operators import OPERATORS


def bases(eqns: Iterable[Eqn]) -> dict[Var, Var]:
    """For each view, the value that it is a view of in the end.

    >>> x, y, z = Var("x"), Var("y"), Var("z")
    >>> bases([Eqn((y,), "transpose", (x,)), Eqn((z,), "getitem", (y,))])[z].name
    'x'
    """
    found: dict[Var, Var] = {}
    for eqn in eqns:
        info = OPERATORS.get(eqn.op)
        if info is not None and info.view and eqn.args and isinstance(eqn.args[0], Var):
            base = eqn.args[0]
            found[eqn.outs[0]] = found.get(base, base)
    return found
