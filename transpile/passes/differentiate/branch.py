"""The sweep over a conditional: each branch's own sweep, under the same condition.

What a branch's sweep reads of its branch is handed out by the conditional, as
values that are None where the other branch was taken. In the iteration of a loop,
which collects what its sweep reads iteration by iteration, there can be no None: there
the branch is computed again.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
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

from collections.abc import Sequence

from ...analysis.effects import repeatable
from ...ir import Atom, Block, Eqn, Literal, Var
from ...rewrite import METADATA, Namer, copy_eqns, defining, put_together, replace_atom, slice_of
from .sweep import Context, Sweep, grad_name, zeros_of


def sweep_branch(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """Sweep each branch; what a branch's sweep reads becomes an output of the conditional.

    On the side where a value does not exist it is None, and nobody reads it.
    A gradient that only one branch contributes is zero on the other.
    """
    namer = context.namer
    parts = [_swept(block, eqn, sweep, context) for block in eqn.blocks]
    targets = _targets(eqn, parts, context)
    shown = _Shown(eqn)
    before: list[Eqn] = []
    for side, part in enumerate(parts):
        again = slice_of(part.forward, _read(part))
        if context.in_loop and repeatable(again):
            before += _repeat(part, again)
            part.forward[:] = eqn.blocks[side].eqns
        else:
            shown.show(side, part, namer)
    branches, likes = [], []
    for part, env in zip(parts, shown.names, strict=True):
        branch, asked = _gradients(part, env, targets, eqn, namer)
        branches.append(branch)
        likes += asked
    blocks = tuple(
        Block((), tuple(part.forward), tuple(results))
        for part, results in zip(parts, shown.results, strict=True)
    )
    rewritten = Eqn(tuple(shown.outs), "if", eqn.args, eqn.kwargs, blocks, eqn.span)
    sweep.forward += [*likes, rewritten, *reversed(before)]
    gradients = [namer.fresh(grad_name(target), target.kind) for target in targets]
    if targets:
        sweep.backward.append(Eqn(tuple(gradients), "if", eqn.args, (), tuple(branches), eqn.span))
    for target, grad in zip(targets, gradients, strict=True):
        sweep.add(target, grad, eqn, namer)


def _swept(block: Block, eqn: Eqn, sweep: Sweep, context: Context) -> Sweep:
    """The sweep of a branch, from the gradients of the conditional's outputs."""
    cotangents: dict[Var, Var] = {}
    seeds: list[Eqn] = []
    for out, atom in zip(eqn.outs, block.results, strict=True):
        if out not in sweep.cotangents or not isinstance(atom, Var):
            continue
        gradient = sweep.cotangents[out]
        if atom in cotangents:
            total = context.namer.fresh(grad_name(atom))
            seeds.append(Eqn((total,), "accumulate", (cotangents[atom], gradient), span=eqn.span))
            gradient = total
        cotangents[atom] = gradient
    own = defining(block.eqns)
    outer = [var for var in block.free() if var in context.active]
    outer += [atom for atom in cotangents if atom not in own and atom not in outer]
    part = context.recurse(block.eqns, cotangents, outer)
    part.backward[:0] = seeds
    likes, again = put_together(part.forward, _read(part), context.namer)
    part.forward += likes
    part.backward[:0] = again
    return part


def _read(part: Sweep) -> tuple[Var, ...]:
    """The residuals of a branch: what its backward reads of its forward, and of values around it."""
    return Block((), tuple(part.backward), tuple(part.cotangents.values())).free()


def _targets(eqn: Eqn, parts: Sequence[Sweep], context: Context) -> list[Var]:
    """Values from outside of the conditional to which a branch contributes a gradient."""
    found: dict[Var, None] = {}
    for part, block in zip(parts, eqn.blocks, strict=True):
        own = defining(block.eqns)
        found.update((var, None) for var in part.cotangents if var not in own and var in context.active)
    return list(found)


def _repeat(part: Sweep, again: Sequence[Eqn]) -> list[Eqn]:
    """Have the backward compute these of the forward's equations again; returns those that stay outside.

    They ask for shapes of what is there before the conditional.
    """
    produced = defining(part.forward)
    shapes = [e for e in again if e.op in METADATA and not any(var in produced for var in e.reads())]
    part.backward[:0] = [e for e in again if e not in shapes]
    return shapes


class _Shown:
    """The conditional's outputs and each branch's results, to which the values come that a backward reads.

    `names`: for each side the names of such values outside of the branch.
    """

    def __init__(self, eqn: Eqn) -> None:
        self.outs = list(eqn.outs)
        self.results = [list(block.results) for block in eqn.blocks]
        self.names: list[dict[Var, Atom]] = [{} for _ in eqn.blocks]
        self._blocks = eqn.blocks

    def show(self, side: int, part: Sweep, namer: Namer) -> None:
        """Make outputs of what the backward of one side reads of its forward."""
        produced, results = defining(part.forward), self._blocks[side].results
        for var in _read(part):
            if var not in produced:
                continue
            if var in results:
                self.names[side][var] = self.outs[results.index(var)]
                continue
            visible = namer.like(var)
            self.names[side][var] = visible
            self.outs.append(visible)
            self.results[side].append(var)
            self.results[1 - side].append(Literal(None))


def _gradients(
    part: Sweep, env: dict[Var, Atom], targets: Sequence[Var], eqn: Eqn, namer: Namer
) -> tuple[Block, list[Eqn]]:
    """A branch of the backward, and equations that ask for the shapes of the zeros in it."""
    body = copy_eqns(part.backward, env, namer)
    likes: list[Eqn] = []
    gradients: list[Atom] = []
    for target in targets:
        gradient: Atom | None = part.cotangents.get(target)
        if gradient is None:
            gradient, like, fill = zeros_of(target, eqn, namer)
            likes.append(like)
            body.append(fill)
        else:
            gradient = replace_atom(gradient, env)
        gradients.append(gradient)
    return Block((), tuple(body), tuple(gradients)), likes
