"""Attributes that hold arrays, as inputs of the kernels: positions and masks are data.

In: a formula and its attributes, where an `ArrayOf` stands for each array. Out:
the formula that takes the arrays as tensors, and puts attributes of several
items together of them.

>>> from ...library import formula_in
>>> from ...printer import formula_text
>>> rows = formula_in('''
... @pb.formula
... def rows(x, *, index):
...     return x[index], lambda grad: primitives.unslice(grad, index=index, shape=x.shape)
... ''')
>>> given = {"index": (slice(1, None), ArrayOf("int64_t", 1))}
>>> made, rest, arguments = with_array_inputs(rows, given)
>>> print(formula_text(made).split("  pullback")[0])
formula rows(x: Tensor, index_1: Tensor)
  forward:
    index = tuple(slice(1, None, None), index_1)
    _1 = getitem(x, index=index)
    x_shape = shape(x)
    return result _1
<BLANKLINE>
>>> rest, arguments["index_1"].dtype
({}, 'int64_t')
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...ir import Atom, Block, Eqn, Formula, Literal, Param, Var
from ...records import record
from ...rewrite import REGION, Namer, replace_block
from .arguments import Argument
from .types import Dtype


@record(frozen=True, slots=True)
class ArrayOf:
    """An array in an attribute, of which the kernels know the type and the number of axes."""

    dtype: Dtype
    rank: int


@record(frozen=True, slots=True)
class RegionOf:
    """A region of an array: its base's shape, the places of its entries, and which are not written."""

    base: tuple[int, ...]
    places: ArrayOf
    unwritten: ArrayOf | None


def holds_arrays(value: object) -> bool:
    """True where an attribute has an array in it."""
    plain = isinstance(value, tuple) and any(map(holds_arrays, value))
    return plain or isinstance(value, ArrayOf | RegionOf)


def with_array_inputs(
    formula: Formula, attributes: Mapping[str, object]
) -> tuple[Formula, dict[str, object], dict[str, Argument]]:
    """The formula, its other attributes, and what is known of the new inputs, which come last."""
    held = {
        p.var: attributes[p.var.name] for p in formula.attributes if holds_arrays(attributes.get(p.var.name))
    }
    if not held:
        return formula, dict(attributes), {}
    spread = _Spread(Namer.of(formula))
    env: dict[Var, Atom] = {}
    for var, value in held.items():
        atom = spread.atom(var.name, value, var)
        if atom != var:
            env[var] = atom
    params = [p for p in formula.params if not p.attribute] + [
        Param(v, differentiable=False) for v in spread.inputs
    ]
    params += [p for p in formula.params if p.attribute and p.var not in held]
    eqns = tuple(spread.eqns)
    forward = replace_block(Block((), (*eqns, *formula.forward.eqns), formula.forward.results), env)
    forward = Block(tuple(p.var for p in params), forward.eqns, forward.results)
    pullback = formula.pullback
    if pullback is not None:
        pullback = replace_block(Block(pullback.params, (*eqns, *pullback.eqns), pullback.results), env)
    rest = {name: value for name, value in attributes.items() if not holds_arrays(value)}
    made = formula.evolve(params=tuple(params), forward=forward, pullback=pullback)
    return made, rest, spread.known


class _Spread:
    """The inputs that arrays become, and the equations that put tuples together."""

    def __init__(self, namer: Namer) -> None:
        self._namer = namer
        self.eqns: list[Eqn] = []
        self.inputs: list[Var] = []
        self.known: dict[str, Argument] = {}

    def atom(self, name: str, value: object, out: Var | None = None) -> Atom:
        """The variable that stands for a value: a tuple is `out`, or a new one."""
        if isinstance(value, ArrayOf):
            var = self._namer.fresh(name)
            self.inputs.append(var)
            self.known[var.name] = Argument(value.dtype, value.rank)
            return var
        if not holds_arrays(value):
            return Literal(value)
        op, items = "tuple", value
        if isinstance(value, RegionOf):
            op, items = REGION, (value.base, value.places, value.unwritten)
        assert isinstance(items, tuple)
        out = out or self._namer.fresh(name, "value")
        made = tuple(self.atom(name, item) for item in items)
        self.eqns.append(Eqn((out,), op, made))
        return out


class Indexing(NamedTuple):
    """The attributes that index arrays, alone or in a tuple, and all that an index is computed of."""

    plainly: frozenset[str]
    somehow: frozenset[str]


def indexing(formula: Formula) -> Indexing:
    """The attributes of a formula that index arrays."""
    every = list(formula.every())
    plainly = {atom for eqn in every for name, atom in eqn.kwargs if name in ("index", "indices")}
    somehow = set(plainly)
    for eqn in reversed(every):
        if plainly.intersection(eqn.outs) and eqn.op == "tuple":
            plainly.update(eqn.args)
        if somehow.intersection(eqn.outs):
            somehow.update(eqn.every_read())
    attributes = formula.attributes
    return Indexing(
        frozenset(param.var.name for param in attributes if param.var in plainly),
        frozenset(param.var.name for param in attributes if param.var in somehow),
    )
