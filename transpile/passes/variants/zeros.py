"""Undefined gradients as zeros that nobody computes.

In: a block, and which of its variables are zero. Out: the block without the
work that only moves zeros about. A zero passes through operators that are
linear in it; where an operator is not, or where the zero's shape would be lost,
`Materialize` says which zeros must be computed after all.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from ..promote.promote import promote
>>> from .specialize import specialize
>>> tilt = promote(formula_in('''
... def tilt(x):
...     t = np.sin(x)
...     def tilt_pullback(grad):
...         return grad * (t + np.cos(x) * x)
...     return t * x, tilt_pullback
... '''), standard_library())
>>> print(formula_text(tilt.evolve(pullback=specialize(tilt, (True, False), (True,)).block)))
formula tilt(x: Tensor)
  forward:
    t = sin(x)
    _1 = multiply(t, x)
    return result _1, hidden t
  pullback(grad):
    _2 = cos(x)
    _3 = multiply(_2, x)
    _4 = add(t, _3)
    _5 = multiply(grad, _4)
    return _5
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...analysis.effects import raises
from ...analysis.types import Types, add_types, of_iteration, type_of
from ...ir import Atom, Block, Eqn, Literal, Var
from ...ir.types import TensorType, Type, join_shapes, shape_of
from ...operators import info_of
from ...rewrite import replace_atom, replace_eqn

NONE = Literal(None)
EMPTY: Mapping[Var, Type] = {}
Zeros = dict[Var, frozenset[Var]]


class Materialize(Exception):
    """These zeros must be computed, for what an equation does with them."""

    def __init__(self, zeros: Iterable[Var], eqn: Eqn) -> None:
        self.zeros = frozenset(zeros)
        self.eqn = eqn


def propagate_zeros(
    block: Block, undefined: Iterable[Var], known: Mapping[Var, Type], computed: frozenset[Var]
) -> Block:
    """The block where `undefined` variables are zero; a zero result is None.

    ``broadcast_like(0.0, like)`` is a zero too, except where it is in `computed`.
    """
    walk = _Walk({var: frozenset({var}) for var in undefined}, dict(known), {}, computed)
    eqns = walk.through(block)
    results = tuple(NONE if walk.is_zero(atom) else walk.now(atom) for atom in block.results)
    return Block(block.params, tuple(eqns), results)


class _Walk:
    """Facts on the way: for each zero the undefined variables that it comes from."""

    def __init__(self, zeros: Zeros, types: Types, env: dict[Var, Atom], computed: frozenset[Var]) -> None:
        self.zeros, self.types, self.env, self.computed = zeros, types, env, computed

    def now(self, atom: Atom) -> Atom:
        """The replacement of an operand."""
        return replace_atom(atom, self.env)

    def is_zero(self, atom: Atom) -> bool:
        """True where an operand is an undefined gradient."""
        return self.now(atom) in self.zeros

    def inside(self, more: Zeros, types: Mapping[Var, Type] = EMPTY) -> _Walk:
        """A walk through a nested block, whose parameters have these types; it leaves nothing here."""
        return _Walk({**self.zeros, **more}, {**self.types, **types}, dict(self.env), self.computed)

    def origins(self, atoms: Iterable[Atom]) -> frozenset[Var]:
        """The undefined variables that zeros come from."""
        found = (self.zeros.get(atom) for atom in atoms if isinstance(atom, Var))
        return frozenset[Var]().union(*(origin for origin in found if origin))

    def through(self, block: Block) -> list[Eqn]:
        """The equations that are left."""
        kept: list[Eqn] = []
        factors = _factors(block)
        for eqn in block.eqns:
            eqn = replace_eqn(eqn, self.env)
            add_types(eqn, self.types)
            if eqn.outs and eqn.outs[0] in factors and any(map(self.is_zero, eqn.args)):
                self._zero(eqn)
            elif eqn.op == "if":
                kept += self._branch(eqn)
            elif eqn.op == "for":
                kept += self._loop(eqn)
            elif not eqn.outs:
                kept.append(eqn)
            elif eqn.op == "contract" and self.is_zero(eqn.args[0]):
                self._zero(eqn)
            elif not self._answered(eqn):
                dead = [var for var in eqn.reads() if var in self.zeros]
                kept += self._linear(eqn) if dead else [eqn]
        return kept

    def _answered(self, eqn: Eqn) -> bool:
        """True where the output is known: of a question about None, and of zeros that are written out."""
        out, asked = eqn.outs[0], eqn.args[0] if eqn.args else None
        if eqn.op == "is_none" and isinstance(asked, Var):
            if asked in self.zeros:
                self.env[out] = Literal(True)
            elif isinstance(known := self.types.get(asked), TensorType) and not known.optional:
                self.env[out] = Literal(False)
            return out in self.env
        if eqn.op == "not_" and isinstance(asked, Literal):
            self.env[out] = Literal(not asked.value)
            return True
        filled = eqn.op == "zeros_list" or (eqn.op == "broadcast_like" and _is_number_zero(asked))
        if filled and out not in self.computed:
            self.zeros[out] = frozenset({out})
            return True
        return False

    def _zero(self, eqn: Eqn) -> list[Eqn]:
        self.zeros.update(dict.fromkeys(eqn.outs, self.origins(eqn.reads())))
        return []

    def _linear(self, eqn: Eqn) -> list[Eqn]:
        """The rest of an equation that reads a zero."""
        info = info_of(eqn.op)
        dead = [i for i, atom in enumerate(eqn.args) if atom in self.zeros]
        if eqn.op == "item" or (eqn.op == "list" and len(dead) == len(eqn.args)):
            return self._zero(eqn)
        if info is None or not dead or any(i not in info.linear for i in dead):
            raise Materialize(self.origins(eqn.reads()), eqn)
        alive = [i for i in info.linear if i < len(eqn.args) and i not in dead and eqn.args[i] != NONE]
        if not info.jointly or not alive or all(_is_plain_zero(eqn.args[i]) for i in alive):
            return self._zero(eqn)
        shapes = [shape_of(type_of(atom, self.types)) for atom in eqn.args]
        left = [shape for i, shape in enumerate(shapes) if i not in dead]
        if join_shapes(shapes) != join_shapes(left) and eqn.op != "accumulate":
            raise Materialize(self.origins(eqn.reads()), eqn)
        if eqn.op in ("add", "accumulate") or (eqn.op == "subtract" and dead == [1]):
            self.env[eqn.outs[0]] = eqn.args[alive[0]]
            return []
        if eqn.op == "subtract":
            return [Eqn(eqn.outs, "negative", (eqn.args[1],), (), (), eqn.span)]
        if eqn.op == "where":
            args = tuple(Literal(0.0) if i in dead else atom for i, atom in enumerate(eqn.args))
            return [Eqn(eqn.outs, "where", args, eqn.kwargs, (), eqn.span)]
        raise Materialize(self.origins(eqn.reads()), eqn)

    def _branch(self, eqn: Eqn) -> list[Eqn]:
        """One branch where the condition is known; else both, zero only where both are."""
        condition = eqn.args[0]
        if isinstance(condition, Literal):
            block = eqn.blocks[0 if condition.value else 1]
            kept = self.through(block)
            for out, atom in zip(eqn.outs, map(self.now, block.results), strict=True):
                if atom == NONE or atom in self.zeros:
                    self.zeros[out] = self.origins([atom])
                else:
                    self.env[out] = atom
            return kept
        if condition in self.zeros:
            raise Materialize(self.origins([condition]), eqn)
        walks = [self.inside({}) for _ in eqn.blocks]
        eqns = [walk.through(block) for walk, block in zip(walks, eqn.blocks, strict=True)]
        results = [
            [walk.now(a) for a in block.results] for walk, block in zip(walks, eqn.blocks, strict=True)
        ]
        index = []
        for i, out in enumerate(eqn.outs):
            zero = [result[i] in walk.zeros for walk, result in zip(walks, results, strict=True)]
            empty = [result[i] == NONE for result in results]
            origins = frozenset[Var]().union(
                *(w.origins([r[i]]) for w, r in zip(walks, results, strict=True))
            )
            if all(one or other for one, other in zip(zero, empty, strict=True)):
                self.zeros[out] = origins
            elif any(zero):
                raise Materialize(origins, eqn)
            else:
                index.append(i)
        if not index and not raises(eqn):
            return []
        chosen = tuple(
            Block((), tuple(body), tuple(result[i] for i in index))
            for body, result in zip(eqns, results, strict=True)
        )
        return [Eqn(tuple(eqn.outs[i] for i in index), "if", eqn.args, eqn.kwargs, chosen, eqn.span)]

    def _loop(self, eqn: Eqn) -> list[Eqn]:
        """A carried value is zero if it starts as one and every iteration leaves it one."""
        (body,) = eqn.blocks
        start = dict(zip(body.params, eqn.args, strict=True))
        zero = {p: self.origins([a]) for p, a in start.items() if a in self.zeros or _is_number_zero(a)}
        types = of_iteration(eqn, self.types)
        while True:
            walk = self.inside(zero, types)
            try:
                eqns = walk.through(body)
            except Materialize:
                numbers = [param for param in zero if not isinstance(start[param], Var)]
                if not numbers:
                    raise
                for param in numbers:  # what starts from the number 0 may be that number
                    del zero[param]
                continue
            results = [walk.now(atom) for atom in body.results]
            turned = dict(zip(body.params[1:], results, strict=False))
            lost = [p for p in zero if turned.get(p) not in walk.zeros]
            if not lost:
                break
            for param in lost:
                if isinstance(start[param], Var):
                    raise Materialize(zero[param], eqn)
                del zero[param]
        for param, result in turned.items():
            if param not in zero and result in walk.zeros:
                raise Materialize(walk.origins([result]), eqn)
        index = [i for i, result in enumerate(results) if result not in walk.zeros]
        for i, out in enumerate(eqn.outs):
            if i not in index:
                self.zeros[out] = walk.origins([results[i]])
        if not index:
            return []
        stays = [0, *(i + 1 for i in range(len(body.params) - 1) if i in index)]
        block = Block(tuple(body.params[i] for i in stays), tuple(eqns), tuple(results[i] for i in index))
        args = tuple(eqn.args[i] for i in stays)
        return [Eqn(tuple(eqn.outs[i] for i in index), "for", args, eqn.kwargs, (block,), eqn.span)]


def _factors(block: Block) -> set[Var]:
    """Lists that products alone read: one zero among the factors is enough."""
    products = {var for eqn in block.eqns if eqn.op == "contract" for var in eqn.reads()}
    others = {var for eqn in block.eqns if eqn.op != "contract" for var in eqn.reads()}
    others |= {var for eqn in block.eqns for inner in eqn.blocks for var in inner.free()}
    lists = {eqn.outs[0] for eqn in block.eqns if eqn.op == "list"}
    return (lists & products) - others - {atom for atom in block.results if isinstance(atom, Var)}


def _is_number_zero(atom: Atom | None) -> bool:
    return isinstance(atom, Literal) and type(atom.value) is float and atom.value == 0.0


def _is_plain_zero(atom: Atom) -> bool:
    """True where an operand that an author wrote is zero, as the other side of a choice often is."""
    return isinstance(atom, Literal) and type(atom.value) in (int, float) and atom.value == 0
