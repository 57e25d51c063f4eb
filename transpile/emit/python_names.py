"""Names for Python text: values of one name share it again, where they do not live at the same time.

Single assignment calls what ``y = np.sin(y)`` makes `y_1`, and what a loop leaves of it `y_2`. In text
that is read by people all of them are `y`. In: a formula with a closure. Out: blocks of the same equations
under other names, in which a name may be given more than once: for printing only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..ir import Atom, Block, Eqn, Formula, Var
from ..rewrite import RESERVED, rename, uses, without_numbers


def with_shared_names(formula: Formula, closure: str) -> tuple[Block, Block]:
    """The forward and the closure; `closure` is the closure's name."""
    pullback = formula.pullback
    assert pullback is not None
    fixed = {param.var: param.var.name for param in formula.params}
    captured = pullback.free()
    results = [atom for atom in formula.forward.results if isinstance(atom, Var)]
    reserved = {formula.name, closure} | RESERVED
    written = _with_appends(formula.forward)
    forward = _named(written, fixed, [*results, *captured], reserved)
    outer = {var: forward[var].name for var in captured}
    reserved |= set(outer.values())
    pullback = _with_appends(pullback)
    back = _named(pullback, outer | {var: var.name for var in pullback.params}, [], reserved)
    back |= {var: forward[var] for var in captured}
    return rename(written, forward), rename(pullback, back)


def _with_appends(block: Block) -> Block:
    """The block whose loops say with an equation, ``append(ys, y)``, when a list grows."""
    eqns = []
    for eqn in block.eqns:
        inner = tuple(_with_appends(nested) for nested in eqn.blocks)
        if eqn.op == "for":
            (body,) = inner
            carried = len(body.params) - 1
            iteration = list(body.eqns)
            for grown, atom in zip(eqn.outs[carried:], body.results[carried:], strict=True):
                place = next((k for k, made in enumerate(iteration, start=1) if atom in made.outs), 0)
                iteration.insert(place, Eqn((), "append", (grown, atom), (), (), eqn.span))
            inner = (Block(body.params, tuple(iteration), body.results[:carried]),)
        eqns.append(replace(eqn, blocks=inner))
    return Block(block.params, tuple(eqns), block.results)


@dataclass
class _Lives:
    """The variables that live at the same time, found by walking backwards."""

    nested: Mapping[Var, Eqn]
    order: dict[Var, None] = field(default_factory=dict)
    meets: dict[Var, set[Var]] = field(default_factory=dict)

    def meet(self, var: Var, others: Iterable[Var]) -> None:
        """`var` gets its value while the others are wanted still."""
        for other in others:
            if other != var:
                self.meets.setdefault(var, set()).add(other)
                self.meets.setdefault(other, set()).add(var)

    def read(self, atoms: Iterable[Atom]) -> set[Var]:
        """The variables that are read where these are; for a nested temporary, those of its expression."""
        found: set[Var] = set()
        queue = [atom for atom in atoms if isinstance(atom, Var)]
        while queue:
            var = queue.pop()
            if var not in found:
                found.add(var)
                if var in self.nested:
                    queue.extend(self.nested[var].every_read())
        return found

    def before(self, eqns: Sequence[Eqn], live: set[Var]) -> set[Var]:
        """The variables that live before the equations, where `live` do after them."""
        for eqn in reversed(eqns):
            if eqn.op == "if":
                live = self._branch(eqn, live)
            elif eqn.op == "for":
                live = self._loop(eqn, live)
            else:
                for out in eqn.outs:
                    self.meet(out, live | set(eqn.outs))
                live = (live - set(eqn.outs)) | self.read(eqn.reads())
        return live

    def _branch(self, eqn: Eqn, live: set[Var]) -> set[Var]:
        after = live - set(eqn.outs)
        found = self.read(eqn.reads())
        for out in eqn.outs:
            self.meet(out, live)
        for block in eqn.blocks:
            # The outputs are given their values one after the other.
            for place, out in enumerate(eqn.outs):
                self.meet(out, self.read(block.results[place + 1 :]))
            found |= self.before(block.eqns, after | self.read(block.results))
        return found

    def _loop(self, eqn: Eqn, live: set[Var]) -> set[Var]:
        (body,) = eqn.blocks
        carried = body.params[1:]
        lists = set(eqn.outs[len(carried) :])
        outer = self.read([*body.free(), eqn.args[0]]) - lists
        through = (live - set(eqn.outs)) | outer | lists
        for out in eqn.outs:
            self.meet(out, live | lists)
        start = self.before(body.eqns, through | self.read(body.results))
        for param in body.params:
            self.meet(param, start | through | set(carried))
        for place, param in enumerate(carried):
            self.meet(param, self.read(eqn.args[place + 2 :]))
        for var in lists:
            self.meet(var, through | set(carried))
        return (live - set(eqn.outs)) | outer | self.read(eqn.args)


def _named(
    block: Block, fixed: Mapping[Var, str], wanted: Sequence[Var], reserved: set[str]
) -> dict[Var, Var]:
    """A variable with its name for each that the block binds."""
    counts = uses(block)
    counts.update(wanted)
    bound = list(block.bound())
    nested = {
        eqn.outs[0]: eqn
        for eqn in block.every()
        if len(eqn.outs) == 1 and eqn.outs[0].temp and counts[eqn.outs[0]] == 1 and eqn.op != "for"
    }
    lives = _Lives(nested)
    live = lives.before(block.eqns, lives.read([*block.results, *wanted]))
    for param in block.params:
        lives.meet(param, live | set(block.params))
    names = dict(fixed)
    outside = reserved | set(fixed.values())
    taken = outside | {var.name for var in bound}
    for var in bound:
        if var in names:
            continue
        if var in nested:
            names[var] = var.name if var.name not in outside else _first_free(var.name, taken)
            taken.add(names[var])
            continue
        near = {names[other] for other in lives.meets.get(var, ()) if other in names}
        near |= reserved | {name for held, name in fixed.items() if held not in block.params}
        near |= {names.get(inner, inner.name) for inner in nested}
        names[var] = _first_free(var.name, near)
    return {var: Var(name, var.kind, var in nested) for var, name in names.items()}


def _first_free(name: str, near: set[str]) -> str:
    stem = without_numbers(name)
    number, found = 0, stem
    while found in near:
        number += 1
        found = f"{stem}_{number}"
    return found
