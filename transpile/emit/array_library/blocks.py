"""Blocks of a promoted formula as statements over an array library, and what surrounds them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from ...analysis.types import Types, infer, types_of
from ...ir import Atom, Block, Eqn, Formula, Var
from ...rewrite import Namer, rename_formula, uses
from ..python import statements
from .expressions import ArrayExpressions
from .numbers_at_first import numbers_at_first
from .vocabulary import Vocabulary

Called = Callable[[str], str | None]


class Printer:
    """Prints blocks of one formula; `called` gives the name of the function of another one."""

    def __init__(self, formula: Formula, vocabulary: Vocabulary, called: Called) -> None:
        self.formula = formula
        self.vocabulary = vocabulary
        self._called = called
        types = infer(formula)
        self._types: Types = types.pullback | types.forward
        at_first = numbers_at_first(eqn for block in formula.blocks for eqn in block.eqns)
        self._at_first = frozenset(var.name for var in at_first)

    def expressions(
        self, block: Block, device: str = "", temporaries: Iterable[Var] = ()
    ) -> ArrayExpressions:
        """Expressions for the equations of a block, each of `temporaries` nested where it is read."""
        counts = uses(block)
        counts.update(temporaries)
        types = types_of(block.eqns, self._types)
        return ArrayExpressions(
            counts, self.vocabulary, self.formula, types, self._called, device, self._at_first
        )

    def statements(self, eqns: Sequence[Eqn], expressions: ArrayExpressions) -> list[ast.stmt]:
        """Equations as statements."""
        return statements(eqns, expressions)


def with_free_names(formula: Formula, taken: Iterable[str]) -> Formula:
    """The formula with other names for variables that are named like something else in the text."""
    reserved = set(taken)
    namer = Namer.of(formula)
    for name in sorted(reserved):
        namer.fresh(name)
    bound = {*formula.forward.bound(), *(var for block in formula.blocks for var in block.bound())}
    other: dict[Var, Var] = {var: namer.like(var) for var in sorted(bound) if var.name in reserved}
    if not other:
        return formula
    return rename_formula(formula, other)


def nested_results(block: Block) -> dict[Var, Var]:
    """Results that nothing else reads, as temporaries: they nest where they are returned."""
    counts = uses(block)
    return {
        eqn.outs[0]: eqn.outs[0]._replace(temp=True)
        for eqn in block.eqns
        if len(eqn.outs) == 1 and counts[eqn.outs[0]] == 1 and eqn.outs[0] in block.results and not eqn.blocks
    }


def split_by_result(block: Block, results: Sequence[Atom]) -> tuple[list[Eqn], list[list[Eqn]]]:
    """Equations that several results need, or none, and those that only one of them does.

    >>> x, y, u, v = (Var(name) for name in "xyuv")
    >>> block = Block((x,), (Eqn((u,), "exp", (x,)), Eqn((v,), "sin", (x,)), Eqn((y,), "sqrt", (u,))), (y, v))
    >>> shared, own = split_by_result(block, block.results)
    >>> [eqn.op for eqn in shared], [[eqn.op for eqn in eqns] for eqns in own]
    ([], [['exp', 'sqrt'], ['sin']])
    """
    wanted: dict[Var, set[int]] = {}
    for index, atom in enumerate(results):
        if isinstance(atom, Var):
            wanted.setdefault(atom, set()).add(index)
    everyone = set(range(len(results)))
    shared: list[Eqn] = []
    own: list[list[Eqn]] = [[] for _ in results]
    for eqn in reversed(block.eqns):
        by = set().union(*(wanted.get(out, set()) for out in eqn.outs)) if eqn.outs else everyone
        for var in set(eqn.every_read()):
            wanted.setdefault(var, set()).update(by)
        if len(by) == 1 and len(results) > 1:
            own[min(by)].insert(0, eqn)
        else:
            shared.insert(0, eqn)
    return shared, own
