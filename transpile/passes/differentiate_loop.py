"""The sweep over a loop: a loop that runs backwards.

It carries the cotangents of what the loop carries, and a sum for each outer
value that the body reads. What a turn's sweep reads of its turn is collected on
the way forward; tensors are stacked, so that they can be hidden outputs.

>>> from ..library import formula_in, standard_library
>>> from ..printer import formula_text
>>> from .derive import derive
>>> powers = formula_in('''
... def powers(x, *, n: int = 3):
...     y = x
...     for k in range(n):
...         y = y * x
...     return y
... ''')
>>> print(formula_text(derive(powers, standard_library())))
formula powers(x: Tensor, *, n: int)
  forward:
    _1 = range(n)
    like_x_2 = like(x)
    y_2, y_turns, like_y_turns = for(n, x)
      each k, y:
        y_1 = multiply(y, x)
        like_y = like(y)
        like_x = like(x)
        return y_1, y, like_y
    every_y = collect(y_turns)
    like_x_1 = like(x)
    return result y_2
  pullback(grad):
    grad_y_3, grad_x_5 = for(n, grad, 0.0, reverse=True)
      each turn, grad_y, grad_x_1:
        y_3 = getitem(every_y, index=turn)
        like_y_1 = item(like_y_turns, turn)
        _1_2 = multiply(grad_y, x)
        _2_1 = multiply(grad_y, y_3)
        grad_y_2 = sum_to(_1_2, like=like_y_1)
        grad_x_3 = sum_to(_2_1, like=like_x_1)
        grad_x_4 = accumulate(grad_x_1, grad_x_3)
        return grad_y_2, grad_x_4
    grad_x_6 = broadcast_like(grad_x_5, like=like_x_2)
    grad_x_7 = accumulate(grad_y_3, grad_x_6)
    return grad_x_7
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ir import Atom, Block, Eqn, Kind, Literal, Var
from .rewrite import METADATA, Namer, copy_eqns, defining, label, put_together, replace_atom, slice_of
from .sweep import Context, Sweep, grad_name, zeros_of


@dataclass(slots=True)
class _Loop:
    """The loop as it is being rewritten, and what stands after it in the forward."""

    outs: list[Var]
    results: list[Atom]
    after: list[Eqn] = field(default_factory=list)


def sweep_loop(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """Sweep back over a loop. Raises NoDerivative where its body has none."""
    (body,) = eqn.blocks
    namer, active = context.namer, context.active
    item, carried = body.params[0], body.params[1:]
    flowing = [k for k, var in enumerate(carried) if var in active and var.kind in ("tensor", "list")]
    outer = [var for var in body.free() if var in active and var.kind in ("tensor", "list")]

    index = namer.fresh("turn", "value")
    incoming = {k: namer.fresh(grad_name(carried[k]), carried[k].kind) for k in flowing}
    seeds, opening = _seeds(eqn, sweep, context, incoming, index)
    wanted = [carried[k] for k in flowing] + outer + ([item] if item in active else [])
    part = context.recurse(body.eqns, seeds, wanted, True)

    outgoing, closing, likes = _outgoing([carried[k] for k in flowing], part, eqn, namer)
    sums = {var: namer.fresh(grad_name(var), var.kind) for var in outer if var in part.cotangents}
    for var, total in sums.items():
        more = namer.fresh(grad_name(var), var.kind)
        closing.append(Eqn((more,), "accumulate", (total, part.cotangents[var]), span=eqn.span))
        outgoing.append(more)
    items = [part.cotangents[item]] if item in part.cotangents else []

    loop = _Loop(list(eqn.outs), list(body.results))
    turn = Block((), (*opening, *part.backward, *closing), (*outgoing, *items))
    forward_body = (*part.forward, *likes)
    made, again = _lists(turn, forward_body, namer)
    forward_body, turn = (*forward_body, *made), Block((), (*again, *turn.eqns), turn.results)
    start = _start(eqn, flowing, sweep, context)
    reads, env = _residuals(eqn, turn, forward_body, loop, sweep, context, index)
    count = _count(eqn, loop, sweep, context)
    turn_env = dict(env)
    eqns = copy_eqns(turn.eqns, turn_env, namer)
    results = tuple(replace_atom(atom, turn_env) for atom in turn.results)
    block = Block((index, *incoming.values(), *sums.values()), (*reads, *eqns), results)
    rewritten = Block(body.params, forward_body, tuple(loop.results))
    sweep.forward += [
        *reversed(loop.after),
        Eqn(tuple(loop.outs), "for", eqn.args, eqn.kwargs, (rewritten,), eqn.span),
    ]
    last = [namer.fresh(grad_name(var), var.kind) for var in (*(carried[k] for k in flowing), *sums)]
    gathered = [namer.fresh(grad_name(item), "list") for _ in items]
    args = (count, *start, *(_zero(var, eqn, sweep, namer) for var in sums))
    backwards = () if eqn.kwarg("reverse") is not None else (("reverse", Literal(True)),)
    sweep.backward.append(Eqn((*last, *gathered), "for", args, backwards, (block,), eqn.span))
    for k, gradient in zip(flowing, last, strict=False):
        _send(eqn.args[k + 1], gradient, eqn, sweep, context)
    for var, total in zip(sums, last[len(flowing) :], strict=True):
        _send_sum(var, total, eqn, sweep, namer)
    for gradients in gathered:
        _send(eqn.args[0], gradients, eqn, sweep, context)


def _outgoing(
    carried: Sequence[Var], part: Sweep, eqn: Eqn, namer: Namer
) -> tuple[list[Atom], list[Eqn], list[Eqn]]:
    """A turn's gradients of what it was given; equations for those that are zero, and for their shapes."""
    outgoing: list[Atom] = []
    fills: list[Eqn] = []
    likes: list[Eqn] = []
    for var in carried:
        gradient = part.cotangents.get(var)
        if gradient is None:
            gradient, like, fill = zeros_of(var, eqn, namer)
            likes.append(like)
            fills.append(fill)
        outgoing.append(gradient)
    return outgoing, fills, likes


