"""Smaller equations with the same meaning.

In: a block, and what is known of its free variables. Out: a block without
dead equations, repeated ones, conditionals on constants, elements of lists
that were just built, and reductions to a shape and dtype that are there already.

>>> from ..library import formula_in
>>> from ..printer import formula_text
>>> from .normalize import normalize
>>> made = normalize(formula_in('''
... def half(x, y):
...     def half_pullback(grad):
...         return grad * (x + y) * (2 - 1), (x + y) * grad
...     return 0.5 * (x + y) ** 2, half_pullback
... '''))
>>> print(formula_text(made.evolve(pullback=simplify(made.pullback))))
formula half(x: Tensor, y: Tensor)
  forward:
    like_x = like(x)
    like_y = like(y)
    _1 = add(x, y)
    _2 = power(_1, 2)
    _3 = multiply(0.5, _2)
    return result _3
  pullback(grad):
    _4 = add(x, y)
    _5 = multiply(grad, _4)
    _8 = multiply(_4, grad)
    grad_x = sum_to(_5, like=like_x)
    grad_y = sum_to(_8, like=like_y)
    return grad_x, grad_y
"""

from __future__ import annotations

from collections.abc import Mapping

from ..analysis.effects import raises
from ..analysis.extents import extent_of, extents, of_turn, own_extent
from ..ir import Atom, Block, Eqn, Extent, Formula, Literal, Var
from ..vocabulary import WORDS
from .fold import fold
from .rewrite import replace_atom, replace_block, replace_eqn

_PURE = frozenset({"shape", "ndim", "size", "dtype", "like", "item", "tuple", "slice", "is_none", "not_"})


def simplify(block: Block, known: Mapping[Var, Extent] | None = None) -> Block:
    """The block, simplified. `known` gives extents of its parameters and free variables."""
    env: dict[Var, Atom] = {}
    own = {var: own_extent(var.name) for var in block.params if var.kind == "tensor"}
    eqns = _forward(block.eqns, env, {}, own | dict(known or {}), {}, set())
    results = tuple(replace_atom(atom, env) for atom in block.results)
    return Block(block.params, tuple(remove_dead(eqns, results)), results)


def simplify_forward(formula: Formula) -> Formula:
    """The formula whose forward is simplified, keeping what the pullback captures."""
    assert formula.pullback is not None
    captured = tuple(var for var in formula.pullback.free() if var not in formula.forward.params)
    results = formula.forward.results
    wanted = Block(formula.forward.params, formula.forward.eqns, (*results, *captured))
    block = simplify(wanted, dict(formula.extents))
    renamed = dict(zip(captured, block.results[len(results) :], strict=True))
    forward = Block(block.params, block.eqns, block.results[: len(results)])
    pullback = replace_block(formula.pullback, {old: new for old, new in renamed.items() if old != new})
    return formula.evolve(forward=forward, pullback=pullback)


def remove_dead(eqns: list[Eqn], results: tuple[Atom, ...]) -> list[Eqn]:
    """The equations that the results need, and what raises; unread outputs of conditionals go too."""
    live = {atom for atom in results if isinstance(atom, Var)}
    kept = []
    for eqn in reversed(eqns):
        if not live.intersection(eqn.outs) and not raises(eqn):
            continue
        if eqn.op == "if":
            index = [i for i, var in enumerate(eqn.outs) if var in live]
            blocks = []
            for block in eqn.blocks:
                chosen = tuple(block.results[i] for i in index)
                blocks.append(Block((), tuple(remove_dead(list(block.eqns), chosen)), chosen))
            eqn = Eqn(tuple(eqn.outs[i] for i in index), "if", eqn.args, eqn.kwargs, tuple(blocks), eqn.span)
        if eqn.op == "for":
            eqn = _needed_of_loop(eqn, live)
        live.update(eqn.reads())
        live.update(var for block in eqn.blocks for var in block.free())
        kept.append(eqn)
    return kept[::-1]


def _needed_of_loop(eqn: Eqn, live: set[Var]) -> Eqn:
    """A loop that collects only the lists that are read."""
    (body,) = eqn.blocks
    carried = len(body.params) - 1
    index = [i for i, var in enumerate(eqn.outs) if i < carried or var in live]
    results = tuple(body.results[i] for i in index)
    body = Block(body.params, tuple(remove_dead(list(body.eqns), results)), results)
    return Eqn(tuple(eqn.outs[i] for i in index), "for", eqn.args, eqn.kwargs, (body,), eqn.span)


