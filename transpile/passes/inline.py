"""Calls of formulas replaced by their forwards, down to operators that are primitive.

In: a block, a library, and the names of primitives (what an emitter has code
for). Out: a block that uses primitives only. Conditionals on literals are
decided on the way, so that a formula's choice by attribute disappears.

>>> from ..loops.lower.equations import PRIMITIVES
>>> from ..library import formula_in, standard_library
>>> from ..printer import formula_text
>>> from .promote.promote import promote
>>> library = standard_library()
>>> made = promote(formula_in('''
... def larger(x, y):
...     return np.fmax(x, y), lambda grad: (grad * (x >= y), grad * (x < y))
... '''), library)
>>> forward, pullback = (inline(block, library, PRIMITIVES) for block in (made.forward, made.pullback))
>>> print(formula_text(made.evolve(forward=forward, pullback=pullback)))
formula larger(x: Tensor, y: Tensor)
  forward:
    like_x = like(x)
    like_y = like(y)
    _1 = fmax(x, y)
    return result _1, plain like_x, plain like_y
  pullback(grad):
    _2 = greater_equal(x, y)
    _3 = multiply(grad, _2)
    _4 = less(x, y)
    _5 = multiply(grad, _4)
    grad_x = sum_to(_3, like=like_x)
    grad_y = sum_to(_5, like=like_y)
    return grad_x, grad_y
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from ..derivatives import Derivatives
from ..ir import Atom, Block, Eqn, Literal, Var
from ..rewrite import Namer, all_names, bind_operands, copy_eqns, placed, replace_atom, replace_block
from .simplify.simplify import simplify


def inline(block: Block, library: Derivatives, primitives: Container[str]) -> Block:
    """The block with every call of a formula that is no primitive inlined, to any depth."""
    namer = Namer(all_names(block))
    while True:
        block = simplify(block, floats=False)
        eqns, env, changed = _inline_once(block.eqns, library, primitives, namer)
        results = tuple(replace_atom(atom, env) for atom in block.results)
        block = Block(block.params, tuple(eqns), results)
        if not changed:
            return block


def _inline_block(
    block: Block, library: Derivatives, primitives: Container[str], namer: Namer
) -> tuple[Block, bool]:
    """A nested block, and whether something in it was inlined."""
    eqns, env, changed = _inline_once(block.eqns, library, primitives, namer)
    results = tuple(replace_atom(atom, env) for atom in block.results)
    return Block(block.params, tuple(eqns), results), changed


def _inline_once(
    eqns: Sequence[Eqn], library: Derivatives, primitives: Container[str], namer: Namer
) -> tuple[list[Eqn], dict[Var, Atom], bool]:
    kept: list[Eqn] = []
    env: dict[Var, Atom] = {}
    changed = False
    for original in eqns:
        eqn = replace_block(Block((), (original,), ()), env).eqns[0]
        if eqn.blocks:
            inner = [_inline_block(block, library, primitives, namer) for block in eqn.blocks]
            changed = changed or any(did for _, did in inner)
            kept.append(replace(eqn, blocks=tuple(block for block, _ in inner)))
            continue
        # Code for a primitive gives its result, not what its formula keeps beside.
        if (eqn.op in primitives and len(eqn.outs) == 1) or library.formula(eqn.op) is None:
            kept.append(eqn)
            continue
        formula = library.promoted(eqn.op, eqn)
        if any(inner.op == eqn.op for inner in formula.forward.eqns):
            kept.append(eqn)
            continue
        changed = True
        binding = bind_operands(formula, eqn)
        literals = {var: atom for var, atom in binding.items() if isinstance(atom, Literal)}
        body = replace_block(formula.forward, literals)
        copied = copy_eqns([placed(e, eqn) for e in body.eqns], binding, namer)
        kept += copied
        env.update(
            (out, replace_atom(atom, binding)) for out, atom in zip(eqn.outs, body.results, strict=False)
        )
    return kept, env, changed
