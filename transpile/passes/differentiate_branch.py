"""The sweep over a conditional: each branch's own sweep, under the same condition.

What a branch's sweep reads of its branch is handed out by the conditional, as
values that are None where the other branch was taken. In the turn of a loop,
which collects what its sweep reads turn by turn, there can be no None: there
the branch is computed again.

>>> from ..library import formula_in, standard_library
>>> from ..printer import formula_text
>>> from .derive import derive
>>> either = formula_in('''
... def either(x, *, squared: bool = True):
...     if squared:
...         y = x * x
...     else:
...         y = np.exp(x)
...     return y
... ''')
>>> print(formula_text(derive(either, standard_library())))
formula either(x: Tensor, *, squared: bool)
  forward:
    y, like_x_2, like_x_3 = if(squared)
      then:
        y_2 = multiply(x, x)
        like_x = like(x)
        like_x_1 = like(x)
        return y_2, like_x, like_x_1
      else:
        y_1 = exp(x)
        return y_1, None, None
    return result y
  pullback(grad):
    grad_x_8 = if(squared)
      then:
        _1_1 = multiply(grad, x)
        _2_1 = multiply(grad, x)
        grad_x_4 = sum_to(_1_1, like=like_x_2)
        grad_x_5 = sum_to(_2_1, like=like_x_3)
        grad_x_6 = accumulate(grad_x_4, grad_x_5)
        return grad_x_6
      else:
        grad_x_7 = multiply(grad, y)
        return grad_x_7
    return grad_x_8
"""

from __future__ import annotations

from ..ir import Atom, Block, Eqn, Literal, Var
from .recompute import repeatable
from .rewrite import METADATA, copy_eqns, defining, replace_atom, slice_of
from .sweep import Context, Sweep, grad_name, zeros_of


def sweep_branch(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """Sweep each branch; what a branch's sweep reads becomes an output of the conditional.

    On the side where a value does not exist it is None, and nobody reads it.
    A gradient that only one branch contributes is zero on the other.
    """
    active, namer = context.active, context.namer
    inner: list[Sweep] = []
    for block in eqn.blocks:
        cotangents: dict[Var, Var] = {}
        seeds: list[Eqn] = []
        for out, atom in zip(eqn.outs, block.results, strict=True):
            if out in sweep.cotangents and isinstance(atom, Var):
                if atom in cotangents:
                    total = namer.fresh(grad_name(atom))
                    seeds.append(
                        Eqn((total,), "accumulate", (cotangents[atom], sweep.cotangents[out]), span=eqn.span)
                    )
                    cotangents[atom] = total
                else:
                    cotangents[atom] = sweep.cotangents[out]
        outer = [var for var in block.free() if var in active]
        outer += [atom for atom in cotangents if atom not in defining(block.eqns) and atom not in outer]
        part = context.recurse(block.eqns, cotangents, outer)
        part.backward[:0] = seeds
        inner.append(part)
    inside = [set(defining(block.eqns)) for block in eqn.blocks]
    targets = list(
        dict.fromkeys(
            v
            for part, own in zip(inner, inside, strict=True)
            for v in part.cotangents
            if v not in own and v in active
        )
    )
    outs, results = list(eqn.outs), [list(block.results) for block in eqn.blocks]
    block_results = [set(block.results) for block in eqn.blocks]
    rename: list[dict[Var, Atom]] = [{}, {}]
    before: list[Eqn] = []
    for side, part in enumerate(inner):
        produced = set(defining(part.forward))
        body = Block((), tuple(part.backward), tuple(part.cotangents.values()))
        lists = [inner for inner in part.forward if inner.op == "list" and inner.outs[0] in body.free()]
        part.backward[:0] = lists
        body = Block((), tuple(part.backward), tuple(part.cotangents.values()))
        again = slice_of(part.forward, body.free())
        if context.in_loop and repeatable(again):
            shapes = [e for e in again if e.op in METADATA and not produced.intersection(e.reads())]
            before += shapes
            part.backward[:0] = [inner for inner in again if inner not in shapes]
            part.forward[:] = eqn.blocks[side].eqns
            continue
        for var in body.free():
            if var in produced:
                if var in block_results[side]:
                    rename[side][var] = outs[results[side].index(var)]
                    continue
                visible = namer.like(var)
                rename[side][var] = visible
                outs.append(visible)
                results[side].append(var)
                results[1 - side].append(Literal(None))
    branches = []
    likes: list[Eqn] = []
    for side, part in enumerate(inner):
        env = rename[side]
        body_eqns = copy_eqns(part.backward, env, namer)
        gradients: list[Atom] = []
        for target in targets:
            gradient = part.cotangents.get(target)
            if gradient is not None:
                gradients.append(replace_atom(gradient, env))
                continue
            zero, like, fill = zeros_of(target, eqn, namer)
            likes.append(like)
            body_eqns.append(fill)
            gradients.append(zero)
        branches.append(Block((), tuple(body_eqns), tuple(gradients)))
    blocks = tuple(
        Block((), tuple(part.forward), tuple(result)) for part, result in zip(inner, results, strict=True)
    )
    rewritten = Eqn(tuple(outs), "if", eqn.args, eqn.kwargs, blocks, eqn.span)
    sweep.forward += [*likes, rewritten, *reversed(before)]
    gradients_of = [namer.fresh(grad_name(target), target.kind) for target in targets]
    if targets:
        sweep.backward.append(Eqn(tuple(gradients_of), "if", eqn.args, (), tuple(branches), eqn.span))
    for target, grad in zip(targets, gradients_of, strict=True):
        sweep.add(target, grad, eqn, namer)
