"""Sizes and shapes that a closure works out itself, from arrays that it reads anyway.

In: a promoted formula, and what is known of its arrays. Out: the formula without
those saved values. A caller that saves arrays alone needs no Python in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...ir import Atom, Block, Eqn, Formula, Var
from ...passes.promote.recompute import compute_again
from ...passes.simplify.simplify import simplify
from ...rewrite import slice_of
from ..lower.facts import Fact
from ..lower.flat import ALLOWED
from ..lower.scalars import POINTWISE

_ASKED = frozenset({"like", "size", "ndim", "shape"})
# What computes a shape in a kernel and nothing else, where nobody reads the elements.
_FREE = POINTWISE | {"expand_dims", "swapaxes"}


def with_own_sizes(formula: Formula, facts_of: Callable[[Sequence[Var]], dict[Var, Fact]]) -> Formula:
    """The formula whose saved sizes are worked out in the closure where it reads an array of that size.

    Only for gradients that read this array anyway: no other is to keep it. Other sizes and shapes
    are those of inputs where some input has them, so that nobody computes an intermediate value for
    its size. `facts_of` tells shapes and types of variables of the forward.
    """
    assert formula.pullback is not None
    asked = _asked(formula)
    if not asked:
        return formula
    inputs = [param.var for param in formula.params if param.var.kind == "tensor"]
    results = [var for var in formula.forward.results if isinstance(var, Var) and var.kind == "tensor"]
    reads = _read_together(formula.pullback)
    facts = facts_of([*inputs, *results, *(tensor for _, tensor in asked.values())])
    moved, renamed = [], {}
    for plain, (op, tensor) in asked.items():
        same = [var for var in (*inputs, *results) if _same(op, facts, var, tensor)]
        source = next((var for var in same if all(var in read for read in reads if plain in read)), None)
        if source is not None and not (op == "like" and tensor in inputs):
            moved.append(Eqn((plain,), op, (source,)))
        elif tensor not in inputs and same and same[0] in inputs:
            renamed[plain] = Eqn((plain,), op, (same[0],))
    if not moved and not renamed:
        return formula
    forward, pullback = formula.forward, formula.pullback
    eqns = tuple(renamed.get(eqn.outs[0], eqn) if eqn.outs else eqn for eqn in forward.eqns)
    made = formula.evolve(
        forward=Block(forward.params, eqns, forward.results),
        pullback=Block(pullback.params, (*moved, *pullback.eqns), pullback.results),
    )
    return _without(made, {eqn.outs[0] for eqn in moved})


def with_own_shapes(formula: Formula) -> Formula:
    """The formula whose saved shapes of intermediate values are worked out in the closure.

    Only where everything is kept anyway of which such a value is made. The forward of a kernel
    has no such value, and would have to compute it for its shape alone.
    """
    assert formula.pullback is not None
    inputs = {param.var for param in formula.params if param.var.kind == "tensor"}
    reads = _read_together(formula.pullback)
    outputs = {var for var in formula.forward.results if isinstance(var, Var) and var.kind == "tensor"}
    arrays = inputs | {var for var in outputs if all(var in reached for reached in reads)}
    # The closure has the attributes that it saves.
    unsaved = {param.var for param in formula.params} - inputs - {*formula.forward.results}
    again = []
    for plain, (op, tensor) in _asked(formula).items():
        eqns = slice_of(formula.forward.eqns, [tensor], arrays)
        read = {var for eqn in eqns for var in eqn.reads() if var in arrays}
        free = op == "like" and tensor not in arrays and all(eqn.op in _FREE for eqn in eqns)
        free = free and not any(unsaved.intersection(eqn.reads()) for eqn in eqns)
        if free and all(read <= reached for reached in reads if plain in reached):
            again.append(plain)
    if not again:
        return formula
    leaves = {*arrays, *(param.var for param in formula.params)}
    made = _without(compute_again(formula, again, leaves), set(again))
    assert made.pullback is not None
    return made.evolve(pullback=simplify(made.pullback))


def _without(formula: Formula, gone: set[Var]) -> Formula:
    """The formula that does not save these plain values."""
    forward = formula.forward
    count = len(forward.results) - len(formula.plain)
    kept = [k for k, var in enumerate(formula.plain) if var not in gone]
    saved = (*forward.results[:count], *(forward.results[count + k] for k in kept))
    return formula.evolve(
        forward=Block(forward.params, forward.eqns, saved), plain=tuple(formula.plain[k] for k in kept)
    )


def _read_together(pullback: Block) -> list[set[Var]]:
    """The variables that each gradient depends on; one set where a kernel has all gradients or none.

    That is one of more than one loop: what any of its gradients reads is kept.
    """
    reads = _reads(pullback)
    return reads if all(eqn.op in ALLOWED for eqn in pullback.eqns) else [set[Var]().union(*reads)]


def _reads(pullback: Block) -> list[set[Var]]:
    """The variables that each gradient depends on."""
    made = {out: eqn for eqn in pullback.eqns for out in eqn.outs}
    found = []
    for result in pullback.results:
        reached: set[Var] = set()
        queue = [result]
        while queue:
            atom = queue.pop()
            if isinstance(atom, Var) and atom not in reached:
                reached.add(atom)
                eqn = made.get(atom)
                queue += [] if eqn is None else eqn.every_read()
        found.append(reached)
    return found


def _asked(formula: Formula) -> dict[Var, tuple[str, Var]]:
    """The saved values that say something of an array's shape: the operator, and the array."""
    assert formula.pullback is not None
    plain = set(formula.plain) - read_for_dtype(formula.pullback)
    return {
        eqn.outs[0]: (eqn.op, eqn.args[0])
        for eqn in formula.forward.eqns
        if eqn.op in _ASKED
        and eqn.outs[0] in plain
        and eqn.outs[0] in formula.forward.results
        and not eqn.kwargs
        and len(eqn.args) == 1
        and isinstance(eqn.args[0], Var)
        and eqn.args[0].kind == "tensor"
    }


def read_for_dtype(pullback: Block) -> set[Atom]:
    """The saved shapes whose dtype is read: a call may come with another one than the kernel has.

    They stay what they are of, so that the kernel refuses such a call.
    """
    return {like for eqn in pullback.every() if eqn.op == "gradient_like" and (like := eqn.kwarg("like"))}


def _same(op: str, facts: dict[Var, Fact], var: Var, tensor: Var) -> bool:
    one, other = facts.get(var), facts.get(tensor)
    if one is None or other is None or "number" in (one.kind, other.kind):
        return False
    return one.shape == other.shape and (op != "like" or one.type == other.type)