def _forward(
    eqns: tuple[Eqn, ...],
    env: dict[Var, Atom],
    seen: dict[tuple[object, ...], tuple[Var, ...]],
    known: dict[Var, Extent],
    lists: dict[Var, tuple[Atom, ...]],
    false: set[Var],
) -> list[Eqn]:
    kept: list[Eqn] = []
    for eqn in eqns:
        eqn = replace_eqn(eqn, env)
        if eqn.op == "if":
            condition = eqn.args[0]
            if isinstance(condition, Literal):
                block = eqn.blocks[0 if condition.value else 1]
                kept += _forward(block.eqns, env, seen, known, lists, false)
                for out, atom in zip(eqn.outs, block.results, strict=True):
                    env[out] = replace_atom(atom, env)
                continue
            blocks = []
            for block in eqn.blocks:
                inner_env = dict(env)
                inner = _forward(block.eqns, inner_env, dict(seen), dict(known), dict(lists), set(false))
                blocks.append(
                    Block((), tuple(inner), tuple(replace_atom(a, inner_env) for a in block.results))
                )
            kept.append(Eqn(eqn.outs, "if", eqn.args, eqn.kwargs, tuple(blocks), eqn.span))
            known.update(extents([kept[-1]], known))
            continue
        if eqn.op == "for":
            kept.append(_loop(eqn, env, seen, known, lists, false))
            known.update(extents([kept[-1]], known))
            continue
        if not eqn.outs:
            kept.append(eqn)
            continue
        shortcut = _shortcut(eqn, known, lists) or fold(eqn, known, false)
        if shortcut is not None:
            env[eqn.outs[0]] = shortcut
            continue
        key: tuple[object, ...] = (
            eqn.op,
            *map(_identity, eqn.args),
            *((name, _identity(atom)) for name, atom in eqn.kwargs),
        )
        if eqn.op == "like" and (of := _of_present(eqn.args[0], known)) is not None:
            key = ("like", of)
        if eqn.op in WORDS or eqn.op in _PURE:
            if key in seen and len(seen[key]) == len(eqn.outs):
                env.update(zip(eqn.outs, seen[key], strict=True))
                continue
            seen[key] = eqn.outs
        if eqn.op in ("list", "tuple"):
            lists[eqn.outs[0]] = eqn.args
        known.update(extents([eqn], known))
        kept.append(eqn)
    return kept


def _of_present(atom: Atom, known: Mapping[Var, Extent]) -> Extent | None:
    """The extent of a tensor that is there, whichever branch was taken."""
    extent = known.get(atom) if isinstance(atom, Var) and atom.kind == "tensor" else None
    return None if extent is None or extent.optional else extent


def _loop(
    eqn: Eqn,
    env: dict[Var, Atom],
    seen: dict[tuple[object, ...], tuple[Var, ...]],
    known: dict[Var, Extent],
    lists: dict[Var, tuple[Atom, ...]],
    false: set[Var],
) -> Eqn:
    """A loop with a simplified body, which may use what was computed before it."""
    (body,) = eqn.blocks
    inner_env = dict(env)
    inside = known | of_turn(eqn, known)
    inner = _forward(body.eqns, inner_env, dict(seen), inside, dict(lists), set(false))
    body = Block(body.params, tuple(inner), tuple(replace_atom(atom, inner_env) for atom in body.results))
    return Eqn(eqn.outs, "for", eqn.args, eqn.kwargs, (body,), eqn.span)


def _identity(atom: Atom) -> object:
    """What tells two operands apart; ``1``, ``1.0`` and ``True`` are equal but not the same."""
    if isinstance(atom, Literal):
        return (type(atom.value).__name__, repr(atom.value), atom.strong)
    return atom


def _shortcut(eqn: Eqn, known: Mapping[Var, Extent], lists: Mapping[Var, tuple[Atom, ...]]) -> Atom | None:
    """What the equation's output equals without computing it, or None."""
    if eqn.op in ("sum_to", "broadcast_like"):
        like = eqn.kwarg("like")
        if isinstance(like, Var) and like in known and extent_of(eqn.args[0], known) == known[like]:
            return eqn.args[0] if isinstance(eqn.args[0], Var) else None
    if eqn.op == "item" and isinstance(eqn.args[0], Var) and isinstance(eqn.args[1], Literal):
        items = lists.get(eqn.args[0])
        index = eqn.args[1].value
        if items is not None and isinstance(index, int) and -len(items) <= index < len(items):
            return items[index]
    if eqn.op == "is_none" and isinstance(eqn.args[0], Literal):
        return Literal(eqn.args[0].value is None)
    if eqn.op == "not_" and isinstance(eqn.args[0], Literal):
        return Literal(not eqn.args[0].value)
    return None
