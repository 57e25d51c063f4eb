"""A derived closure in the form in which a person writes one.

In: a formula without a closure. Out: the same formula with one, not promoted:

- shapes and dtypes are read in the closure: ``primitives.sum_to(g, primitives.like(x))``;
- returned gradients are not summed to their inputs, which is done for every formula;
- values of a loop's iterations are elements of lists: ``ys[iteration]``;
- sums of gradients start from zeros of the input's shape;
- calls return their results only; an intermediate of another formula that the
  closure reads is computed beside the call.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> print(formula_text(as_written(formula_in('''
... def powers(x, *, n: int = 3):
...     y = x
...     for k in range(n):
...         y = y * x
...     return y
... '''), standard_library())))
formula powers(x: Tensor, *, n: int)
  forward:
    y_2, y_iterations = for(n, x)
      each k, y:
        y_1 = multiply(y, x)
        return y_1, y
    return result y_2
  pullback(grad):
    zeros = zeros_like(x)
    grad_y_3, grad_x_5 = for(n, grad, zeros, reverse=True)
      each iteration, grad_y, grad_x_1:
        y_3 = item(y_iterations, iteration)
        grad_y_2 = multiply(grad_y, x)
        grad_x_3 = multiply(grad_y, y_3)
        grad_x_4 = accumulate(grad_x_1, grad_x_3)
        return grad_y_2, grad_x_4
    grad_x = accumulate(grad_y_3, grad_x_5)
    return grad_x
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...analysis.types import known_types, type_of, types_of
from ...derivatives import Derivatives
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...ir.types import shape_of
from ...rewrite import (
    METADATA,
    Namer,
    all_names,
    bind_operands,
    copy_eqns,
    defining,
    expand,
    label,
    rename,
    replace_block,
    replace_eqn,
    slice_of,
    uses,
)
from ..differentiate.derive import derive
from ..label_temporaries import label_block
from ..simplify.known_sides import with_known_sides
from ..simplify.lengths_of_axes import with_lengths_of_axes
from ..simplify.simplify import remove_dead, simplify, simplify_forward
from .named_gradients import with_named_gradients
from .own_formulas import with_own_formulas_written


def as_written(formula: Formula, library: Derivatives) -> Formula:
    """The formula with a derived closure. FormulaError where an operator on the way has no derivative."""
    bare = formula.evolve(pullback=None, captures=(), rules=())
    eqns = remove_dead(list(bare.forward.eqns), bare.forward.results)
    bare = bare.evolve(forward=Block(bare.forward.params, tuple(eqns), bare.forward.results))
    derived = derive(bare, with_named_gradients(library))
    derived = with_own_formulas_written(derived, library)
    made = with_lengths_of_axes(_beside_calls(derived, library))
    names, namer = _names_of_sums(made), Namer.of(made)
    for step in (_with_elements, _with_less_collected, _with_zeros):
        made = step(_simplified(with_known_sides(made)), namer)
    made = _simplified(_without_last_sums(_simplified(made)))
    return _with_readable_names(_needed(_with_likes_inside(made, namer)), names)


def _simplified(formula: Formula) -> Formula:
    formula = simplify_forward(formula)
    assert formula.pullback is not None
    return _needed(formula.evolve(pullback=simplify(formula.pullback, known_types(formula))))


def _needed(formula: Formula) -> Formula:
    """The formula without what neither results nor the closure need."""
    assert formula.pullback is not None
    forward = formula.forward
    wanted = (*forward.results, *formula.pullback.free())
    eqns = tuple(remove_dead(list(forward.eqns), wanted))
    return formula.evolve(forward=Block(forward.params, eqns, forward.results))


def _names_of_sums(formula: Formula) -> dict[Var, str]:
    """Give a value the name of its sum to a shape, where it turns out to have the shape already."""
    assert formula.pullback is not None
    return {
        eqn.args[0]: eqn.outs[0].name
        for eqn in formula.pullback.every()
        if eqn.op == "sum_to" and isinstance(eqn.args[0], Var) and label(eqn.args[0]) != eqn.args[0].name
    }


def _with_readable_names(formula: Formula, names: dict[Var, str]) -> Formula:
    """Temporaries of the closure have names; what is read once is a temporary."""
    pullback = formula.pullback
    assert pullback is not None
    namer, counts = Namer.of(formula), uses(pullback)
    bound = [var for eqn in pullback.every() for var in eqn.outs]
    env: dict[Var, Atom] = {}
    alone = len(pullback.results) == 1
    for param, atom in zip(formula.inputs, pullback.results, strict=True):
        if isinstance(atom, Var) and atom in bound and atom not in env:
            env[atom] = namer.fresh(f"grad_{param.var.name}", atom.kind, alone and counts[atom] == 1)
    for var in bound:
        if var in env:
            continue
        if var in names:
            env[var] = namer.fresh(names[var], var.kind, counts[var] == 1)
        elif not var.temp and counts[var] == 1:
            env[var] = Var(var.name, var.kind, True)
    carried = {var for eqn in pullback.every() if eqn.op == "for" for var in eqn.outs}
    env.update((var, Var(new.name, new.kind)) for var in carried if isinstance(new := env.get(var), Var))
    renamed = rename(pullback, env)
    return formula.evolve(pullback=label_block(renamed, {*all_names(formula.forward), *all_names(renamed)}))


def _beside_calls(formula: Formula, library: Derivatives) -> Formula:
    """Intermediates of other formulas, which only promoted ones return, computed where they are called."""
    namer = Namer.of(formula)

    def spelled(eqn: Eqn) -> Sequence[Eqn]:
        callee = library.formula(eqn.op)
        if callee is None or len(eqn.outs) <= callee.results:
            return [eqn]
        promoted = library.promoted(eqn.op, eqn)
        env: dict[Var, Atom] = bind_operands(promoted, eqn)
        hidden = dict(zip(promoted.hidden, eqn.outs[callee.results :], strict=True))
        part = slice_of(promoted.forward.eqns, hidden, env)
        copied = copy_eqns(part, env, namer)
        again: dict[Var, Atom] = {v: out for var, out in hidden.items() if isinstance(v := env[var], Var)}
        beside = rename(Block((), tuple(copied), ()), again).eqns
        return [replace(eqn, outs=eqn.outs[: callee.results]), *beside]

    return formula.evolve(forward=expand(formula.forward, spelled))


def _with_elements(formula: Formula, namer: Namer) -> Formula:
    """Read what a loop collected from the list."""
    assert formula.pullback is not None
    ways = ("collect", "collect_flat")
    lists: dict[Atom, Atom] = {e.outs[0]: e.args[0] for e in formula.forward.every() if e.op in ways}
    made: dict[Var, Atom] = {}

    def read(eqn: Eqn) -> Sequence[Eqn]:
        index, collected = eqn.kwarg("index"), lists.get(eqn.args[0]) if eqn.args[:1] else None
        if eqn.op == "getitem" and collected is not None and index is not None:
            return [Eqn(eqn.outs, "item", (collected, index), (), (), eqn.span)]
        if eqn.op == "split_like" and collected is not None and eqn.kwarg("axis") == Literal(None):
            made[eqn.outs[0]] = collected
            return []
        return [eqn]

    return formula.evolve(pullback=replace_block(expand(formula.pullback, read), made))


def _with_less_collected(formula: Formula, namer: Namer) -> Formula:
    """Loops collect less: an iteration reads a list's element, and asks a collected value's shape, again."""
    assert formula.pullback is not None
    again: dict[Var, tuple[Eqn, ...]] = {}
    for loop in formula.forward.eqns:
        if loop.op == "for":
            again |= _made_again(loop)

    def read(eqn: Eqn) -> Sequence[Eqn]:
        source = eqn.args[0] if eqn.op == "item" else None
        if not isinstance(source, Var) or source not in again:
            return [eqn]
        *before, last = again[source]
        env: dict[Var, Atom] = {_ITERATION: eqn.args[1]}
        copied = copy_eqns(before, env, namer)
        return [*copied, replace(replace_eqn(last, env), outs=eqn.outs)]

    return formula.evolve(pullback=expand(formula.pullback, read))


# Stands for the number of the iteration.
_ITERATION = Var("<iteration>", "value")


def _made_again(loop: Eqn) -> dict[Var, tuple[Eqn, ...]]:
    """For lists that a loop collects: equations that make the element of an iteration, without the list."""
    (body,) = loop.blocks
    item, carried, table = body.params[0], len(body.params) - 1, defining(body.eqns)
    lists = dict(zip(body.results[carried:], loop.outs[carried:], strict=True))
    found: dict[Var, tuple[Eqn, ...]] = {}

    def element(var: Var) -> Eqn | None:
        """Reads the iteration's value of something else than a list of its own."""
        made = table.get(var)
        index = made.args[1] if made is not None and made.op == "item" else None
        outer = made.args[0] if made is not None and index == item and item.kind == "value" else None
        if made is not None and outer is not None and outer not in table and outer not in body.params:
            return Eqn((var,), "item", (outer, _ITERATION), (), (), made.span)
        return None

    for atom, out in lists.items():
        if not isinstance(atom, Var):
            continue
        made, own = table.get(atom), element(atom)
        if own is not None:
            found[out] = (own,)
        of = made.args[0] if made is not None and made.op in METADATA else None
        if made is not None and isinstance(of, Var):
            taken = element(of)
            if taken is None and of in lists:
                taken = Eqn((of,), "item", (lists[of], _ITERATION), (), (), made.span)
            if taken is not None:
                found[out] = (taken, made)
    return found


