"""Values that may be the same memory, while a formula is read."""

from __future__ import annotations

from ...ir import Atom, Eqn, Var
from ...operators import OPERATORS
from .builder import Builder


def roots(build: Builder, var: Var) -> set[Var]:
    """The variables whose memory this one may share: itself, and what it is a view of."""
    found: set[Var] = set()
    queue = [var]
    while queue:
        here = queue.pop()
        if here in found:
            continue
        found.add(here)
        queue += build.sources.get(here, ())
        eqn = build.made.get(here)
        if eqn is not None:
            queue += [atom for atom in _sources(build, eqn, here) if isinstance(atom, Var)]
    return found


def _sources(build: Builder, eqn: Eqn, out: Var) -> tuple[Atom, ...]:
    """The operands that an equation's output may share memory with."""
    if eqn.op in ("if", "for"):
        place = eqn.outs.index(out)
        inside = tuple(block.results[place] for block in eqn.blocks)
        return (*inside, *eqn.args[place + 1 : place + 2]) if eqn.op == "for" else inside
    info = OPERATORS.get(eqn.op)
    if eqn.op == "getitem":
        index = eqn.kwarg("index")
        return () if isinstance(index, Var) and index in build.arrays else eqn.args[:1]
    if eqn.op in ("opaque", "item", "list", "stop_gradient") or (info is not None and info.view):
        return eqn.args
    return ()
