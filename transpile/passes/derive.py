"""A closure for a formula that has none: the reverse sweep of its whole forward.

In: a formula without a pullback. Out: the same formula with one. Its captured
intermediates are promoted afterwards like those of a hand-written closure.

>>> from ..library import formula_in, standard_library
>>> from ..printer import formula_text
>>> print(formula_text(derive(formula_in('''
... def growth(x):
...     return np.exp(x) * x
... '''), standard_library())))
formula growth(x: Tensor)
  forward:
    _1 = exp(x)
    _2 = multiply(_1, x)
    like_x = like(_1)
    like_x_1 = like(x)
    return result _2
  pullback(grad):
    _1_1 = multiply(grad, x)
    _2_1 = multiply(grad, _1)
    grad_x = sum_to(_1_1, like=like_x)
    grad_x_1 = sum_to(_2_1, like=like_x_1)
    grad_x_2 = multiply(grad_x, _1)
    grad_x_3 = accumulate(grad_x_1, grad_x_2)
    return grad_x_3
"""

from __future__ import annotations

from ..diagnostics import Diagnostic, FormulaError
from ..ir import Atom, Block, Eqn, Formula, Literal, Var
from ..library import Library, NoDerivative
from .differentiate import differentiate
from .rewrite import Namer


def derive(formula: Formula, library: Library) -> Formula:
    """The formula with a closure. Raises FormulaError where an operator on the way has no derivative."""
    if formula.pullback is not None:
        return formula
    namer = Namer.of(formula)
    eqns, results = _own_results(formula, namer)
    names = ["grad"] if formula.results == 1 else [f"grad_{atom}" for atom in results]
    params = tuple(namer.fresh(name) for name in names)
    inputs = [param.var for param in formula.inputs]
    cotangents = {atom: param for atom, param in zip(results, params, strict=True) if isinstance(atom, Var)}
    try:
        sweep = differentiate(eqns, cotangents, inputs, frozenset(), library, namer)
    except NoDerivative as missing:
        raise no_derivative(formula, missing) from None
    gradients: tuple[Atom, ...] = tuple(sweep.cotangents.get(var, Literal(None)) for var in inputs)
    forward = Block(formula.forward.params, tuple(sweep.forward), results)
    pullback = Block(params, tuple(sweep.backward), gradients)
    return formula.evolve(forward=forward, pullback=pullback)


def no_derivative(formula: Formula, missing: NoDerivative) -> FormulaError:
    """The located error for a gradient that would have to pass an operator without a derivative."""
    eqn = missing.eqn
    span = eqn.span if eqn is not None and eqn.span is not None else formula.span
    callee = eqn.kwarg("callee") if eqn is not None else None
    value = str(callee.value) if isinstance(callee, Literal) else (eqn.op if eqn is not None else "")
    diagnostic = Diagnostic(
        "PB106",
        "no-derivative",
        "error",
        f"the gradient of {formula.name!r} passes {value!r}, whose derivative is not known: {missing.what}",
        span,
        formula.name,
        value,
        f"write it in the vocabulary, or give {value!r} a formula of its own with @pb.formula",
    )
    return FormulaError([diagnostic], formula.source)


def _own_results(formula: Formula, namer: Namer) -> tuple[tuple[Eqn, ...], tuple[Atom, ...]]:
    """Results that are parameters, or the same value twice, get an equation of their own."""
    eqns, results = list(formula.forward.eqns), []
    taken: set[Var] = set(formula.forward.params)
    for atom in formula.forward.results:
        if isinstance(atom, Var) and atom in taken and atom.kind == "tensor":
            copy = namer.fresh(atom.name)
            eqns.append(Eqn((copy,), "positive", (atom,), span=formula.span))
            atom = copy
        if isinstance(atom, Var):
            taken.add(atom)
        results.append(atom)
    return tuple(eqns), tuple(results)
