"""Gradients of entries that a loop reads, added in place to the sum of all iterations.

In: a backward as a formula, with the types of what it reads. Out: the same, where the sum over a loop's
iterations starts from zeros of its shape instead of a number, and what is added to a part of an array
is added to that part. So an iteration costs what it reads, and not an array of zeros.

>>> from ...ir import Formula, Literal, Param
>>> from ...ir.types import ScalarType, TensorType
>>> from ...printer import block_text
>>> total, given, n, iteration, zeros, added = (Var(name) for name in "total given n k zeros added".split())
>>> inner = (
...     Eqn((zeros,), "unslice", (given,), (("index", iteration), ("shape", Literal((9,))))),
...     Eqn((added,), "accumulate", (total, zeros)),
... )
>>> types = {total: TensorType((9,), "float64"), given: TensorType((), "float64")}
>>> types[iteration] = ScalarType("int")
>>> print(block_text(block_with_sums_in_place(Block((total, given, iteration), inner, (added,)), types)))
part = getitem(total, index=k)
part_1 = accumulate(part, given)
added = index_put(total, part_1, index=k)
return added
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...analysis.types import param_types, types_of
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...ir.types import ScalarType, ShapeType, TensorType, TupleType, Type
from ...rewrite import Namer, all_names, uses


def with_sums_in_place(formula: Formula) -> Formula:
    """The formula whose loops add to parts of sums."""
    if all(eqn.op != "for" for eqn in formula.forward.every()) or not formula.types:
        return formula
    return formula.evolve(forward=block_with_sums_in_place(formula.forward, param_types(formula)))


def block_with_sums_in_place(block: Block, known: Mapping[Var, Type]) -> Block:
    """The block whose loops add to parts of sums, where it reads values of these types."""
    namer = Namer(all_names(block))
    filled = _filled(block, namer, {*block.params, *block.free()})
    return _added_in_place(filled, types_of(filled.eqns, known), namer)


def _filled(block: Block, namer: Namer, known: set[Var]) -> Block:
    """The block whose loops start from zeros, where what they leave is broadcast to a shape afterwards."""
    count = uses(block)
    wanted = {
        eqn.args[0]: eqn
        for eqn in block.eqns
        if eqn.op == "broadcast_like" and isinstance(eqn.args[0], Var) and count[eqn.args[0]] == 1
    }
    there = set(known)
    eqns: list[Eqn] = []
    for eqn in block.eqns:
        if eqn.blocks:
            blocks = tuple(_filled(each, namer, there | set(each.params)) for each in eqn.blocks)
            eqn = replace(eqn, blocks=blocks)
        if eqn.op == "for":
            args = list(eqn.args)
            for k, out in enumerate(eqn.outs[: len(args) - 1], 1):
                like = wanted[out].kwarg("like") if out in wanted else None
                if args[k] != Literal(0.0) or like not in there:
                    continue
                zeros = namer.fresh(f"{out.name}_zeros")
                eqns.append(replace(wanted[out], outs=(zeros,), args=(args[k],)))
                args[k] = zeros
            eqn = replace(eqn, args=tuple(args))
        eqns.append(eqn)
        there |= set(eqn.outs)
    return Block(block.params, tuple(eqns), block.results)


def _added_in_place(block: Block, types: Mapping[Var, Type], namer: Namer) -> Block:
    """The block in which what is added to a part of an array is added to that part."""
    count = uses(block)
    parts = {
        eqn.outs[0]: eqn for eqn in block.eqns if eqn.op == "unslice" and _is_basic(eqn.kwarg("index"), types)
    }
    parts = {var: eqn for var, eqn in parts.items() if count[var] == 1}
    added: dict[Var, Var] = {}
    eqns: list[Eqn] = []
    for eqn in block.eqns:
        blocks = tuple(_added_in_place(inner, types, namer) for inner in eqn.blocks)
        eqns += _added(replace(eqn, blocks=blocks), parts, types, namer, added)
    kept = tuple(eqn for eqn in eqns if not (eqn.outs and eqn.outs[0] in added))
    return Block(block.params, kept, block.results)


def _added(
    eqn: Eqn, parts: Mapping[Var, Eqn], types: Mapping[Var, Type], namer: Namer, added: dict[Var, Var]
) -> Sequence[Eqn]:
    if eqn.op != "accumulate":
        return [eqn]
    for whole, atom in (eqn.args, eqn.args[::-1]):
        part = parts.get(atom) if isinstance(atom, Var) else None
        if part is None or not isinstance(whole, Var) or not _are_alike(types, whole, part.outs[0]):
            continue
        assert isinstance(atom, Var)
        added[atom] = whole
        index = part.kwarg("index")
        assert index is not None
        kwargs: tuple[tuple[str, Atom], ...] = (("index", index),)
        old, new = namer.fresh("part"), namer.fresh("part")
        return [
            Eqn((old,), "getitem", (whole,), kwargs, span=part.span),
            Eqn((new,), "accumulate", (old, *part.args), span=part.span),
            Eqn(eqn.outs, "index_put", (whole, new), kwargs, span=eqn.span),
        ]
    return [eqn]


def _are_alike(types: Mapping[Var, Type], whole: Var, part: Var) -> bool:
    """True for arrays of one shape, whose axes are known."""
    first, second = types.get(whole), types.get(part)
    if not isinstance(first, TensorType) or not isinstance(second, TensorType):
        return False
    return isinstance(first.shape, tuple) and bool(first.shape) and first.shape == second.shape


def _is_basic(index: Atom | None, types: Mapping[Var, Type]) -> bool:
    """True for an index of numbers and slices: no place is named twice."""
    if isinstance(index, Literal):
        return True
    found = types.get(index) if index is not None else None
    items = found.items if isinstance(found, TupleType) else (found,)
    return isinstance(found, ShapeType) or all(
        isinstance(item, ScalarType) and item.kind in ("int", "slice", "every", "none", "ellipsis")
        for item in items
    )