def _with_zeros(formula: Formula, namer: Namer) -> Formula:
    """Gradients that are nothing, or begin as nothing, are zeros like what they are gradients of."""
    assert formula.pullback is not None
    pullback, table = formula.pullback, defining(formula.forward.eqns)
    seen = {*formula.forward.params, *table}
    asked = _metadata(formula.forward)

    def liked(eqn: Eqn) -> Var | None:
        """The value whose shape ``broadcast_like(..., like=like_x)`` takes."""
        like = eqn.kwarg("like")
        made = asked.get(like) if isinstance(like, Var) else None
        of = made.args[0] if made is not None and made.op == "like" else None
        return of if isinstance(of, Var) and of in seen else None

    def filled(eqns: Sequence[Eqn]) -> tuple[Eqn, ...]:
        starts: dict[Var, Var] = {}
        for eqn in eqns:
            if eqn.op == "broadcast_like" and isinstance(eqn.args[0], Var) and (of := liked(eqn)) is not None:
                starts[eqn.args[0]] = of
        found: list[Eqn] = []
        for eqn in eqns:
            of = liked(eqn)
            if eqn.op == "broadcast_like" and eqn.args == (Literal(0.0),) and of is not None:
                eqn = Eqn(eqn.outs, "zeros_like", (of,), (), (), eqn.span)
            if eqn.op == "for":
                args = list(eqn.args)
                for place, out in enumerate(eqn.outs[: len(args) - 1], start=1):
                    if args[place] == Literal(0.0) and out in starts:
                        zeros = namer.temp()
                        found.append(Eqn((zeros,), "zeros_like", (starts[out],), (), (), eqn.span))
                        args[place] = zeros
                eqn = replace(eqn, args=tuple(args))
            blocks = tuple(replace(block, eqns=filled(block.eqns)) for block in eqn.blocks)
            found.append(replace(eqn, blocks=blocks))
        return tuple(found)

    return formula.evolve(pullback=replace(pullback, eqns=filled(pullback.eqns)))


