"""Smaller equations with the same meaning.

In: a block, and what is known of its free variables. Out: a block without
dead equations, repeated ones, conditionals on constants, elements of lists
that were just built, and reductions to a shape and dtype that are there already.

>>> from ...library import formula_in
>>> from ...printer import formula_text
>>> from ..promote.normalize import normalize
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

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...analysis.effects import raises
from ...analysis.numbers import numbers
from ...analysis.types import Types, add_types, of_iteration, param_types, type_of, unknown
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...ir.dtypes import kind_among_floats
from ...ir.type_joins import same_array
from ...ir.types import NUMBERS, LikeType, ScalarType, TensorType, Type
from ...operators import OPERATORS, python_types
from ...operators.plain import PLAIN_FUNCTIONS
from ...rewrite import replace_atom, replace_block, replace_eqn
from .fold import fold

_PURE = frozenset(
    {"shape", "ndim", "size", "dtype", "like", "item", "tuple", "slice", "is_none", "isinstance", "not_"}
)

_BOOL = ScalarType("bool")


def simplify(block: Block, known: Mapping[Var, Type] | None = None, floats: bool = True) -> Block:
    """The block, simplified. `known` gives types of its parameters and free variables.

    floats  its arrays are floats, as those of a pullback are; in a forward, where ``x / 1`` makes floats of
            whole numbers, they may not be
    """
    own = {var: unknown(var) for var in block.params}
    scope = _Scope(known=own | dict(known or {}), numbers=numbers(block), floats=floats)
    simple = scope.nested(block)
    return Block(block.params, tuple(remove_dead(list(simple.eqns), simple.results)), simple.results)


def simplify_forward(formula: Formula) -> Formula:
    """The formula whose forward is simplified, keeping what the pullback captures."""
    assert formula.pullback is not None
    captured = tuple(var for var in formula.pullback.free() if var not in formula.forward.params)
    results = formula.forward.results
    wanted = Block(formula.forward.params, formula.forward.eqns, (*results, *captured))
    block = simplify(wanted, param_types(formula), floats=False)
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
        live.update(eqn.every_read())
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


@dataclass(slots=True)
class _Scope:
    """Facts that hold at a place of a block.

    `env`: what stands for a variable. `known`: types. `numbers`: no arrays where they have no axes.
    `seen`: outputs, by what computes them. `lists`: what lists, tuples and slices are made of. `false`:
    conditions that do not hold. `floats`: as `simplify` has it.
    """

    env: dict[Var, Atom] = field(default_factory=dict)
    known: Types = field(default_factory=dict)
    numbers: frozenset[Var] = frozenset()
    seen: dict[tuple[object, ...], tuple[Var, ...]] = field(default_factory=dict)
    lists: dict[Var, tuple[Atom, ...]] = field(default_factory=dict)
    false: set[Var] = field(default_factory=set)
    floats: bool = True

    def nested(self, block: Block, known: Mapping[Var, Type] | None = None) -> Block:
        """The block, which may use what was computed before it; `known` has types of its parameters."""
        around = self.known | dict(known or {})
        scope = replace(
            self,
            env=dict(self.env),
            known=around,
            seen=dict(self.seen),
            lists=dict(self.lists),
            false=set(self.false),
        )
        eqns = tuple(scope.simplified(block.eqns))
        return Block(block.params, eqns, tuple(replace_atom(atom, scope.env) for atom in block.results))

    def simplified(self, eqns: Sequence[Eqn]) -> list[Eqn]:
        """The equations that are left."""
        kept: list[Eqn] = []
        for eqn in eqns:
            eqn = replace_eqn(eqn, self.env)
            if eqn.op == "if" and isinstance(eqn.args[0], Literal):
                taken = eqn.blocks[0 if eqn.args[0].value else 1]
                kept += self.simplified(taken.eqns)
                self.env.update(
                    zip(eqn.outs, (replace_atom(a, self.env) for a in taken.results), strict=True)
                )
                continue
            if eqn.op == "for" and eqn.args[0] == Literal(0) and len(eqn.outs) == len(eqn.args) - 1:
                self.env.update(zip(eqn.outs, eqn.args[1:], strict=True))
                continue
            if eqn.op == "if":
                eqn = self._branches(eqn)
            elif eqn.blocks:
                iteration = of_iteration(eqn, self.known) if eqn.op == "for" else None
                eqn = replace(eqn, blocks=tuple(self.nested(block, iteration) for block in eqn.blocks))
            if eqn.blocks:
                self.env.update(self._equal_outputs(eqn))
            elif eqn.outs and (same := self._same(eqn)) is not None:
                self.env.update(zip(eqn.outs, same, strict=True))
                continue
            if eqn.op in ("list", "tuple", "slice"):
                self.lists[eqn.outs[0]] = eqn.args
            add_types(eqn, self.known)
            kept.append(eqn)
        return kept

    def _branches(self, eqn: Eqn) -> Eqn:
        """A conditional with its branches simplified: what it asks for is known in them, if it is a bool."""
        (condition,) = eqn.args
        blocks = []
        for block, holds in zip(eqn.blocks, (True, False), strict=True):
            if isinstance(condition, Var) and self.known.get(condition) == _BOOL:
                block = replace_block(block, {condition: Literal(holds)})
            blocks.append(self.nested(block))
        return replace(eqn, blocks=tuple(blocks))

    def _equal_outputs(self, eqn: Eqn) -> dict[Var, Atom]:
        """Outputs of a conditional that its condition decides, or nothing, and of a loop that repeat another.

        ``c or False`` of a `c` that is a bool is `c`.
        """
        if eqn.op == "if":
            then, otherwise = eqn.blocks
            ends = zip(eqn.outs, then.results, otherwise.results, strict=True)
            decided = {out: self._decided(eqn.args[0], yes, no) for out, yes, no in ends}
            return {out: atom for out, atom in decided.items() if atom is not None}
        if eqn.op == "for":
            (body,) = eqn.blocks
            first: dict[Atom, Var] = {}
            collected = list(zip(eqn.outs, body.results, strict=True))[len(body.params) - 1 :]
            return {out: first[atom] for out, atom in collected if first.setdefault(atom, out) != out}
        return {}

    def _decided(self, condition: Atom, yes: Atom, no: Atom) -> Atom | None:
        """The atom that stands for a choice of two: either, where they are the same, or the condition."""
        if _identity(yes) == _identity(no):
            return yes
        of_bool = (_identity(yes), _identity(no)) == (_identity(Literal(True)), _identity(Literal(False)))
        return condition if of_bool and type_of(condition, self.known) == _BOOL else None

    def _same(self, eqn: Eqn) -> tuple[Atom, ...] | None:
        """The atoms that the outputs equal without computing them once more, or None."""
        shortcut = self._shortcut(eqn) or fold(eqn, self.known, self.false, self.floats)
        if shortcut is not None:
            return (shortcut,)
        if eqn.op not in OPERATORS and eqn.op not in _PURE:
            return None
        kwargs = ((name, _identity(atom)) for name, atom in eqn.kwargs)
        key: tuple[object, ...] = (eqn.op, *map(_identity, eqn.args), *kwargs)
        if eqn.op == "like":
            of = type_of(eqn.args[0], self.known)
            if isinstance(of, TensorType) and not of.optional:  # whichever branch was taken
                key = ("like", of.shape, kind_among_floats(of.dtype))
        before = self.seen.setdefault(key, eqn.outs)
        if before is eqn.outs:
            return None
        if len(before) != len(eqn.outs):
            self.seen[key] = eqn.outs
            return None
        return before

    def _plain_call(self, eqn: Eqn) -> Literal | None:
        """The value of a function of numbers and tuples that are known; None where it refuses them."""
        callee = eqn.kwarg("callee")
        function = PLAIN_FUNCTIONS.get(str(callee.value)) if isinstance(callee, Literal) else None
        args = [self._value(atom) for atom in eqn.args]
        keywords = {name: self._value(atom) for name, atom in eqn.kwargs if name != "callee"}
        if function is None or any(isinstance(value, Var) for value in (*args, *keywords.values())):
            return None
        try:
            found = function(*args, **keywords)
        except (ArithmeticError, TypeError, ValueError):
            return None
        found = tuple(found) if isinstance(found, list) else found
        return Literal(found) if isinstance(found, bool | int | float | str | tuple) else None

    def _value(self, atom: Atom) -> object:
        """The value of a constant, or of a list or tuple of constants; else the variable."""
        if isinstance(atom, Literal):
            return atom.value
        items = self.lists.get(atom)
        if items is None or not all(isinstance(item, Literal) for item in items):
            return atom
        return tuple(item.value for item in items if isinstance(item, Literal))

    def _takes_all(self, index: Atom) -> bool:
        """True for the index of ``ids[:]``."""
        return isinstance(index, Var) and self.lists.get(index) == (Literal(None),) * 3

    def _shortcut(self, eqn: Eqn) -> Atom | None:
        """The atom that the equation's output equals without computing it, or None."""
        if eqn.op in ("sum_to", "broadcast_like"):
            like = self.known.get(atom) if isinstance(atom := eqn.kwarg("like"), Var) else None
            if isinstance(like, LikeType) and same_array(type_of(eqn.args[0], self.known), like.of):
                return eqn.args[0]
        if eqn.op == "in_place" and _replaces(eqn, self.known, self.numbers):
            return eqn.args[0]
        if eqn.op == "item" and isinstance(eqn.args[0], Var) and isinstance(eqn.args[1], Literal):
            items = self.lists.get(eqn.args[0])
            index = eqn.args[1].value
            if items is not None and isinstance(index, int) and -len(items) <= index < len(items):
                return items[index]
        if eqn.op == "item" and self._takes_all(eqn.args[1]) and eqn.outs[0].kind == "value":
            return eqn.args[0]
        if eqn.op == "item" and isinstance(eqn.args[0], Literal) and isinstance(eqn.args[1], Var):
            return _part_of_tuple(eqn.args[0], self.lists.get(eqn.args[1], ()))
        if eqn.op == "opaque" and eqn.outs[0].kind == "value":
            return self._plain_call(eqn)
        if eqn.op == "is_none" and isinstance(eqn.args[0], Literal):
            return Literal(eqn.args[0].value is None)
        if eqn.op == "isinstance" and isinstance(eqn.args[0], Literal):
            return Literal(isinstance(eqn.args[0].value, python_types(eqn)))
        if eqn.op == "not_" and isinstance(eqn.args[0], Literal):
            return Literal(not eqn.args[0].value)
        return None


