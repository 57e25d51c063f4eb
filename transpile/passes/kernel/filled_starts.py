"""Filled starts: a number that the first iteration makes an array of is an array from the start.

In: a formula before it is differentiated, whose numbers of iterations are known. Out: the formula in which
``total = 0.0; for ...: total = total + x`` starts from zeros like what the first iteration makes, so that
``total`` has one shape in every iteration, and no iteration has to save it. So it is where an iteration
computes entry by entry with the number, until it has the shape that the number becomes. In a kernel nothing
but that shape is left of the copied iteration.

>>> from ...library import formula_in
>>> from ...printer import block_text
>>> from ...rewrite import replace_block
>>> sums = formula_in('''
... def sums(x, *, n: int):
...     total = 0.0
...     for k in range(n):
...         total = total + k * x
...     return total
... ''')
>>> n = sums.params[1].var
>>> known = sums.evolve(forward=replace_block(sums.forward, {n: Literal(9)}))
>>> print(block_text(with_filled_starts(known).forward))
_1 = range(9)
_3_1 = multiply(0, x)
total_3 = add(0.0, _3_1)
total_4 = full_like(total_3, fill_value=0.0)
total_2 = for(9, total_4)
  each k, total:
    _3 = multiply(k, x)
    total_1 = add(total, _3)
    return total_1
return total_2
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...analysis.types import Types, add_types, of_iteration, param_types, types_of
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...ir.types import Shape, TensorType, Type
from ...operators import OPERATORS
from ...rewrite import Namer, all_names, copy_eqns, slice_of


def with_filled_starts(formula: Formula) -> Formula:
    """The formula whose loops start from arrays where their first iterations make such of numbers."""
    if formula.promoted or all(eqn.op != "for" for eqn in formula.forward.every()):
        return formula
    filler = _Filler(Namer(all_names(formula.forward)))
    return formula.evolve(forward=filler.block(formula.forward, param_types(formula)))


@dataclass
class _Filler:
    """Walks blocks in order, outer loops before inner ones."""

    namer: Namer

    def block(self, block: Block, types: Types) -> Block:
        """The block with filled starts, of parameters and outer values of these types."""
        eqns: list[Eqn] = []
        types = dict(types)
        for eqn in block.eqns:
            if eqn.op == "for":
                made, eqn = self._filled(eqn, types)
                eqns += made
            if eqn.op in ("for", "if"):
                inside = types | of_iteration(eqn, types) if eqn.op == "for" else types
                blocks = tuple(self.block(inner, inside) for inner in eqn.blocks)
                if any(inner is not other for inner, other in zip(blocks, eqn.blocks, strict=True)):
                    eqn = replace(eqn, blocks=blocks)
            eqns.append(eqn)
            add_types(eqn, types)
        same = len(eqns) == len(block.eqns) and all(a is b for a, b in zip(eqns, block.eqns, strict=True))
        return block if same else replace(block, eqns=tuple(eqns))

    def _filled(self, eqn: Eqn, types: Types) -> tuple[list[Eqn], Eqn]:
        """The loop whose numbers start as arrays, and the equations before it that make these."""
        made: list[Eqn] = []
        (body,), (over, *start) = eqn.blocks, eqn.args
        if not isinstance(over, Literal) or type(over.value) is not int or over.value < 1:
            return made, eqn
        first = Literal(over.value - 1 if eqn.kwarg("reverse") is not None else 0)
        given: dict[Var, Atom] = dict(zip(body.params, (first, *start), strict=True))
        left = [
            k for k, param in enumerate(body.params[1:]) if param.kind == "tensor" and _is_number(start[k])
        ]
        before: list[int] = []
        while left != before:  # an array may become one by another
            before = left
            for place in before:
                settled = of_iteration(eqn, types)
                result = body.results[place]
                if not isinstance(result, Var) or not _becomes_one(body, place, types | settled):
                    continue
                env = dict(given)
                more = copy_eqns(slice_of(body.eqns, [result]), env, self.namer)
                full = self.namer.fresh("total")
                fill = (("fill_value", start[place]),)
                more.append(Eqn((full,), "full_like", (env[result],), fill, span=eqn.span))
                args = [*eqn.args]
                args[place + 1] = full
                filled, there = replace(eqn, args=tuple(args)), types_of(more, types)
                own, settled_own = there[full], of_iteration(filled, there)[body.params[place + 1]]
                if _shape(own) is not None and _shape(own) == _shape(settled_own):
                    made, eqn = [*made, *more], filled
                    types |= there
                    left = [other for other in left if other != place]
        return made, eqn


def _is_number(atom: Atom) -> bool:
    return isinstance(atom, Literal) and type(atom.value) in (int, float)


def _shape(found: Type) -> Shape | None:
    return found.shape if isinstance(found, TensorType) else None


def _becomes_one(body: Block, place: int, types: Types) -> bool:
    """True where an iteration computes entry by entry with a number, and leaves an array in its place.

    Nothing else that it leaves may have the number's shape, which an array in its place has not.
    """
    param, left = body.params[place + 1], body.results[place]
    inner = types_of(body.eqns, types | {param: TensorType((), f"{param.name}.dtype")})
    found = inner.get(left) if isinstance(left, Var) else None
    if not isinstance(left, Var) or not isinstance(found, TensorType) or found.optional or found.shape == ():
        return False
    made = slice_of(body.eqns, [left])
    if not made or any(eqn.blocks or eqn.op in ("opaque", "unpacked") for eqn in made):
        return False
    small = {param}
    for eqn in body.eqns:
        if not small.intersection(eqn.reads()) and not any(small & {*block.free()} for block in eqn.blocks):
            continue
        info = OPERATORS.get(eqn.op)
        entries = eqn.op == "in_place" or (info is not None and info.pointwise)
        if eqn.kwargs or eqn.blocks or not entries:
            return False
        out = inner.get(eqn.outs[0])
        if not isinstance(out, TensorType) or out.shape != found.shape:
            small.add(eqn.outs[0])
    return not small.intersection(body.results)
