"""The gradients of a formula's parameters, from those of its results, as one block of equations.

In: a formula without a closure. Out: a block whose parameters are those of the formula, its results, and
the gradients of these; its results are the gradients of the parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set

from pullback.transpile.analysis.types import known_types
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.ir import Atom, Block, Eqn, Formula, Literal, Var
from pullback.transpile.library import standard_library
from pullback.transpile.operators import OPERATORS
from pullback.transpile.passes.differentiate.derive import derive
from pullback.transpile.passes.readable.own_formulas import with_own_formulas_written
from pullback.transpile.passes.simplify.simplify import remove_dead, simplify
from pullback.transpile.rewrite import rename, replace_block

from ..text.splices import CannotFix

LINEAR_ALGEBRA = frozenset({"matmul", "solve", "inv", "swapaxes", "sum", "max"})


def derived_gradient(
    formula: Formula,
    names: Sequence[str],
    gradients: Sequence[str],
    wanted: Collection[str],
    matrices: Set[str],
) -> Block:
    """The block. `names`, `gradients`: of the results; `wanted`: which parameters need theirs.

    `matrices`: parameters that have two axes or more; products of others are a `CannotFix`.

    >>> from pullback.transpile.library import formula_in
    >>> from pullback.transpile.printer import block_text
    >>> f = formula_in('''
    ... def f(a, b):
    ...     t = np.exp(a @ b)
    ...     return t
    ... ''')
    >>> print(block_text(derived_gradient(f, ["t"], ["grad_t"], ["a"], {"a", "b"})))
    like_a = like(a)
    grad_product = multiply(grad_t, t)
    _5 = swapaxes(b, axis1=-1, axis2=-2)
    grad_a = matmul(grad_product, _5)
    grad_a_1 = sum_to(grad_a, like=like_a)
    return grad_a_1, None
    """
    try:
        derived = with_own_formulas_written(derive(formula, standard_library()), standard_library())
    except FormulaError as error:
        raise CannotFix(f"its derivative is not known: {error.diagnostics[0].message}") from None
    forward, pullback = derived.forward, derived.pullback
    assert pullback is not None
    results = [atom for atom in forward.results if isinstance(atom, Var)]
    if len(results) != len(forward.results):
        raise CannotFix("it is a number")
    given = {param: Var(name) for param, name in zip(pullback.params, gradients, strict=True)}
    inputs = [param.var for param in formula.inputs]
    found: tuple[Atom, ...] = tuple(
        atom if var.name in wanted else Literal(None)
        for var, atom in zip(inputs, pullback.results, strict=True)
    )
    body = Block((), (*forward.eqns, *pullback.eqns), found)
    body = replace_block(body, {**given, **_orders(body.eqns, {v for v in inputs if v.name in matrices})})
    eqns = [eqn for eqn in body.eqns if not set(eqn.outs) & set(results)]
    named = _named(eqns, dict(zip(results, names, strict=True)))
    known = known_types(derived) | {given[p]: e for p, e in known_types(derived).items() if p in given}
    eqns = remove_dead(eqns, body.results)
    params = (*forward.params, *results, *given.values())
    return rename(simplify(Block(params, tuple(eqns), body.results), known), named)


def _named(eqns: Sequence[Eqn], results: Mapping[Var, str]) -> dict[Var, Atom]:
    """Results under the names that the author gave, and what had such a name under another."""
    found: dict[Var, Atom] = {var: Var(name, var.kind) for var, name in results.items()}
    for eqn in eqns:
        for out in eqn.outs:
            if out.name in results.values() and out not in results:
                found[out] = Var(f"{out.name}_before", out.kind)
    return found


def _orders(eqns: Sequence[Eqn], matrices: Set[Var]) -> dict[Var, Atom]:
    """Answers to questions about the number of axes: it is not one."""
    many = set(matrices)
    answers: dict[Var, Atom] = {}
    counted: set[Var] = set()
    for eqn in eqns:
        operands = [atom for atom in eqn.args if isinstance(atom, Var)]
        if eqn.op == "ndim" and operands and operands[0] in many:
            counted.add(eqn.outs[0])
        elif eqn.op == "equal" and eqn.args[0] in counted and eqn.args[1] == Literal(1):
            answers[eqn.outs[0]] = Literal(False)
        elif operands and _keeps_axes(eqn, operands, many):
            many.update(eqn.outs)
    return answers


def _keeps_axes(eqn: Eqn, operands: Sequence[Var], many: Set[Var]) -> bool:
    """True if the outputs have two axes or more because operands have."""
    if eqn.op in OPERATORS and OPERATORS[eqn.op].pointwise:
        return any(var in many for var in operands)
    if eqn.op in ("sum", "max") and eqn.kwarg("keepdims") != Literal(True):
        return False
    return eqn.op in LINEAR_ALGEBRA and all(var in many for var in operands)
