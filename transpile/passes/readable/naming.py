"""Names that a person would have given, for the emitted code.

In: a promoted formula. Out: the same formula, where

- a temporary that crosses from the forward into the pullback is named after the
  operator that computes it: ``_4 = sum(...)`` becomes ``sum_1``; one with a label has that name;
- the gradient that the pullback returns for `x` is ``grad_x``, what is added up
  to it ``grad_x_1``, ``grad_x_2``; temporaries count up from ``_1``.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from ..promote.promote import promote
>>> print(formula_text(promote(formula_in('''
... def squared_log(x):
...     t = np.log(np.sum(x * x))
...     return t * t, lambda grad: 4 * grad * t * x / np.sum(x * x)
... '''), standard_library())))
formula squared_log(x: Tensor)
  forward:
    like_x = like(x)
    _1 = multiply(x, x)
    sum_1 = sum(_1)
    t = log(sum_1)
    _3 = multiply(t, t)
    return result _3, hidden sum_1, hidden t, plain like_x
  pullback(grad, grad_sum_1, grad_t):
    _1 = divide(grad_t, sum_1)
    grad_v2 = accumulate(grad_sum_1, _1)
    _2 = if(True)
      then:
        return grad_v2
      else:
        _4 = expand_dims(grad_v2, axis=None)
        return _4
    _5 = broadcast_like(_2, like=like_x)
    _6 = multiply(_5, x)
    grad_x_1 = accumulate(_6, _6)
    _7 = multiply(4, grad)
    _8 = multiply(_7, t)
    _9 = multiply(_8, x)
    _10 = multiply(x, x)
    _11 = sum(_10)
    _12 = divide(_9, _11)
    grad_x = accumulate(_12, grad_x_1)
    return grad_x
"""

from __future__ import annotations

import re

from ...ir import Atom, Block, Eqn, Formula, Var
from ...rewrite import (
    Namer,
    all_names,
    defining,
    label,
    replace_atom,
    replace_block,
    replace_eqn,
    without_blocks,
)

# Operators whose own names say nothing of what they compute.
_NAMES = {
    "if": "value",
    "getitem": "part",
}


def name_saved(formula: Formula) -> Formula:
    """The formula whose saved temporaries have names."""
    assert formula.pullback is not None
    table, namer = defining(formula.forward.eqns), Namer.of(formula)
    env: dict[Var, Atom] = {}
    for var in formula.pullback.free():
        if var.temp and var in table:
            labelled = label(var) == var.name
            env[var] = Var(var.name, var.kind) if labelled else namer.fresh(_numbered(table[var]), var.kind)
    cotangents = dict(zip(formula.hidden, formula.pullback.params[formula.results :], strict=True))
    for var, cotangent in cotangents.items():
        if var in env:
            env[cotangent] = namer.fresh(f"grad_{env[var]}")
    if not env:
        return formula
    forward = formula.forward
    eqns = tuple(_renamed(eqn, env) for eqn in forward.eqns)
    results = tuple(replace_atom(atom, env) for atom in forward.results)
    pullback = replace_block(formula.pullback, env)
    return formula.evolve(
        forward=Block(forward.params, eqns, results),
        pullback=Block(_renamed_all(pullback.params, env), pullback.eqns, pullback.results),
        hidden=_renamed_all(formula.hidden, env),
    )


def name_gradients(formula: Formula, block: Block) -> Block:
    """A pullback of the formula whose own variables are named in the order in which they appear."""
    outer = (*formula.forward.params, *formula.forward.results, *block.params, *block.free())
    namer = Namer(all_names(Block((), (), outer)))
    env: dict[Var, Atom] = {}
    bound = {var for eqn in block.eqns for var in eqn.outs}
    for param, gradient in zip(formula.inputs, block.results, strict=True):
        if isinstance(gradient, Var) and gradient in bound and gradient not in env and not gradient.temp:
            env[gradient] = namer.fresh(f"grad_{param.var.name}", gradient.kind)
    return _renumbered(block, env, namer)


def _renumbered(block: Block, env: dict[Var, Atom], namer: Namer) -> Block:
    eqns = []
    for eqn in block.eqns:
        for var in (*eqn.outs, *(param for inner in eqn.blocks for param in inner.params)):
            if var not in env:
                env[var] = namer.temp(var.kind) if var.temp else namer.fresh(_stem(var.name), var.kind)
        blocks = tuple(
            _with_params(_renumbered(inner, env, namer), _renamed_all(inner.params, env))
            for inner in eqn.blocks
        )
        bare = _renamed(without_blocks(eqn), env)
        eqns.append(Eqn(bare.outs, bare.op, bare.args, bare.kwargs, blocks, bare.span))
    return Block(block.params, tuple(eqns), tuple(replace_atom(atom, env) for atom in block.results))


def _with_params(block: Block, params: tuple[Var, ...]) -> Block:
    return Block(params, block.eqns, block.results)


def _stem(name: str) -> str:
    return re.sub(r"(_\d+)+$", "", name) if name.startswith(("grad_", "like_")) else name


def _numbered(eqn: Eqn) -> str:
    return f"{_NAMES.get(eqn.op) or eqn.op.rpartition('.')[2]}_1"


def _renamed(eqn: Eqn, env: dict[Var, Atom]) -> Eqn:
    moved = replace_eqn(eqn, env)
    return Eqn(_renamed_all(eqn.outs, env), moved.op, moved.args, moved.kwargs, moved.blocks, moved.span)


def _renamed_all(variables: tuple[Var, ...], env: dict[Var, Atom]) -> tuple[Var, ...]:
    return tuple(new for var in variables if isinstance(new := env.get(var, var), Var))
