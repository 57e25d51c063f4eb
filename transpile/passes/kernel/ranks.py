"""Numbers of axes, where those of the parameters are known.

In: a formula, and how many axes its tensor parameters have. Out: the formula
with `ndim` replaced by numbers, so that what it chooses by them is decided.

>>> ranks_of((Eqn((Var("s"),), "sum", (Var("x"),), (("axis", Literal(0)),)),), {Var("x"): 3})[Var("s")]
2
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...operators import OPERATORS
from ...rewrite import replace_block

_LIKE_FIRST = """
    like shape swapaxes transpose flip moveaxis zeros_like ones_like full_like softmax log_softmax
    concatenate cumprod tril triu inv cholesky pinv
"""
_SAME = frozenset(_LIKE_FIRST.split())
_REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod", "logsumexp", "var", "std", "norm"})
# Operators whose derivative asks for the number of axes.
_ASKING = "ndim matmul transpose moveaxis dot inner tensordot norm vstack hstack solve"
ASKING = frozenset(_ASKING.split())


def asks(formula: Formula) -> bool:
    """True where the formula, or the derivative of something in it, chooses by numbers of axes."""
    blocks = [block for block in (formula.forward, formula.pullback) if block is not None]
    return any(_asks(block) for block in blocks)


def _asks(block: Block) -> bool:
    return any(eqn.op in ASKING or any(map(_asks, eqn.blocks)) for eqn in block.eqns)


def with_ranks(formula: Formula, known: Mapping[Var, int]) -> Formula:
    """The formula with numbers of axes in the place of `ndim`, as far as they follow from `known`."""
    ranks = ranks_of(formula.forward.eqns, known)
    forward = _decided(formula.forward, ranks)
    if formula.pullback is None:
        return formula.evolve(forward=forward)
    for cotangent, output in zip(formula.cotangents, formula.forward.results, strict=False):
        if isinstance(output, Var) and output in ranks:
            ranks[cotangent] = ranks[output]
    # What the closure captures of the forward's numbers of axes; after promotion it is saved.
    captured = {var: atom for var, atom in _asked(formula.forward, ranks).items() if var not in formula.plain}
    pullback = replace_block(formula.pullback, dict(captured))
    pullback = _decided(pullback, ranks_of(pullback.eqns, ranks))
    return formula.evolve(forward=forward, pullback=pullback)


def with_known_ranks(block: Block, known: Mapping[Var, int]) -> Block:
    """The block with numbers of axes in the place of `ndim`, as far as they follow from `known`."""
    return _decided(block, ranks_of(block.eqns, known))


def ranks_of(eqns: Iterable[Eqn], known: Mapping[Var, int]) -> dict[Var, int]:
    """Numbers of axes of arrays, of saved shapes, and of what a `like` is like."""
    ranks = dict(known)
    _find(eqns, ranks, {})
    return ranks


def _find(eqns: Iterable[Eqn], ranks: dict[Var, int], made: dict[Var, Eqn]) -> None:
    """Add the ranks of what equations make. `made` has the equations of the values met so far."""
    for eqn in eqns:
        for block in eqn.blocks:
            _find(block.eqns, ranks, made)
        if len(eqn.outs) == 1 and not eqn.blocks:
            made[eqn.outs[0]] = eqn
            found = _indexed(eqn, ranks, made) if eqn.op == "getitem" else _rank(eqn, ranks)
            if found is not None:
                ranks[eqn.outs[0]] = found


def _decided(block: Block, ranks: Mapping[Var, int]) -> Block:
    """The block with literals for `ndim`; conditions on them are folded later."""
    asked = _asked(block, ranks)
    if not asked:
        return block
    kept = _without(block, asked)
    replaced = replace_block(Block((), kept.eqns, kept.results), dict(asked))
    return Block(block.params, replaced.eqns, replaced.results)


def _asked(block: Block, ranks: Mapping[Var, int]) -> dict[Var, Literal]:
    """Numbers of axes that a block asks for, where they are known."""
    return {
        eqn.outs[0]: Literal(ranks[eqn.args[0]])
        for eqn in _all(block)
        if eqn.op == "ndim" and isinstance(eqn.args[0], Var) and eqn.args[0] in ranks
    }


def _all(block: Block) -> Iterable[Eqn]:
    for eqn in block.eqns:
        yield eqn
        for inner in eqn.blocks:
            yield from _all(inner)


def _without(block: Block, dropped: Mapping[Var, object]) -> Block:
    eqns = []
    for eqn in block.eqns:
        if eqn.outs and eqn.outs[0] in dropped:
            continue
        blocks = tuple(_without(inner, dropped) for inner in eqn.blocks)
        eqns.append(Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, blocks, eqn.span))
    return Block(block.params, tuple(eqns), block.results)


def _rank(eqn: Eqn, ranks: Mapping[Var, int]) -> int | None:
    info = OPERATORS.get(eqn.op)
    operands = [_of(atom, ranks) for atom in eqn.args]
    first = operands[0] if operands else None
    if eqn.op in ("tuple", "list"):
        return len(eqn.args) if eqn.op == "tuple" else first
    if eqn.op in ("sum_to", "broadcast_like", "expect_like", "join_like"):
        like = eqn.kwarg("like")
        shape = getattr(like.value, "shape", None) if isinstance(like, Literal) else None
        return _of(like, ranks) if shape is None else len(shape)
    if eqn.op in ("reshape", "broadcast_to", "unslice"):
        return _length(eqn.kwarg("shape"), ranks)
    if first is None or any(rank is None for rank in operands):
        return None
    if eqn.op in _SAME:
        return first
    if eqn.op in _REDUCTIONS:
        return _reduced(eqn, first)
    if eqn.op in ("expand_dims", "squeeze"):
        count = _count(eqn.kwarg("axis"))
        return None if count is None else first + (count if eqn.op == "expand_dims" else -count)
    if eqn.op == "stack":
        return first + 1
    if eqn.op in ("vstack", "hstack"):
        return max(first, 2 if eqn.op == "vstack" else 1)
    if eqn.op == "contract":
        return _contracted(eqn)
    if eqn.op == "matmul":
        return _product(first, operands[1] or 0)
    if eqn.op == "det":
        return first - 2
    if eqn.op == "solve":
        second = operands[1] or 0
        return first - 1 if second == 1 else max(first, second)
    if info is not None and info.pointwise:
        return max(rank for rank in operands if rank is not None)
    return None


# What a number is made by, where it stands in an index.
_NUMBERS = frozenset({"item", "len", "ndim", "size", "add", "subtract", "multiply", "floor_divide", "int"})


def _indexed(eqn: Eqn, ranks: Mapping[Var, int], made: Mapping[Var, Eqn]) -> int | None:
    """The rank of a part of an array, by a basic index."""
    rank, index = _of(eqn.args[0], ranks), eqn.kwarg("index")
    if isinstance(index, Literal):
        values = index.value if isinstance(index.value, tuple) else (index.value,)
        items: Iterable[Atom] = map(Literal, values)
    elif isinstance(index, Var) and index in made and made[index].op == "tuple":
        items = made[index].args
    else:
        items = () if index is None else (index,)
    for item in items:
        change = _change(item, made)
        if rank is None or change is None:
            return None
        rank += change
    return rank


def _change(item: Atom, made: Mapping[Var, Eqn]) -> int | None:
    """The number of axes that an item of an index adds."""
    if isinstance(item, Literal):
        whole = isinstance(item.value, int) and not isinstance(item.value, bool)
        free = item.value is Ellipsis or isinstance(item.value, slice)
        return -1 if whole else 1 if item.value is None else 0 if free else None
    op = made[item].op if item in made else ""
    return 0 if op == "slice" else -1 if op in _NUMBERS and item.kind == "value" else None


def _of(atom: Atom | None, ranks: Mapping[Var, int]) -> int | None:
    if isinstance(atom, Literal):
        return 0
    if isinstance(atom, Var):
        return ranks.get(atom, 0 if atom.kind in ("value", "none") else None)
    return None


def _length(atom: Atom | None, ranks: Mapping[Var, int]) -> int | None:
    if isinstance(atom, Literal):
        return len(atom.value) if isinstance(atom.value, tuple) else 1
    return ranks.get(atom) if isinstance(atom, Var) else None


def _count(axis: Atom | None) -> int | None:
    if not isinstance(axis, Literal) or axis.value is None:
        return None
    return len(axis.value) if isinstance(axis.value, tuple) else 1


def _reduced(eqn: Eqn, rank: int) -> int | None:
    keepdims, axis = eqn.kwarg("keepdims"), eqn.kwarg("axis")
    if isinstance(keepdims, Literal) and keepdims.value:
        return rank
    if axis is None or (isinstance(axis, Literal) and axis.value is None):
        return 0
    count = _count(axis)
    return None if count is None else rank - count


def _contracted(eqn: Eqn) -> int | None:
    subscripts = eqn.kwarg("subscripts")
    text = subscripts.value if isinstance(subscripts, Literal) else None
    if not isinstance(text, str) or "..." in text or "->" not in text:
        return None
    return len(text.replace(" ", "").partition("->")[2])


def _product(left: int, right: int) -> int:
    if left == 1 or right == 1:
        return 0 if left == right else max(left, right) - 1
    return max(left, right)
