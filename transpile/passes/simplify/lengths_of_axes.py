"""The number of terms of a reduction as the length of its axis, where the axis is known.

In: a formula with a closure. Out: the same formula, whose closure asks for the lengths of axes in
place of a quotient of sizes that guards against empty results.

>>> from ...library import formula_in
>>> from ...printer import formula_text
>>> from ..promote.normalize import normalize
>>> print(formula_text(with_lengths_of_axes(normalize(formula_in('''
... def average(x):
...     r = np.mean(x, axis=-1)
...     def average_pullback(grad):
...         terms = x.size // r.size if r.size else 1
...         return np.expand_dims(grad, -1) / terms
...     return r, average_pullback
... ''')))))
formula average(x: Tensor)
  forward:
    like_x = like(x)
    r = mean(x, axis=-1)
    r_size = size(r)
    x_size = size(x)
    return result r
  pullback(grad):
    _4 = shape(x)
    terms = item(_4, -1)
    _2 = expand_dims(grad, axis=-1)
    _3 = divide(_2, terms)
    grad_x = sum_to(_3, like=like_x)
    return grad_x
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...ir import Eqn, Formula, Literal, Var
from ...rewrite import Namer, defining, expand


def with_lengths_of_axes(formula: Formula) -> Formula:
    """The formula whose closure asks for the lengths of the axes along which its forward reduces."""
    assert formula.pullback is not None
    namer = Namer.of(formula)
    table = defining(formula.forward.eqns)

    def asked(eqn: Eqn) -> Sequence[Eqn]:
        reduction = _counted(eqn, table)
        axes = None if reduction is None else _axes(reduction)
        if reduction is None or axes is None:
            return [eqn]
        shape, *lengths = (namer.temp("value") for _ in range(len(axes) + 1))
        found = [Eqn((shape,), "shape", reduction.args[:1], span=eqn.span)]
        for length, axis in zip(lengths, axes, strict=True):
            found.append(Eqn((length,), "item", (shape, Literal(axis)), span=eqn.span))
        product = lengths[0]
        for length in lengths[1:]:
            found.append(Eqn((namer.temp("value"),), "multiply", (product, length), span=eqn.span))
            product = found[-1].outs[0]
        return [*found[:-1], replace(found[-1], outs=eqn.outs)]

    return formula.evolve(pullback=expand(formula.pullback, asked))


def _counted(eqn: Eqn, table: Mapping[Var, Eqn]) -> Eqn | None:
    """The reduction whose terms ``a.size // r.size if r.size else 1`` counts."""
    if eqn.op != "if":
        return None
    some, none = eqn.blocks
    if none.eqns or none.results != (Literal(1),) or [inner.op for inner in some.eqns] != ["floor_divide"]:
        return None
    (quotient,) = some.eqns
    asked = [table.get(atom) if isinstance(atom, Var) else None for atom in quotient.args]
    sizes = [made.args[0] for made in asked if made is not None and made.op == "size"]
    if len(sizes) != 2 or quotient.args[1] != eqn.args[0] or quotient.outs != some.results:
        return None
    made = table.get(sizes[1]) if isinstance(sizes[1], Var) else None
    return made if made is not None and made.args[:1] == (sizes[0],) else None


def _axes(reduction: Eqn) -> tuple[int, ...] | None:
    """The axes that go, if they are known and not all."""
    axis = reduction.kwarg("axis")
    if not isinstance(axis, Literal) or axis.value is None:
        return None
    value = axis.value
    if isinstance(value, int):
        return (value,)
    if isinstance(value, tuple) and value and all(isinstance(one, int) for one in value):
        return value
    return None
