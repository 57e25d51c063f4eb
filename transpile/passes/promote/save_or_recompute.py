"""The choice of the captured intermediates that are saved, and of those that are computed again.

In: a formula in the course of promotion, and the values that its pullback reads
and the forward would have to save. Out: a `Plan`. Two choosers:

- `interpreted`, where every operator is a NumPy call: a value that has a name is
  saved, which costs no time since it was computed anyway; an unnamed sum or
  product of named values is computed again.
- `fused`, where the backward is a kernel: the least memory moved and work
  repeated, over forward and backward together. A value is there if it is saved,
  or if the operator that makes it runs again and its operands are there. Choosing
  the cheapest way is a minimum cut: each value has an edge of what saving costs
  to its operator, each operator one of what its work costs to the sink. (The idea
  of cutting the joint graph: He and Yu 2023, "Transcending runtime-memory
  tradeoffs in checkpointing by being fusion aware", without the costs of work.)

The author decides otherwise by ``@pb.formula(save=..., recompute=...)``.
Nothing opaque or random is computed again.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from .promote import promote
>>> bell = formula_in('''
... def bell(x, y):
...     t = x * y
...     r = np.exp(-t * t)
...     def bell_pullback(grad):
...         to_t = -2 * grad * r * t
...         return to_t * y, to_t * x
...     return r, bell_pullback
... ''')
>>> print(formula_text(promote(bell, standard_library(), fused)))
formula bell(x: Tensor, y: Tensor)
  forward:
    like_x = like(x)
    like_y = like(y)
    t = multiply(x, y)
    _1 = negative(t)
    _2 = multiply(_1, t)
    r = exp(_2)
    return result r, plain like_x, plain like_y
  pullback(grad):
    t_1 = multiply(x, y)
    _1 = multiply(-2, grad)
    _2 = multiply(_1, r)
    to_t = multiply(_2, t_1)
    _3 = multiply(to_t, y)
    _4 = multiply(to_t, x)
    grad_x = sum_to(_3, like=like_x)
    grad_y = sum_to(_4, like=like_y)
    return grad_x, grad_y
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from ...analysis.costs import (
    MOVE,
    MOVE_MASK,
    SMALL,
    broadcast_values,
    in_memory,
    mask_values,
    small_values,
    work,
)
from ...analysis.differentiability import intermediates
from ...analysis.effects import repeatable
from ...analysis.min_cut import min_cut
from ...derivatives import Derivatives
from ...ir import Eqn, Formula, Var
from ...ir.types import is_held, shape_of
from ...rewrite import slice_of

# Arithmetic, which costs no more than reading a saved value would.
_CHEAP = frozenset({"add", "subtract", "multiply", "negative", "positive", "square", "accumulate", "where"})


@dataclass(frozen=True, slots=True)
class Plan:
    """`again`: captured values that the pullback computes. `stops`: what it computes them from."""

    again: frozenset[Var]
    stops: frozenset[Var]


Chooser = Callable[[Formula, Iterable[Var], Derivatives], Plan]
"""From a formula, those of its values that are hidden outputs already, and the library."""


def interpreted(formula: Formula, hidden: Iterable[Var], library: Derivatives) -> Plan:
    """Named values are saved; temporaries of arithmetic are computed again from named values."""
    cheap = {out for eqn in formula.forward.eqns if eqn.op in _CHEAP for out in eqn.outs if out.temp}
    cheap -= set(hidden)
    stops = frozenset(out for eqn in formula.forward.eqns for out in eqn.outs if out not in cheap)
    return Plan(frozenset(intermediates(formula) & cheap), stops)


def fused(formula: Formula, hidden: Iterable[Var], library: Derivatives) -> Plan:
    """The cheapest of saving and computing again, in bytes moved per element."""
    cut = _Cut(formula, frozenset(hidden), library)
    needed = min_cut(cut.edges, _SOURCE, _SINK)
    again = {var for var in needed if isinstance(var, Var) and cut.makers.get(var) in needed}
    return Plan(frozenset(again & cut.demanded), frozenset(cut.values - again))


def prices(formula: Formula, var: Var, plan: Plan, library: Derivatives) -> tuple[float, float]:
    """The cost of saving a captured value, and of computing it again from what the plan saves."""
    assert formula.pullback is not None
    read = set(formula.pullback.free())
    again = slice_of(formula.forward.eqns, [var], plan.stops - {var})
    moves = _Moves(again, formula)
    made = {out for eqn in again for out in eqn.outs}
    operands = {operand for eqn in again for operand in eqn.reads()} - made - read
    reading = sum(moves.of(operand) for operand in operands)
    return 2 * moves.of(var), sum(work(eqn, library) * moves.size(eqn) for eqn in again) + reading


class _Moves:
    """The bytes of one reading or writing of values, per element, in the course of some equations."""

    def __init__(self, again: Sequence[Eqn], formula: Formula) -> None:
        eqns = formula.forward.eqns
        # What is given and has less than some other value, as a mean that the forward saved.
        given = [var for var, found in formula.types if is_held(shape_of(found))]
        self._small, self._masks = small_values(eqns, given), mask_values(eqns)
        self._broadcast = broadcast_values(again)

    def of(self, var: Var) -> float:
        """The cost of moving a value."""
        if var.kind == "value" or var in self._small or var in self._broadcast:
            return SMALL
        return MOVE_MASK if var in self._masks else MOVE

    def size(self, eqn: Eqn) -> float:
        """The elements that an equation works on, as a part of the operands'."""
        return SMALL if eqn.outs[0] in self._small else 1.0


_SOURCE, _SINK = "source", "sink"
_Node = str | Var | tuple[Var, ...]


class _Cut:
    """The graph whose minimum cut says what to save: a node per value, one per equation (its outputs)."""

    def __init__(self, formula: Formula, hidden: frozenset[Var], library: Derivatives) -> None:
        assert formula.pullback is not None
        eqns, options = formula.forward.eqns, formula.options
        self.makers = {out: eqn.outs for eqn in eqns for out in eqn.outs}
        self.edges: dict[tuple[_Node, _Node], float] = {}
        read = set(formula.pullback.free())
        written = hidden.union(atom for atom in formula.forward.results if isinstance(atom, Var))
        self.demanded = {var for var in read if var.kind == "tensor" and var in self.makers} - written
        kept = {*written, *(var for var, _ in formula.rules)}
        kept.update(self.demanded & in_memory(formula.pullback))
        slice_ = slice_of(eqns, self.demanded, kept)
        self.values = {*self.demanded, *(var for eqn in slice_ for var in eqn.reads())}
        moves = _Moves(slice_, formula)
        for eqn in slice_:
            asked = eqn.outs[0].name in options.recompute and repeatable([eqn])
            again = 0.0 if asked else work(eqn, library)
            forced = any(out in kept or out.name in options.save for out in eqn.outs)
            self.edges[eqn.outs, _SINK] = inf if forced else again * moves.size(eqn)
            self.edges |= {(eqn.outs, var): inf for var in eqn.reads()}
        for var in self.values:
            there = var in hidden or (var in read and var not in self.demanded)
            times = 0 if there else 1 if var in written or var not in self.makers else 2
            self.edges[var, self.makers.get(var, _SINK) if var not in kept else _SINK] = times * moves.of(var)
            if var in self.demanded:
                self.edges[_SOURCE, var] = inf
