"""A closure for a formula that has none: the reverse sweep of its whole forward.

In: a formula without a pullback. Out: the same formula with one. Its captured
intermediates are promoted afterwards like those of a hand-written closure.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> print(formula_text(derive(formula_in('''
... def growth(x):
...     return np.exp(x) * x
... '''), standard_library())))
formula growth(x: Tensor)
  forward:
    exp_x = exp(x)
    product = multiply(exp_x, x)
    like_exp_x = like(exp_x)
    like_x = like(x)
    return result product
  pullback(grad):
    _1 = multiply(grad, x)
    _2 = multiply(grad, exp_x)
    grad_exp_x = sum_to(_1, like=like_exp_x)
    grad_x = sum_to(_2, like=like_x)
    grad_x_1 = multiply(grad_exp_x, exp_x)
    grad_x_2 = accumulate(grad_x, grad_x_1)
    return grad_x_2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...analysis.complex_values import takes_complex
from ...analysis.differentiability import Flow, flow_of, propagate
from ...analysis.types import param_types
from ...derivatives import Derivatives, NoDerivative
from ...ir import Atom, Block, Formula, Literal, Var
from ...rewrite import Namer, label, own_results
from ..label_temporaries import label_temporaries
from .barriers import barrier_of
from .block import differentiate
from .missing_derivative import no_derivative
from .real_results import with_real_results
from .vector_products import without_vector_products


def derive(formula: Formula, library: Derivatives) -> Formula:
    """The formula with a closure, and without ``vjp``.

    Raises FormulaError where an operator on the way has no derivative.
    """
    formula = without_vector_products(formula, library)
    if formula.pullback is not None:
        return formula
    return derive_closure(label_temporaries(with_real_results(formula)), (), library)


def derive_closure(formula: Formula, hidden: Sequence[Var], library: Derivatives) -> Formula:
    """The formula with the closure of its results and of `hidden` values of its forward, in one sweep.

    Raises FormulaError where an operator on the way has no derivative.
    """
    namer = Namer.of(formula)
    eqns, results = own_results(formula.forward, namer, formula.span)
    names = ["grad"] if formula.results == 1 else [f"grad_{atom}" for atom in results]
    params = tuple(namer.fresh(name) for name in names)
    inputs = [param.var for param in formula.inputs]
    cotangents = {atom: param for atom, param in zip(results, params, strict=True) if isinstance(atom, Var)}
    incoming = {var: namer.fresh(f"grad_{label(var)}", var.kind) for var in hidden}
    params, cotangents = (*params, *incoming.values()), cotangents | incoming
    try:
        sweep = differentiate(eqns, cotangents, inputs, frozenset(), library, namer, param_types(formula))
    except NoDerivative as missing:
        raise no_derivative(formula, missing) from None
    gradients: tuple[Atom, ...] = tuple(sweep.cotangents.get(var, Literal(None)) for var in inputs)
    forward = Block(formula.forward.params, tuple(sweep.forward), results)
    pullback = Block(params, tuple(sweep.backward), gradients)
    why = barrier_of(eqns, sweep.cotangents, library)
    options = replace(
        formula.options,
        complex=takes_complex(formula, library),
        nondifferentiable=_without_gradient(formula),
    )
    return formula.evolve(forward=forward, pullback=pullback, barrier=why, options=options)


def _without_gradient(formula: Formula) -> tuple[int, ...]:
    """Indexes of the results without a gradient, such as `np.floor(x)`; those that the author names too."""
    env = {param.var: Flow(param.differentiable) for param in formula.params}
    ruled = dict.fromkeys((var for var, _ in formula.rules), Flow.DIFFERENTIABLE)
    propagate(formula.forward.eqns, env, ruled)
    results = formula.forward.results[: formula.results]
    found = {index for index, atom in enumerate(results) if flow_of(atom, env) < Flow.DIFFERENTIABLE}
    return tuple(sorted(found.union(formula.options.nondifferentiable)))
