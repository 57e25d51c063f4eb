"""Tools of passes and emitters: fresh names, and copies of equations under a renaming."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import is_

from .ir import Atom, Block, Eqn, Formula, Kind, Literal, Span, Var

# Names that emitted code uses for modules.
RESERVED = frozenset({"np", "pb", "primitives", "special", "math", "operator"})

# Operators that read a tensor without its values.
METADATA = frozenset({"shape", "ndim", "size", "dtype", "like"})

# The function that puts a region together of a shape and the places of its entries, and the operator
# that is its call.
REGION = "pullback.primitives.listed_region"
# Values that are their operands put together.
MADE_OF = frozenset({"tuple", "list", "slice", "range", REGION})


class Namer:
    """Makes variables whose names nobody uses yet.

    >>> namer = Namer({"t"})
    >>> namer.fresh("t").name, namer.fresh("u").name
    ('t_1', 'u')
    """

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used) | RESERVED
        self._numbers: dict[str, int] = {}  # by stem: all up to it are used

    @classmethod
    def of(cls, formula: Formula) -> Namer:
        """A namer that avoids every name of a formula."""
        names = {var.name for _, var in formula.rules}
        return cls(names.union(*(all_names(block) for block in formula.blocks)))

    def fresh(self, base: str, kind: Kind = "tensor", temp: bool = False) -> Var:
        """A new variable, named `base` or `base_1`, `base_2`, ..."""
        name = base
        if name in self._used:
            name = self._numbered(re.sub(r"_\d+$", "", base) or base)
        self._used.add(name)
        return Var(name, kind, temp)

    def temp(self, kind: Kind = "tensor") -> Var:
        """A new temporary: ``_1``, ``_2``, ..."""
        name = self._numbered("")
        self._used.add(name)
        return Var(name, kind, True)

    def _numbered(self, stem: str) -> str:
        """The stem with the first number that nobody uses."""
        number = self._numbers.get(stem, 0) + 1
        while f"{stem}_{number}" in self._used:
            number += 1
        self._numbers[stem] = number - 1
        return f"{stem}_{number}"

    def like(self, var: Var) -> Var:
        """A new variable of the same kind, named after this one."""
        return self.fresh(var.name, var.kind, var.temp)


def label(var: Var) -> str:
    """A variable's name as a part of another one's: a temporary's is its number.

    >>> label(Var("t")), label(Var("_4", temp=True))
    ('t', 'v4')
    """
    return f"v{var.name[1:]}" if re.fullmatch(r"_\d\w*", var.name) else var.name.lstrip("_")


def without_numbers(name: str) -> str:
    """A name before it was numbered.

    >>> without_numbers("y_2"), without_numbers("like_y_1_rows_2")
    ('y', 'like_y_rows')
    """
    first, *rest = name.split("_")
    return "_".join([first, *(part for part in rest if not part.isdigit())]) or "value"


def all_names(block: Block) -> set[str]:
    """Every variable's name in a block, nested blocks included."""
    names: set[str] = set()
    _add_names(block, names)
    return names


def _add_names(block: Block, names: set[str]) -> None:
    names.update([var.name for var in block.params])
    for eqn in block.eqns:
        for var in eqn.outs:
            names.add(var.name)
        for var in eqn.reads():
            names.add(var.name)
        for inner in eqn.blocks:
            _add_names(inner, names)
    names.update([atom.name for atom in block.results if isinstance(atom, Var)])


def replace_atom(atom: Atom, env: Mapping[Var, Atom]) -> Atom:
    """The atom that stands for this one."""
    return env.get(atom, atom) if isinstance(atom, Var) else atom


def replace_eqn(eqn: Eqn, env: Mapping[Var, Atom]) -> Eqn:
    """The equation with its reads replaced; its outputs stay."""
    if not env:
        return eqn
    blocks = tuple([replace_block(block, env) for block in eqn.blocks])
    inside = any(new is not old for new, old in zip(blocks, eqn.blocks, strict=True))
    if not inside and env.keys().isdisjoint(eqn.reads()):
        return eqn  # the same object, of which passes know the types
    args = tuple([replace_atom(atom, env) for atom in eqn.args])
    kwargs = tuple([(key, replace_atom(value, env)) for key, value in eqn.kwargs])
    return Eqn(eqn.outs, eqn.op, args, kwargs, blocks, eqn.span)