# Conditions on ranks and lengths, and the subscripts that ranks make.
_OF_RANKS = frozenset(
    {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
    | {"pullback.primitives.dot_subscripts", "pullback.primitives.tensordot_subscripts"}
)
# What lists are written out for where they are read.
_OF_LISTS = frozenset(
    {"contract", "contract_gradients", "concatenate", "stack", "stacked", "vstack", "hstack", "like"}
)


def _with_likes_inside(formula: Formula, namer: Namer) -> Formula:
    """The closure asks for shapes and dtypes itself, of what it sees; an index stands where it is used."""
    assert formula.pullback is not None
    pullback, table = formula.pullback, defining(formula.forward.eqns)
    written = METADATA | {"is_none", "tuple", "list", "slice"}

    def sunk(block: Block, asked: dict[Var, Eqn]) -> Block:
        found: list[Eqn] = []
        for eqn in block.eqns:
            inner = tuple(sunk(nested, asked) for nested in eqn.blocks)
            if eqn.op in ("tuple", "list", "slice"):
                asked = asked | {eqn.outs[0]: eqn}
            if eqn.op in ("tuple", "slice"):
                continue
            bare, before = apart(replace(eqn, blocks=()), asked)
            found += [*before, replace(bare, blocks=inner)]
        # What leaves a block has to be made in it.
        leaving, before = apart(Eqn((), "return", block.results), asked)
        return Block(block.params, (*found, *before), leaving.args)

    def apart(eqn: Eqn, asked: dict[Var, Eqn]) -> tuple[Eqn, list[Eqn]]:
        """The equation, and equations of its own for what it reads of `asked`."""
        before: list[Eqn] = []

        def here(atom: Atom) -> Atom:
            """The operand there: each place of a shape or an index has its own."""
            if not isinstance(atom, Var) or atom not in asked:
                return atom
            if asked[atom].op == "list" and eqn.op not in _OF_LISTS:
                return atom
            made, earlier = apart(asked[atom], asked)
            before.extend([*earlier, replace(made, outs=(own := namer.temp("value"),))])
            return own

        args = tuple(map(here, eqn.args))
        kwargs = tuple((name, here(atom)) for name, atom in eqn.kwargs)
        return replace(eqn, args=args, kwargs=kwargs), before

    everywhere = _metadata(formula.forward) | {out: e for out, e in table.items() if e.op in written}
    for out, eqn in table.items():
        if eqn.op in _OF_RANKS and all(isinstance(a, Literal) or a in everywhere for a in eqn.args):
            everywhere[out] = eqn
    closure = sunk(pullback, everywhere)
    needed = tuple(remove_dead(list(closure.eqns), closure.results))
    return formula.evolve(forward=sunk(formula.forward, {}), pullback=replace(closure, eqns=needed))


def _metadata(block: Block) -> dict[Var, Eqn]:
    """Equations that read the shapes of values that are there, also where only a branch asks for it."""
    found: dict[Var, Eqn] = {}
    for eqn in block.eqns:
        if eqn.op in METADATA:
            found[eqn.outs[0]] = eqn
        if eqn.op != "if":
            continue
        for inner in eqn.blocks:
            asked, bound = _metadata(inner), defining(inner.eqns)
            for out, atom in zip(eqn.outs, inner.results, strict=True):
                made = asked.get(atom) if isinstance(atom, Var) else None
                of = made.args[0] if made is not None else None
                if made is None or out in found:
                    continue
                if of in bound:
                    of = next((o for o, a in zip(eqn.outs, inner.results, strict=True) if a == of), None)
                if of is not None:
                    found[out] = Eqn((out,), made.op, (of,), made.kwargs, (), made.span)
    return found


def _without_last_sums(formula: Formula) -> Formula:
    """Returned gradients before they are summed to the inputs, where all terms have one shape."""
    assert formula.pullback is not None
    pullback = formula.pullback
    table = defining(pullback.eqns)
    known = types_of(pullback.eqns, known_types(formula))
    counts = uses(replace(pullback, results=()))
    env: dict[Var, Atom] = {}
    for param, gradient in zip(formula.inputs, pullback.results, strict=True):
        if param.var.kind != "tensor" or not isinstance(gradient, Var):
            continue
        sums, terms = _terms(gradient, table, counts)
        shapes = {shape_of(type_of(sums.get(term, term), known)) for term in terms}
        if len(shapes) == 1:
            env.update((term, sums[term]) for term in terms if term in sums)
    kept = tuple(eqn for eqn in pullback.eqns if not (eqn.op == "sum_to" and eqn.outs[0] in env))
    return formula.evolve(pullback=replace_block(replace(pullback, eqns=kept), env))


def _terms(
    gradient: Var, table: Mapping[Var, Eqn], counts: Mapping[Var, int]
) -> tuple[dict[Var, Atom], list[Var]]:
    """The terms of a sum of gradients, and what those that are summed to a shape are computed from."""
    sums: dict[Var, Atom] = {}
    terms: list[Var] = []
    queue, inner = [gradient], False
    while queue:
        var = queue.pop()
        eqn = table.get(var)
        alone = counts.get(var, 0) <= (1 if inner else 0)
        if eqn is not None and eqn.op == "accumulate" and alone:
            queue += [atom for atom in reversed(eqn.args) if isinstance(atom, Var)]
        else:
            terms.append(var)
            if eqn is not None and eqn.op == "sum_to" and alone:
                sums[var] = eqn.args[0]
        inner = True
    return sums, terms