def _send_sum(var: Var, total: Var, eqn: Eqn, sweep: Sweep, namer: Namer) -> None:
    """Add what all turns contribute to a value's gradient: no turn leaves the number that it starts from."""
    if var.kind != "list":
        shape = namer.fresh(f"like_{label(var)}", "value")
        whole = namer.fresh(grad_name(var))
        sweep.forward.append(Eqn((shape,), "like", (var,), span=eqn.span))
        sweep.backward.append(Eqn((whole,), "broadcast_like", (total,), (("like", shape),), span=eqn.span))
        total = whole
    sweep.add(var, total, eqn, namer)


def _zero(var: Var, eqn: Eqn, sweep: Sweep, namer: Namer) -> Atom:
    """What a sum of gradients starts from: a number, or a list of zeros."""
    if var.kind == "tensor":
        return Literal(0.0)
    zeros, like, fill = zeros_of(var, eqn, namer)
    sweep.forward.append(like)
    sweep.backward.append(fill)
    return zeros


def _send(atom: Atom, gradient: Var, eqn: Eqn, sweep: Sweep, context: Context) -> None:
    if isinstance(atom, Var) and atom in context.active:
        sweep.add(atom, gradient, eqn, context.namer)


def _seeds(
    eqn: Eqn, sweep: Sweep, context: Context, incoming: dict[int, Var], index: Var
) -> tuple[dict[Var, Var], list[Eqn]]:
    """Cotangents of what a turn returns: carried ones, and this turn's part of the collected ones."""
    (body,) = eqn.blocks
    seeds: dict[Var, Var] = {}
    opening: list[Eqn] = []
    for k, (out, atom) in enumerate(zip(eqn.outs, body.results, strict=True)):
        if not isinstance(atom, Var):
            continue
        seed = incoming.get(k)
        if k >= len(body.params) - 1 and out in sweep.cotangents and atom in context.active:
            seed = context.namer.fresh(grad_name(atom), atom.kind)
            operands = (sweep.cotangents[out], index)
            opening.append(Eqn((seed,), "item", operands, span=eqn.span))
        if seed is None:
            continue
        if atom in seeds:
            total = context.namer.fresh(grad_name(atom), atom.kind)
            opening.append(Eqn((total,), "accumulate", (seeds[atom], seed), span=eqn.span))
            seed = total
        seeds[atom] = seed
    return seeds, opening


def _start(eqn: Eqn, flowing: Sequence[int], sweep: Sweep, context: Context) -> list[Var]:
    """Cotangents of the last carried values; zeros for those that have none."""
    start = []
    for k in flowing:
        gradient = sweep.cotangents.get(eqn.outs[k])
        if gradient is None:
            gradient, like, fill = zeros_of(eqn.outs[k], eqn, context.namer)
            sweep.forward.append(like)
            sweep.backward.append(fill)
        start.append(gradient)
    return start