def _part_of_tuple(whole: Literal, bounds: Sequence[Atom]) -> Literal | None:
    """A slice of a tuple, all of which is known."""
    known = [bound.value for bound in bounds if isinstance(bound, Literal)]
    numbers = [number for number in known if number is None or isinstance(number, int)]
    if not isinstance(whole.value, tuple) or len(numbers) != 3 or numbers[2] == 0:
        return None
    return Literal(whole.value[slice(*numbers)])


def _identity(atom: Atom) -> object:
    """A key that distinguishes operands; ``1``, ``1.0`` and ``True`` are equal but not the same."""
    if isinstance(atom, Literal):
        return (type(atom.value).__name__, repr(atom.value), atom.strong)
    return atom


def _replaces(eqn: Eqn, known: Mapping[Var, Type], numbers: Container[Var]) -> bool:
    """True where a value takes the place of a number, or of an array whose shape and dtype it has anyway."""
    value, old = (type_of(atom, known) for atom in eqn.args[:2])
    if not isinstance(old, TensorType):
        return isinstance(old, ScalarType) and (old.dtype is not None or old.kind in NUMBERS - {"value"})
    if old.optional or not isinstance(value, TensorType):
        return False
    return (old.shape == () and eqn.args[1] in numbers) or (
        value == old and eqn.kwarg("shared") in (None, Literal(None))
    )
