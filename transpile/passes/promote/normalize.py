"""The closure in the form that promotion expects.

In: a formula as it was read. Out: the same formula, where

- a list that a loop collected is one tensor;
- a shape, dtype or other metadata of a forward value is a value that the
  forward computes, so that the closure does not capture the tensor for it;
- every returned gradient is reduced to its input: ``sum_to(gradient, like(input))``.

>>> from ...library import formula_in
>>> from ...printer import formula_text
>>> print(formula_text(normalize(formula_in('''
... def scale(x, y):
...     return x * y, lambda grad: (grad * y, grad * x)
... '''))))
formula scale(x: Tensor, y: Tensor)
  forward:
    like_x = like(x)
    like_y = like(y)
    _1 = multiply(x, y)
    return result _1
  pullback(grad):
    _2 = multiply(grad, y)
    _3 = multiply(grad, x)
    grad_x = sum_to(_2, like=like_x)
    grad_y = sum_to(_3, like=like_y)
    return grad_x, grad_y
"""

from __future__ import annotations

from ...analysis.types import param_types, types_of
from ...ir import Atom, Block, Eqn, Formula, Var
from ...ir.type_joins import is_uniform
from ...rewrite import METADATA, Namer, flattened, label, replace_atom, replace_block
from ..simplify.simplify import simplify_forward
from .missing_gradients import on_every_side


def normalize(formula: Formula) -> Formula:
    """The formula, normalized; one without a closure is returned as it is."""
    if formula.pullback is None:
        return formula
    namer = Namer.of(formula)
    formula = stack_lists(formula, namer)
    assert formula.pullback is not None
    pullback, hoisted = hoist_metadata(formula.pullback, formula.forward, namer)
    forward = formula.forward
    forward = Block(forward.params, (*forward.eqns, *hoisted), forward.results)
    likes, pullback = reduce_to_inputs(formula, pullback, namer)
    forward = Block(forward.params, (*likes, *forward.eqns), forward.results)
    return simplify_forward(formula.evolve(forward=forward, pullback=pullback))


def stack_lists(formula: Formula, namer: Namer) -> Formula:
    """The formula whose pullback reads a list that a loop collected as one tensor.

    A tensor can be a hidden output; a list, whose length is not known, can't. The tensor is a stack
    where only elements of one shape are read. A list that is written out is written again in the
    pullback, which then reads its elements.
    """
    assert formula.pullback is not None
    params = {param.var for param in formula.params}
    lists = [v for v in formula.pullback.free() if v.kind == "list" and v not in params]
    written = {eqn.outs[0]: eqn for eqn in formula.forward.eqns if eqn.op == "list"}
    known = types_of(formula.forward.eqns, param_types(formula)) if lists else {}
    collects: list[Eqn] = []
    opening: list[Eqn] = []
    body = formula.pullback
    for var in lists:
        if var in written:
            again = namer.like(var)
            opening.append(Eqn((again,), "list", written[var].args, (), (), written[var].span))
            body = replace_block(body, {var: again})
            continue
        if is_uniform(known.get(var)):
            before = [e for e in formula.forward.eqns if e.op == "collect" and e.args == (var,)]
            every = before[0].outs[0] if before else namer.fresh(f"every_{label(var)}")
            elements = Block(body.params, _elements_of(body.eqns, var, every), body.results)
            if var not in elements.free():
                body = elements
                collects += [] if before else [Eqn((every,), "collect", (var,))]
                continue
        values = namer.like(var)
        saved, read = flattened(var, values, namer, formula.forward.eqns)
        collects += saved
        opening.append(read)
        body = replace_block(body, {var: values})
    forward = formula.forward
    return formula.evolve(
        forward=Block(forward.params, (*forward.eqns, *collects), forward.results),
        pullback=Block(body.params, (*opening, *body.eqns), body.results),
    )


def _elements_of(eqns: tuple[Eqn, ...], var: Var, every: Var) -> tuple[Eqn, ...]:
    """Equations that read elements of the stacked tensor instead of the list."""
    changed = []
    for eqn in eqns:
        if eqn.op == "item" and eqn.args[0] == var:
            eqn = Eqn(eqn.outs, "getitem", (every,), (("index", eqn.args[1]),), (), eqn.span)
        blocks = tuple(Block(b.params, _elements_of(b.eqns, var, every), b.results) for b in eqn.blocks)
        changed.append(Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, blocks, eqn.span))
    return tuple(changed)


def hoist_metadata(pullback: Block, forward: Block, namer: Namer) -> tuple[Block, list[Eqn]]:
    """Move metadata reads of forward values out of the pullback, and what follows from them alone.

    A tuple or an element of a shape moves too, as it is computed from values only.
    """
    outer = {var for eqn in forward.eqns for var in eqn.outs} | set(forward.params)
    kept, hoisted = [], []
    for eqn in pullback.eqns:
        reads = list(eqn.reads())
        from_outside = (
            all(var in outer for var in reads) and not eqn.blocks and eqn.op not in ("opaque", "raise")
        )
        if from_outside and reads and (eqn.op in METADATA or _of_values(eqn)):
            hoisted.append(eqn)
            outer.update(eqn.outs)
        else:
            kept.append(eqn)
    # A value that the pullback itself used under a temporary name needs a name to be saved by.
    env: dict[Var, Atom] = {}
    named = []
    for eqn in hoisted:
        outs = tuple(namer.fresh(_metadata_name(eqn), var.kind) if var.temp else var for var in eqn.outs)
        env.update({old: new for old, new in zip(eqn.outs, outs, strict=True) if old != new})
        args = tuple(replace_atom(atom, env) for atom in eqn.args)
        kwargs = tuple((key, replace_atom(value, env)) for key, value in eqn.kwargs)
        named.append(Eqn(outs, eqn.op, args, kwargs, (), eqn.span))
    return replace_block(Block(pullback.params, tuple(kept), pullback.results), env), named


def _of_values(eqn: Eqn) -> bool:
    return all(var.kind == "value" for var in (*eqn.reads(), *eqn.outs))


def _metadata_name(eqn: Eqn) -> str:
    operand = eqn.args[0] if eqn.args else None
    stem = label(operand) if isinstance(operand, Var) else "value"
    return f"{stem}_{eqn.op}" if eqn.op in METADATA else f"{stem}_{eqn.op.replace('.', '_')}"


def reduce_to_inputs(formula: Formula, pullback: Block, namer: Namer) -> tuple[list[Eqn], Block]:
    """Equations for the inputs' likes (forward), and the pullback whose gradients are reduced to them."""
    likes, reductions, reduced = [], list[Eqn](), []
    eqns = pullback.eqns
    for param, gradient in zip(formula.inputs, pullback.results, strict=True):
        if not isinstance(gradient, Var) or param.var.kind == "list":
            reduced.append(gradient)
            continue
        like = namer.fresh(f"like_{param.var.name}", "value")
        out = namer.fresh(f"grad_{param.var.name}")
        likes.append(Eqn((like,), "like", (param.var,)))
        eqns, whole = on_every_side(eqns, gradient, like, namer)
        reductions.append(Eqn((out,), "sum_to", (whole,), (("like", like),)))
        reduced.append(out)
    return likes, Block(pullback.params, (*eqns, *reductions), tuple(reduced))