def _lists(turn: Block, forward: Sequence[Eqn], namer: Namer) -> tuple[list[Eqn], list[Eqn]]:
    """What a turn adds to its forward, and how its sweep makes lists of that again.

    A list is no tensor that could be saved: one that is written out is made again of its
    elements, as tuples and slices are, one that an inner loop collected of these stacked.
    """
    table = defining(forward)
    made, again = put_together(forward, turn.free(), namer)
    for var in turn.free():
        if var.kind != "list" or var not in table or table[var] in again:
            continue
        every, likes = namer.fresh(f"every_{label(var)}"), namer.fresh(f"like_{label(var)}", "value")
        made += [Eqn((every,), "collect", (var,)), Eqn((likes,), "like", (var,))]
        kwargs = (("likes", likes), ("axis", Literal(0)))
        again.append(Eqn((var,), "unstack_like", (every,), kwargs))
    return made, again


def _count(eqn: Eqn, loop: _Loop, sweep: Sweep, context: Context) -> Atom:
    """How many turns there are; of a loop that may stop, how many there were."""
    over = eqn.args[0]
    if eqn.kwarg("until") is not None:
        stops, body = context.namer.fresh("stops", "value"), eqn.blocks[0]
        count = context.namer.fresh("turns", "value")
        loop.outs.append(stops)
        loop.results.append(body.results[0])
        loop.after.append(Eqn((count,), "len", (stops,), span=eqn.span))
        return count
    if isinstance(over, Literal) or over.kind == "value":
        return over
    count = context.namer.fresh(f"{over.name}_turns", "value")
    sweep.forward.append(Eqn((count,), "len", (over,), span=eqn.span))
    return count


def _residuals(
    eqn: Eqn,
    turn: Block,
    forward_body: Sequence[Eqn],
    loop: _Loop,
    sweep: Sweep,
    context: Context,
    index: Var,
) -> tuple[list[Eqn], dict[Var, Atom]]:
    """Equations that read, in a turn of the backward loop, what it needs of the same turn forward."""
    (body,) = eqn.blocks
    item, carried = body.params[0], len(body.params) - 1
    table = defining(forward_body)
    reads: list[Eqn] = []
    env: dict[Var, Atom] = {}
    if item.kind == "value":
        env[item] = index
    again = _counted(turn, forward_body, body, item)
    for made in again:
        copied = copy_eqns([made], env, context.namer)
        # What tells of an outer value's shape is the same in each turn.
        (sweep.forward if made.op in METADATA else reads).extend(copied)
    known = {out for made in again for out in made.outs}
    for var in turn.free():
        if (var not in table and var not in body.params) or var in known or var in env:
            continue
        here = context.namer.like(var)
        env[var] = here
        if var == item:
            reads.append(Eqn((here,), "item", (eqn.args[0], index), span=eqn.span))
            continue
        if var not in loop.results[carried:]:
            kind: Kind = "value" if var.kind == "value" else "list"
            loop.outs.append(context.namer.fresh(f"{label(var)}_turns", kind))
            loop.results.append(var)
        turns = loop.outs[loop.results.index(var, carried)]
        if var.kind == "value":
            reads.append(Eqn((here,), "item", (turns, index), span=eqn.span))
        else:
            stacked = _stacked(turns, var, loop, sweep, context)
            reads.append(Eqn((here,), "getitem", (stacked,), (("index", index),), span=eqn.span))
    return reads, env


def _counted(turn: Block, forward_body: Sequence[Eqn], body: Block, item: Var) -> list[Eqn]:
    """The equations of values that follow from a turn's number, and from what is there before the loop.

    The backward computes them again, where it would have to read them saved.
    """
    table = defining(forward_body)
    bound = {*table, *body.params}
    again: dict[int, Eqn] = {}
    for var in turn.free():
        if var not in table or var.kind != "value":
            continue
        part = slice_of(forward_body, [var])
        there = Block((), tuple(part), ()).free()
        if all(_is_plain(eqn, bound) for eqn in part) and not bound.intersection(there) - {item}:
            again.update({id(eqn): eqn for eqn in part})
    return [eqn for eqn in forward_body if id(eqn) in again]


def _is_plain(eqn: Eqn, bound: set[Var]) -> bool:
    """Whether an equation computes a value of values, or tells of an outer tensor's shape."""
    if eqn.op in METADATA:
        return not bound.intersection(eqn.reads())
    values = all(var.kind == "value" for var in (*eqn.outs, *eqn.reads()))
    return values and not eqn.blocks and eqn.op not in ("opaque", "raise")


def _stacked(turns: Var, var: Var, loop: _Loop, sweep: Sweep, context: Context) -> Var:
    """The turns' values as one tensor; an earlier round may have made it."""
    for eqn in sweep.forward:
        if eqn.op == "collect" and eqn.args == (turns,):
            return eqn.outs[0]
    stacked = context.namer.fresh(f"every_{label(var)}")
    loop.after.append(Eqn((stacked,), "collect", (turns,)))
    return stacked