def without_blocks(eqn: Eqn) -> Eqn:
    """The equation without its blocks, which the caller treats by themselves."""
    return Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, (), eqn.span) if eqn.blocks else eqn


def replace_block(block: Block, env: Mapping[Var, Atom]) -> Block:
    """The block with the reads of outer variables replaced."""
    if not env:
        return block
    eqns = tuple([replace_eqn(eqn, env) for eqn in block.eqns])
    results = tuple([replace_atom(atom, env) for atom in block.results])
    same = results == block.results and all(map(is_, eqns, block.eqns))
    return block if same else Block(block.params, eqns, results)


def rename(block: Block, env: Mapping[Var, Atom]) -> Block:
    """The block with its variables renamed, also where they are bound."""

    def bound(variables: tuple[Var, ...]) -> tuple[Var, ...]:
        return tuple(new for var in variables if isinstance(new := env.get(var, var), Var))

    eqns = []
    for eqn in block.eqns:
        moved = replace_eqn(without_blocks(eqn), env)
        blocks = tuple(rename(inner, env) for inner in eqn.blocks)
        eqns.append(Eqn(bound(eqn.outs), moved.op, moved.args, moved.kwargs, blocks, eqn.span))
    results = tuple(replace_atom(atom, env) for atom in block.results)
    return Block(bound(block.params), tuple(eqns), results)


def rename_formula(formula: Formula, names: Mapping[Var, Var]) -> Formula:
    """The formula with these variables renamed, parameters included."""

    def of(var: Var) -> Var:
        return names.get(var, var)

    params = tuple(replace(param, var=of(param.var)) for param in formula.params)
    pullback = None if formula.pullback is None else rename(formula.pullback, names)
    return formula.evolve(
        params=params,
        forward=rename(formula.forward, names),
        pullback=pullback,
        hidden=tuple(map(of, formula.hidden)),
        plain=tuple(map(of, formula.plain)),
    )


def without_names_of(values: Iterable[Atom], block: Block, namer: Namer) -> Block:
    """The block, in which no variable of its own has the name of one of these values, which it reads."""
    taken = {atom.name for atom in values if isinstance(atom, Var)}
    return rename(block, {var: namer.like(var) for var in block.bound() if var.name in taken})


def uses(block: Block) -> Counter[Var]:
    """The number of reads of each variable in a block, nested blocks included; twice by a loop of outside.

    So what is read once may be computed where it is read: a loop would compute it in every iteration.
    """
    counts: Counter[Var] = Counter(atom for atom in block.results if isinstance(atom, Var))
    for eqn in block.eqns:
        counts.update(eqn.reads())
        for inner in eqn.blocks:
            counts.update(uses(inner) + Counter(inner.free()) if eqn.op == "for" else uses(inner))
    return counts


def copy_eqns(
    eqns: Sequence[Eqn], env: dict[Var, Atom], namer: Namer, named: Mapping[Var, str] | None = None
) -> list[Eqn]:
    """The equations with fresh outputs, some `named` anew; `env` gains old output -> new output."""
    named = named or {}
    copied = []
    for eqn in eqns:
        blocks = []
        for block in eqn.blocks:
            params = tuple(namer.like(var) for var in block.params)
            inner = {**env, **dict(zip(block.params, params, strict=True))}
            inner_eqns = copy_eqns(block.eqns, inner, namer)
            results = tuple(replace_atom(atom, inner) for atom in block.results)
            blocks.append(Block(params, tuple(inner_eqns), results))
        moved = replace_eqn(without_blocks(eqn), env)
        outs = tuple(
            namer.fresh(named[var], var.kind) if var in named else namer.like(var) for var in eqn.outs
        )
        env.update(zip(eqn.outs, outs, strict=True))
        copied.append(Eqn(outs, moved.op, moved.args, moved.kwargs, tuple(blocks), eqn.span))
    return copied


def expand(block: Block, change: Callable[[Eqn], Sequence[Eqn]]) -> Block:
    """The block with what `change` makes of each equation in its place, nested blocks' first."""
    found: list[Eqn] = []
    for eqn in block.eqns:
        blocks = tuple(expand(inner, change) for inner in eqn.blocks)
        found += change(replace(eqn, blocks=blocks))
    return Block(block.params, tuple(found), block.results)


