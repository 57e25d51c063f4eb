"""The verdict on each value that the closure captures.

In: a formula as it was read, and where things stand. Out: its captures, and a
finding for each one that cannot be used. A value has one verdict. Sizes that
the closure asks for were moved to the forward when it was read, so a tensor is
captured only where its entries are used.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..codes import diagnostic
from ..diagnostics import Diagnostic
from ..ir import Capture, Eqn, Formula, Span, Var, Verdict
from .aliases import bases
from .differentiability import Flow, flows, leaves_the_graph
from .facts import Facts
from .gradient_path import lost_path


def captures_of(
    formula: Formula, facts: Facts, losing: frozenset[str] = frozenset()
) -> tuple[tuple[Capture, ...], list[Diagnostic]]:
    """The captures in order of first use, and findings about opaque ones.

    PB103 where an unknown call computes the value, PB102 where the forward
    itself made a fresh value of another one by a function of `losing`.
    """
    if formula.pullback is None:
        return (), []
    flow = flows(formula)
    table = {out: eqn for eqn in formula.forward.every() for out in eqn.outs}
    captures, findings = [], []
    for var in formula.pullback.free():
        verdict, action, reason = _verdict(var, formula, flow, table)
        span = facts.used.get(var, formula.span)
        captures.append(Capture(var.name, verdict, span, facts.defined.get(var), action, reason))
        if verdict is Verdict.OPAQUE and not formula.options.first_order_only:
            eqn = table.get(var)
            lost = eqn is not None and (leaves_the_graph(eqn) or facts.opaque.get(var, "") in losing)
            if eqn is not None and lost:
                findings.append(lost_path(eqn, next(iter(eqn.reads()), var), formula, facts))
            else:
                findings.append(_opaque(var, formula, table, span, facts))
    return tuple(captures), findings


def _verdict(
    var: Var, formula: Formula, flow: Mapping[Var, Flow], table: Mapping[Var, Eqn]
) -> tuple[Verdict, str, str]:
    """The verdict on a captured variable: what it is, what happens to it, and why."""
    param = next((param for param in formula.params if param.var == var), None)
    if param is not None:
        if var.kind == "value":
            return Verdict.SIZE, "saved as a value", "a number or other plain parameter"
        if not param.differentiable:
            return Verdict.NOT_DIFFERENTIABLE, "saved", "an attribute has no gradient"
        return Verdict.INPUT, "saved", "a parameter"
    results = formula.forward.results[: formula.results]
    if var in results:
        return Verdict.RESULT, "saved", "a returned value"
    if any(var == target for target, _ in formula.rules):
        return Verdict.INTERMEDIATE, "rule", "its gradient has a hand-written rule"
    state = flow.get(var, Flow.NONE)
    if state is Flow.OPAQUE:
        return Verdict.OPAQUE, "refused", f"computed through {_culprit(var, table) or 'an unknown call'}"
    if var.kind == "value":
        return Verdict.SIZE, "saved as a value", "a size, dtype or number"
    if state <= Flow.NONE:
        return Verdict.NOT_DIFFERENTIABLE, "saved", _why_not(table.get(var))
    return _intermediate(var, formula, table)


def _intermediate(var: Var, formula: Formula, table: Mapping[Var, Eqn]) -> tuple[Verdict, str, str]:
    if var.name in formula.options.recompute:
        return Verdict.INTERMEDIATE, "recomputed", "the formula asks for it"
    base = bases(formula.forward.eqns).get(var)
    saved = {*formula.forward.params, *formula.forward.results}
    if base is not None and base in saved:
        kind = "result" if base in formula.forward.results else "input"
        return Verdict.VIEW, "saved", f"a view of the {kind} `{base.name}`, rebuilt from it"
    if formula.options.first_order_only:
        return Verdict.INTERMEDIATE, "saved", "second derivatives are refused (first_order_only)"
    eqn = table.get(var)
    return Verdict.INTERMEDIATE, "promoted", f"computed by `{eqn.op}`" if eqn is not None else ""


def _why_not(eqn: Eqn | None) -> str:
    if eqn is None:
        return "carries no gradient"
    if eqn.op in ("if", "opaque", "astype"):
        return "depends on no differentiable input in a differentiable way"
    return f"`{eqn.op}` of it has no gradient, or a zero one"


def _culprit(var: Var, table: Mapping[Var, Eqn]) -> str:
    """The call that hides where a value comes from."""
    queue, seen = [var], {var}
    while queue:
        eqn = table.get(queue.pop(0))
        if eqn is None:
            continue
        if eqn.op == "opaque":
            return f"`{eqn.kwarg('callee')}`".replace("'", "")
        if leaves_the_graph(eqn):
            return f"`{eqn.op}`"
        inner = [
            item for block in eqn.blocks for item in (*block.free(), *block.results) if isinstance(item, Var)
        ]
        fresh = [item for item in (*eqn.reads(), *inner) if item not in seen]
        seen.update(fresh)
        queue += fresh
    return ""


def _opaque(var: Var, formula: Formula, table: Mapping[Var, Eqn], span: Span, facts: Facts) -> Diagnostic:
    name, culprit = facts.label(var), _culprit(var, table) or "a call"
    return diagnostic(
        "PB103",
        f"`{name}` is captured and comes from {culprit}, whose derivative is unknown: it cannot be promoted",
        span,
        name=formula.name,
        value=name,
        hint=f"state a rule with a parameter `grad_{name}`, mark the formula first_order_only=True, "
        "or write it with operators of the vocabulary",
    )
