"""Captured intermediates become hidden outputs, and the pullback gains their gradient terms.

In: a formula as it was read (or one without a closure, which is derived). Out:
the same formula with ``promoted=True``:

- ``forward.results`` are the results, the hidden outputs, the plain saved values;
- ``pullback.params`` are a cotangent per result and one per hidden output;
- the pullback begins with the reverse sweep of the slice of the forward that
  computes the hidden outputs, and adds what it finds to the closure's gradients.

``t = a + b; r = t * b`` with a closure that reads `t` becomes a forward that
returns `r` and `t`, and a pullback of `grad` and `grad_t`. The sweep captures
values itself, so this is a fixpoint: two or three rounds in practice. Where the
closure is derived, one sweep takes the results and the hidden outputs, and passes
each operator once.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> simple = formula_in('''
... def simple(a, b):
...     t = a + b
...     r = t * b
...     def simple_pullback(grad):
...         return grad * b, grad * t + grad * b
...     return r, simple_pullback
... ''')
>>> print(formula_text(promote(simple, standard_library())))
formula simple(a: Tensor, b: Tensor)
  forward:
    like_a = like(a)
    like_b = like(b)
    t = add(a, b)
    r = multiply(t, b)
    return result r, hidden t, plain like_a, plain like_b
  pullback(grad, grad_t):
    grad_a_1 = sum_to(grad_t, like=like_a)
    grad_b_1 = sum_to(grad_t, like=like_b)
    _1 = multiply(grad, b)
    _2 = multiply(grad, t)
    _3 = add(_2, _1)
    grad_a_2 = sum_to(_1, like=like_a)
    grad_b_2 = sum_to(_3, like=like_b)
    grad_a = accumulate(grad_a_2, grad_a_1)
    grad_b = accumulate(grad_b_2, grad_b_1)
    return grad_a, grad_b
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...analysis.complex_values import stays_complex
from ...analysis.differentiability import Flow, flows, intermediates
from ...analysis.types import known_types, param_types
from ...derivatives import Derivatives, NoDerivative
from ...ir import Atom, Block, Capture, Eqn, Formula, Literal, Var
from ...rewrite import Namer, label, replace_block
from ..differentiate.block import differentiate
from ..differentiate.derive import derive, derive_closure
from ..differentiate.missing_derivative import no_derivative
from ..readable.naming import name_gradients, name_saved
from ..simplify.simplify import remove_dead, simplify, simplify_forward
from .normalize import normalize, stack_lists
from .recompute import compute_again, recompute_captures, recompute_constants
from .save_or_recompute import Chooser, interpreted


def promote(formula: Formula, library: Derivatives, choose: Chooser = interpreted) -> Formula:
    """The formula with hidden outputs; `choose` says what is saved and what is computed again.

    Raises FormulaError where a gradient would have to pass an operator whose
    derivative is not known. A captured value behind an opaque call is saved
    plainly, and `barrier` then says why second derivatives are refused.
    """
    if formula.promoted:
        return formula
    is_derived = formula.pullback is None
    formula = recompute_captures(normalize(derive(formula, library)))
    try:
        return _promoted(formula, is_derived, library, choose)
    except NoDerivative as missing:
        raise no_derivative(formula, missing) from None


def _promoted(formula: Formula, is_derived: bool, library: Derivatives, choose: Chooser) -> Formula:
    """The formula with what its closure captures as hidden outputs, and what these need in turn."""
    hidden: tuple[Var, ...] = ()
    attempt = _with_sweep(formula, hidden, library)
    while True:
        plan = choose(attempt, hidden, library)
        settled = compute_again(attempt, plan.again, plan.stops)
        captured = {*hidden, *intermediates(settled)}
        # Hidden outputs of operators on the slice stay named in the forward for the next round.
        formula = formula.evolve(forward=attempt.forward)
        saved = tuple(var for eqn in formula.forward.eqns for var in eqn.outs if var in captured)
        if saved == hidden:
            return _finish(settled, hidden)
        hidden = saved
        if is_derived:
            swept = derive_closure(formula.evolve(pullback=None), hidden, library)
            attempt = recompute_captures(normalize(swept))
        else:
            attempt = _with_sweep(formula, hidden, library)


def _with_sweep(formula: Formula, hidden: Sequence[Var], library: Derivatives) -> Formula:
    """The formula whose pullback also propagates the gradients of `hidden`."""
    assert formula.pullback is not None
    closure, namer, rules = formula.pullback, Namer.of(formula), dict(formula.rules)
    results = formula.forward.results[: formula.results]
    incoming = {h: rules[h] if h in rules else namer.fresh(f"grad_{label(h)}") for h in hidden}
    stop = {atom for atom in results if isinstance(atom, Var)} | set(rules)
    inputs = [param.var for param in formula.inputs]
    seeds = {h: grad for h, grad in incoming.items() if h not in rules}
    known = param_types(formula)
    sweep = differentiate(formula.forward.eqns, seeds, inputs, stop, library, namer, known)
    eqns = list(sweep.backward)

    # What the sweep brings to a result or to a value with a rule reaches the author's closure.
    env: dict[Var, Atom] = {}
    own = dict(zip(results, closure.params, strict=False)) | rules
    for value, param in own.items():
        gradient = sweep.cotangents.get(value) if isinstance(value, Var) else None
        if gradient is None:
            continue
        if param in incoming.values() or value in results:
            total = namer.fresh(param.name)
            eqns.append(Eqn((total,), "accumulate", (param, gradient)))
            gradient = total
        env[param] = gradient
    author = replace_block(closure, env)
    eqns += author.eqns
    gradients: list[Atom] = []
    for var, atom in zip(inputs, author.results, strict=True):
        gradient = sweep.cotangents.get(var)
        if gradient is not None and isinstance(atom, Var):
            total = namer.fresh(f"grad_{var.name}", var.kind)
            eqns.append(Eqn((total,), "accumulate", (atom, gradient)))
            gradient = total
        gradients.append(atom if gradient is None else gradient)
    params = (*closure.params[: formula.results], *incoming.values())
    unused = {rule for rule in rules.values() if rule not in params and rule not in env}
    body = replace_block(Block(params, tuple(eqns), tuple(gradients)), dict.fromkeys(unused, Literal(None)))
    forward = Block(formula.forward.params, tuple(sweep.forward), formula.forward.results)
    return stack_lists(formula.evolve(forward=forward, pullback=body), namer)


def _finish(formula: Formula, hidden: tuple[Var, ...]) -> Formula:
    """Name what is saved: results, hidden outputs, and plain values."""
    pullback, forward = formula.pullback, formula.forward
    assert pullback is not None
    forward = Block(forward.params, forward.eqns, (*forward.results, *hidden))
    formula = formula.evolve(hidden=hidden, promoted=True, forward=forward)
    if formula.options.complex and not stays_complex(formula):
        formula = formula.evolve(options=replace(formula.options, complex=False))
    formula = formula.evolve(barrier=formula.barrier or _barrier(formula))
    formula = formula.evolve(pullback=simplify(pullback, known_types(formula)))
    formula = name_saved(recompute_constants(simplify_forward(formula)))
    assert formula.pullback is not None
    outputs = formula.forward.results
    inputs = {param.var for param in formula.params if not param.attribute}
    plain = tuple(var for var in formula.pullback.free() if var not in inputs and var not in outputs)
    forward = Block(formula.forward.params, formula.forward.eqns, (*outputs, *plain))
    forward = Block(forward.params, tuple(remove_dead(list(forward.eqns), forward.results)), forward.results)
    captures = tuple(_settled(capture, formula) for capture in formula.captures)
    formula = formula.evolve(forward=forward, plain=plain, captures=captures)
    assert formula.pullback is not None
    return formula.evolve(pullback=name_gradients(formula, formula.pullback))


def _barrier(formula: Formula) -> str:
    """The reason why second derivatives are refused, or an empty string."""
    assert formula.pullback is not None
    if formula.options.first_order_only:
        return f"{formula.name} is marked first_order_only ({formula.span})"
    flow = flows(formula)
    captured = [var for var in formula.pullback.free() if flow.get(var) is Flow.OPAQUE]
    if captured:
        return (
            f"{formula.name} captures {captured[0].name!r}, which comes from a call that the vocabulary "
            f"does not know, so its gradient is lost ({formula.span})"
        )
    saved = {*formula.forward.params, *formula.forward.results, *formula.hidden}
    for var in formula.pullback.free():
        if var.kind != "value" and flow.get(var) is Flow.DIFFERENTIABLE and var not in saved:
            return f"{formula.name} captures {var.name!r}, which cannot be a hidden output ({formula.span})"
    for eqn in formula.pullback.every():
        if eqn.op == "opaque" and eqn.outs[0].kind != "value":
            return f"the closure of {formula.name} calls what the vocabulary does not know ({eqn.span})"
    return ""


def _settled(capture: Capture, formula: Formula) -> Capture:
    """The capture with what became of it."""
    if any(var.name == capture.name for var in formula.hidden):
        rule = any(var.name == capture.name for var, _ in formula.rules)
        return replace(capture, action="rule" if rule else "promoted")
    if capture.name in formula.options.recompute:
        return replace(capture, action="recomputed")
    return capture