def slice_of(eqns: Sequence[Eqn], wanted: Iterable[Var], leaves: Iterable[Var] = ()) -> list[Eqn]:
    """The equations that compute `wanted`, in order, going back as far as `leaves`."""
    known = set(leaves)
    missing = set(wanted) - known
    kept = []
    for eqn in reversed(eqns):
        if missing.intersection(eqn.outs):
            kept.append(eqn)
            missing.update(var for var in eqn.every_read() if var not in known)
    return kept[::-1]


def put_together(eqns: Sequence[Eqn], wanted: Iterable[Var], namer: Namer) -> tuple[list[Eqn], list[Eqn]]:
    """Equations that make lists, tuples and slices among `wanted` again of what they consist of.

    The equations that read the elements' shapes, which are to follow `eqns`, and those that
    put the elements together.
    """
    table = defining(eqns)
    likes: list[Eqn] = []
    made: dict[Var, Eqn] = {}
    for var in (var for var in wanted if var in table and table[var].op == "like"):
        owner = table[var].args[0]
        if not isinstance(owner, Var) or owner not in table or table[owner].op not in ("list", "tuple"):
            continue
        items = [namer.fresh(f"{var.name}_{k}", "value") for k in range(len(table[owner].args))]
        likes += [Eqn((like,), "like", (item,)) for like, item in zip(items, table[owner].args, strict=True)]
        made[var] = Eqn((var,), "list", tuple(items), span=table[var].span)
    others = {var for var, eqn in table.items() if eqn.op not in MADE_OF}
    return likes, [*made.values(), *slice_of(eqns, wanted, others)]


def flattened(values: Var, again: Var, namer: Namer, before: Iterable[Eqn] = ()) -> tuple[list[Eqn], Eqn]:
    """Equations that save a list of arrays of any shapes as one tensor, and make the list `again` of that.

    Equations among those `before` may have made the tensor, and read the shapes.
    """
    there = {eqn.op: eqn.outs[0] for eqn in before if eqn.args == (values,)}
    entries = there.get("collect_flat") or namer.fresh(f"every_{label(values)}")
    likes = there.get("like") or namer.fresh(f"like_{label(values)}", "value")
    made = [Eqn((entries,), "collect_flat", (values,)), Eqn((likes,), "like", (values,))]
    kwargs: tuple[tuple[str, Atom], ...] = (("likes", likes), ("axis", Literal(None)))
    read = Eqn((again,), "split_like", (entries,), kwargs)
    return [eqn for eqn in made if eqn.op not in there], read


def defining(eqns: Sequence[Eqn]) -> dict[Var, Eqn]:
    """Each variable's equation at the top level of a block."""
    return {var: eqn for eqn in eqns for var in eqn.outs}


def placed(eqn: Eqn, place: Eqn) -> Eqn:
    """The equation, said to stand where another one stands."""
    blocks = tuple(Block(b.params, tuple(placed(e, place) for e in b.eqns), b.results) for b in eqn.blocks)
    return Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, blocks, place.span)


def own_results(block: Block, namer: Namer, span: Span | None) -> tuple[tuple[Eqn, ...], tuple[Atom, ...]]:
    """The block's equations and results, in which each result is bound once, by an equation.

    That is what a reverse sweep starts from. A copy of a parameter, or of a value that is a result
    already, is said to stand at `span`.

    >>> x = Var("x")
    >>> own_results(Block((x,), (), (x,)), Namer({"x"}), None)[1]
    (Var(name='x_1', kind='tensor', temp=False),)
    """
    eqns, results = list(block.eqns), []
    taken: set[Var] = set(block.params)
    for atom in block.results:
        if isinstance(atom, Var) and atom in taken and atom.kind == "tensor":
            copy = namer.fresh(atom.name)
            eqns.append(Eqn((copy,), "positive", (atom,), span=span))
            atom = copy
        if isinstance(atom, Var):
            taken.add(atom)
        results.append(atom)
    return tuple(eqns), tuple(results)


def bind_operands(formula: Formula, eqn: Eqn) -> dict[Var, Atom]:
    """The operand that each parameter of an operator's formula stands for at an equation that uses it."""
    given = dict(eqn.kwargs)
    env: dict[Var, Atom] = {}
    operands = iter(eqn.args)
    for param in formula.params:
        operand = given.get(param.var.name) if param.attribute else next(operands, None)
        if operand is None and not param.attribute:
            operand = given.get(param.var.name)
        if operand is None:
            operand = param.default if param.default is not None else Literal(None)
        env[param.var] = operand
    return env
