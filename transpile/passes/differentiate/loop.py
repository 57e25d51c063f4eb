"""The sweep over a loop: a loop that runs backwards.

It carries the cotangents of what the loop carries, and a sum for each outer
value that the body reads. What an iteration's sweep reads of its iteration is collected on
the way forward (see `residuals`).

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
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
    iterations = range(n)
    like_x_2 = like(x)
    y_2, y_iterations, like_y_iterations = for(n, x)
      each k, y:
        y_1 = multiply(y, x)
        like_y = like(y)
        like_x = like(x)
        return y_1, y, like_y
    every_y = collect(y_iterations)
    like_x_1 = like(x)
    return result y_2
  pullback(grad):
    grad_y_3, grad_x_5 = for(n, grad, 0.0, reverse=True)
      each iteration, grad_y, grad_x_1:
        like_y_1 = item(like_y_iterations, iteration)
        y_3 = getitem(every_y, index=iteration)
        _1_1 = multiply(grad_y, x)
        _2_1 = multiply(grad_y, y_3)
        grad_y_2 = sum_to(_1_1, like=like_y_1)
        grad_x_3 = sum_to(_2_1, like=like_x_1)
        grad_x_4 = accumulate(grad_x_1, grad_x_3)
        return grad_y_2, grad_x_4
    grad_x_6 = broadcast_like(grad_x_5, like=like_x_2)
    grad_x_7 = accumulate(grad_y_3, grad_x_6)
    return grad_x_7
"""

from __future__ import annotations

from collections.abc import Sequence

from ...analysis.types import of_iteration
from ...ir import Atom, Block, Eqn, Literal, Var
from ...rewrite import Namer, copy_eqns, label, replace_atom
from .residuals import Loop, Residuals, lists_again
from .sweep import Context, Sweep, grad_name, zeros_of


def sweep_loop(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """Sweep back over a loop. Raises NoDerivative where its body has none."""
    (body,) = eqn.blocks
    namer, active = context.namer, context.active
    item, carried = body.params[0], body.params[1:]
    flowing = [k for k, var in enumerate(carried) if var in active and var.kind in ("tensor", "list")]
    outer = [var for var in body.free() if var in active and var.kind in ("tensor", "list")]

    index = namer.fresh("iteration", "value")
    incoming = {k: namer.fresh(grad_name(carried[k]), carried[k].kind) for k in flowing}
    seeds, opening = _seeds(eqn, sweep, context, incoming, index)
    wanted = [carried[k] for k in flowing] + outer + ([item] if item in active else [])
    part = context.recurse(body.eqns, seeds, wanted, of_iteration(eqn, context.types))

    outgoing, closing, likes = _outgoing([carried[k] for k in flowing], part, eqn, namer)
    sums = {var: namer.fresh(grad_name(var), var.kind) for var in outer if var in part.cotangents}
    for var, total in sums.items():
        more = namer.fresh(grad_name(var), var.kind)
        closing.append(Eqn((more,), "accumulate", (total, part.cotangents[var]), span=eqn.span))
        outgoing.append(more)
    items = [part.cotangents[item]] if item in part.cotangents else []

    loop = Loop(list(eqn.outs), list(body.results))
    iteration = Block((), (*opening, *part.backward, *closing), (*outgoing, *items))
    forward_body = (*part.forward, *likes)
    made, again = lists_again(iteration, Block(body.params, forward_body, ()), namer)
    forward_body, iteration = (*forward_body, *made), Block((), (*again, *iteration.eqns), iteration.results)
    start = _start(eqn, flowing, sweep, context)
    reads, env = Residuals(eqn, iteration, forward_body, loop, sweep, context, index).read()
    count = _count(eqn, loop, sweep, context)
    iteration_env = dict(env)
    eqns = copy_eqns(iteration.eqns, iteration_env, namer)
    results = tuple(replace_atom(atom, iteration_env) for atom in iteration.results)
    block = Block((index, *incoming.values(), *sums.values()), (*reads, *eqns), results)
    sweep.forward += [*reversed(loop.after), loop.rewritten(eqn, forward_body)]
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
    """An iteration's gradients of its inputs; equations for those that are zero, and for their shapes."""
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
    """Add all iterations' part of a value's gradient: without iterations it stays what it starts from."""
    if var.kind != "list":
        shape = namer.fresh(f"like_{label(var)}", "value")
        whole = namer.fresh(grad_name(var))
        sweep.forward.append(Eqn((shape,), "like", (var,), span=eqn.span))
        sweep.backward.append(Eqn((whole,), "broadcast_like", (total,), (("like", shape),), span=eqn.span))
        total = whole
    sweep.add(var, total, eqn, namer)


def _zero(var: Var, eqn: Eqn, sweep: Sweep, namer: Namer) -> Atom:
    """The start of a sum of gradients: a number, or a list of zeros."""
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
    """Cotangents of an iteration's results: carried ones, and this iteration's part of the collected ones."""
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


def _count(eqn: Eqn, loop: Loop, sweep: Sweep, context: Context) -> Atom:
    """The number of iterations; of a loop that may stop, of those that there were."""
    over = eqn.args[0]
    if eqn.kwarg("until") is not None:
        stops, body = context.namer.fresh("stops", "value"), eqn.blocks[0]
        count = context.namer.fresh("iterations", "value")
        loop.outs.append(stops)
        loop.results.append(body.results[0])
        loop.after.append(Eqn((count,), "len", (stops,), span=eqn.span))
        return count
    if isinstance(over, Literal) or over.kind == "value":
        return over
    count = context.namer.fresh(f"{over.name}_iterations", "value")
    sweep.forward.append(Eqn((count,), "len", (over,), span=eqn.span))
    return count
