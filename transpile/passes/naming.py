"""Names that a person would have given, for the emitted code.

In: a promoted formula. Out: the same formula, where

- a temporary that crosses from the forward into the pullback is named after the
  operator that computes it: ``_4 = sum(...)`` becomes ``sum_1``;
- the gradient that the pullback returns for `x` is ``grad_x``, what is added up
  to it ``grad_x_1``, ``grad_x_2``; temporaries count up from ``_1``.

>>> from ..library import formula_in, standard_library
>>> from ..printer import formula_text
>>> from .promote import promote
>>> print(formula_text(promote(formula_in('''
... def spread(x):
...     return np.exp(np.sum(x * x))
... '''), standard_library())))
formula spread(x: Tensor)
  forward:
    like_x_2 = like(x)
    _1 = multiply(x, x)
    _2 = sum(_1)
    exp_1 = exp(_2)
    return result exp_1, plain like_x_2
  pullback(grad):
    _1 = multiply(grad, exp_1)
    _2 = broadcast_like(_1, like=like_x_2)
    _3 = multiply(_2, x)
    grad_x = accumulate(_3, _3)
    return grad_x
"""

from __future__ import annotations

import re

from ..ir import Atom, Block, Eqn, Formula, Var
from .rewrite import Namer, all_names, defining, rename


def name_saved(formula: Formula) -> Formula:
    """The formula whose saved temporaries have names."""
    assert formula.pullback is not None
    table, namer = defining(formula.forward.eqns), Namer.of(formula)
    env: dict[Var, Atom] = {}
    for var in formula.pullback.free():
        if var.temp and var in table:
            env[var] = namer.fresh(f"{_word(table[var])}_1", var.kind)
    cotangents = dict(zip(formula.hidden, formula.pullback.params[formula.results :], strict=True))
    for var, cotangent in cotangents.items():
        if var in env:
            env[cotangent] = namer.fresh(f"grad_{env[var]}")
    if not env:
        return formula
    return formula.evolve(
        forward=rename(formula.forward, env),
        pullback=rename(formula.pullback, env),
        hidden=tuple(env.get(var, var) for var in formula.hidden),
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
    _number(block, env, namer)
    return rename(block, env)


def _number(block: Block, env: dict[Var, Atom], namer: Namer) -> None:
    """Put a name for each variable that a block binds into `env`."""
    for eqn in block.eqns:
        for var in (*eqn.outs, *(param for inner in eqn.blocks for param in inner.params)):
            if var not in env:
                env[var] = namer.temp(var.kind) if var.temp else namer.fresh(_stem(var.name), var.kind)
        for inner in eqn.blocks:
            _number(inner, env, namer)


def _stem(name: str) -> str:
    return re.sub(r"(_\d+)+$", "", name) if name.startswith(("grad_", "like_")) else name


def _word(eqn: Eqn) -> str:
    return "value" if eqn.op == "if" else eqn.op.rpartition(".")[2]
