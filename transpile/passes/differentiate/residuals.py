"""Residuals of a loop: what the sweep of an iteration reads of that iteration, collected on the way forward.

Tensors are saved as one tensor, which can be a hidden output: as a stack where every iteration
is known to leave the same shape, elsewhere as a line of their entries with each iteration's shape
(an inner loop's iterations that depend on the outer iteration, slices by it, lists of arrays of several
shapes, a value that grows by broadcasting). A number that follows from the iteration's is computed again,
and so is an element or a slice, at such a place, of an array from before the loop: the array is saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...analysis.types import types_of
from ...ir import Atom, Block, Eqn, Kind, Var
from ...ir.type_joins import is_uniform
from ...rewrite import METADATA, Namer, copy_eqns, defining, flattened, label, put_together, slice_of
from ..label_temporaries import noun
from .sweep import Context, Sweep


@dataclass(slots=True)
class Loop:
    """The loop as it is being rewritten, and what stands after it in the forward."""

    outs: list[Var]
    results: list[Atom]
    after: list[Eqn] = field(default_factory=list)

    def rewritten(self, eqn: Eqn, body: Sequence[Eqn]) -> Eqn:
        """The loop with this body, and what is collected of it by now."""
        block = Block(eqn.blocks[0].params, tuple(body), tuple(self.results))
        return Eqn(tuple(self.outs), "for", eqn.args, eqn.kwargs, (block,), eqn.span)


def lists_again(iteration: Block, forward: Block, namer: Namer) -> tuple[list[Eqn], list[Eqn]]:
    """The equations that save an iteration's lists, and those by which its sweep makes the lists again.

    A list is no tensor that could be saved: one that is written out is made again of its
    elements, as tuples and slices are, one that is carried, or that an inner loop collected, of a tensor.
    """
    table = defining(forward.eqns)
    made, again = put_together(forward.eqns, iteration.free(), namer)
    for var in iteration.free():
        own = var in forward.params or (var in table and table[var] not in again)
        if var.kind != "list" or not own:
            continue
        saved, read = flattened(var, var, namer, forward.eqns)
        made += saved
        again.append(read)
    return made, again


@dataclass
class Residuals:
    """Reads of an iteration's residuals in the backward loop, where `index` is the iteration's number."""

    eqn: Eqn
    iteration: Block
    forward: Sequence[Eqn]
    loop: Loop
    sweep: Sweep
    context: Context
    index: Var
    _reads: list[Eqn] = field(default_factory=list)
    _env: dict[Var, Atom] = field(default_factory=dict)

    def read(self) -> tuple[list[Eqn], dict[Var, Atom]]:
        """Equations that read, in the backward loop, the residuals of the same iteration forward."""
        (body,) = self.eqn.blocks
        item, bound = body.params[0], {*body.params, *defining(self.forward)}
        self._compute_again(body, item, bound)
        tensors = []
        for var in self.iteration.free():
            if var not in bound or var in self._env:
                continue
            here = self._env[var] = self.context.namer.like(var)
            if var == item:
                self._read(here, "item", self.eqn.args[0])
            elif var.kind == "value":
                self._read(here, "item", self._collected(var))
            else:
                tensors.append((here, var, self._collected(var)))
        known = types_of([self.loop.rewritten(self.eqn, self.forward)], self.context.types)
        for here, var, iterations in tensors:
            if is_uniform(known.get(iterations)):
                self._read(here, "getitem", self._stacked(iterations, self._name(var)))
            else:
                self._read(here, "item", self._values(iterations))
        return self._reads, self._env

    def _compute_again(self, body: Block, item: Var, bound: set[Var]) -> None:
        if item.kind == "value":
            self._env[item] = self.index
        for made in _counted(self.iteration, self.forward, bound, item):
            copied = copy_eqns([made], self._env, self.context.namer)
            # The shape of an outer value is the same in each iteration.
            outer = made.op in METADATA and not bound.intersection(made.reads())
            (self.sweep.forward if outer else self._reads).extend(copied)

    def _read(self, here: Var, op: str, values: Atom) -> None:
        if op == "item":
            self._reads.append(Eqn((here,), op, (values, self.index), span=self.eqn.span))
        else:
            self._reads.append(Eqn((here,), op, (values,), (("index", self.index),), span=self.eqn.span))

    def _collected(self, var: Var) -> Var:
        """The list of what each iteration leaves in a variable."""
        carried = len(self.eqn.blocks[0].params) - 1
        if var not in self.loop.results[carried:]:
            kind: Kind = "value" if var.kind == "value" else "list"
            self.loop.outs.append(self.context.namer.fresh(f"{self._name(var)}_iterations", kind))
            self.loop.results.append(var)
        return self.loop.outs[self.loop.results.index(var, carried)]

    def _name(self, var: Var) -> str:
        """A variable's name, or of a temporary what it is."""
        made = None if label(var) == var.name else defining(self.eqn.blocks[0].eqns).get(var)
        return label(var) if made is None else noun(made, {})

    def _stacked(self, iterations: Var, name: str) -> Var:
        """The iterations' values as one tensor; an earlier round may have made it."""
        for eqn in self.sweep.forward:
            if eqn.op == "collect" and eqn.args == (iterations,):
                return eqn.outs[0]
        stacked = self.context.namer.fresh(f"every_{name}")
        self.loop.after.append(Eqn((stacked,), "collect", (iterations,)))
        return stacked

    def _values(self, iterations: Var) -> Var:
        """The iterations' values, of any shapes, as a list that the backward makes of one tensor."""
        values = self.context.namer.fresh(iterations.name, "list")
        saved, read = flattened(iterations, values, self.context.namer, self.sweep.forward)
        self.loop.after += saved
        self.sweep.backward.append(read)
        return values


def _counted(iteration: Block, forward_body: Sequence[Eqn], bound: set[Var], item: Var) -> list[Eqn]:
    """The equations of what follows from an iteration's number, and from what is there before the loop.

    The backward computes them again, where it would have to read them saved.
    """
    table = defining(forward_body)
    again: dict[int, Eqn] = {}
    for var in iteration.free():
        if var not in table or (var.kind != "value" and table[var].op != "getitem"):
            continue
        part = slice_of(forward_body, [var])
        there = bound.intersection(Block((), tuple(part), ()).free())
        if all(map(_is_plain, part)) and all(leaf == item and leaf.kind == "value" for leaf in there):
            again.update({id(eqn): eqn for eqn in part})
    return [eqn for eqn in forward_body if id(eqn) in again]


def _is_plain(eqn: Eqn) -> bool:
    """True where an equation computes a value of values, a part of a tensor at such a place, or its shape."""
    if eqn.op in METADATA:
        return True
    if eqn.op == "getitem":
        return all(var.kind == "value" for var in eqn.reads() if var != eqn.args[0])
    values = all(var.kind == "value" for var in (*eqn.outs, *eqn.reads()))
    return values and not eqn.blocks and eqn.op not in ("opaque", "raise")
