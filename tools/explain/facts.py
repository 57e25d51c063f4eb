"""Facts of a formula's captures, for every format that shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf

from pullback.transpile.analysis.costs import MOVE, MOVE_MASK, mask_values, small_values
from pullback.transpile.analysis.written import written
from pullback.transpile.ir import Capture, Eqn, Formula, Var, Verdict
from pullback.transpile.library import Library
from pullback.transpile.passes.differentiate.derive import derive
from pullback.transpile.passes.promote.normalize import normalize
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.promote.recompute import recompute_captures
from pullback.transpile.passes.promote.save_or_recompute import Plan, fused, prices
from pullback.transpile.rewrite import slice_of


@dataclass(frozen=True)
class Decision:
    """A captured value: what it is, what is done with it on arrays and in a kernel, and why.

    name       the author's, or the expression that computes a value without one; with the
               number of iterations of an unrolled loop that make the same decision
    line       of its first use in the closure; of what computes it, for a value that only
               the gradients of other captures read
    saved      bytes per element of a float32 input that live until the backward
    arrays     what happens where every operator is a NumPy call
    kernel     what happens in a compiled formula
    """

    name: str
    verdict: str
    line: int
    saved: str
    arrays: str
    kernel: str
    why: str


@dataclass(frozen=True)
class Facts:
    """A formula with the decisions about its captures.

    `lost` are the values on the way from the inputs to a captured intermediate: the path
    on which an engine that only saves the intermediate loses its gradient.
    """

    formula: Formula
    decisions: tuple[Decision, ...]
    lost: frozenset[Var]


def facts_of(formula: Formula, library: Library) -> Facts:
    """The facts about a formula as it was read; a closure that isn't written is derived first."""
    derived = derive(formula, library)
    settled = recompute_captures(normalize(derived))
    plan = fused(settled, (), library)
    arrays, kernel = promote(formula, library), promote(formula, library, fused)
    captures = list(formula.captures) or list(_of_derived(settled))
    decisions = [_decision(capture, settled, plan, library, arrays, kernel) for capture in captures]
    names = {decision.name for decision in decisions}
    decisions += [_of_sweep(var, arrays, kernel) for var in arrays.hidden if var.name not in names]
    eqns = (*derived.forward.eqns, *settled.forward.eqns, *arrays.forward.eqns)
    counts = Counter(
        replace(d, name=written(d.name, eqns, formula.source, "a value between")) for d in decisions
    )
    decisions = [replace(d, name=f"{d.name} ×{n}") if n > 1 else d for d, n in counts.items()]
    wanted = {capture.name for capture in captures if capture.verdict is Verdict.INTERMEDIATE}
    wanted |= {var.name for var in arrays.hidden}
    return Facts(derived, tuple(decisions), frozenset(_lost(derived, wanted)))


def _of_derived(formula: Formula) -> Iterator[Capture]:
    """Captures of a closure that nobody wrote."""
    assert formula.pullback is not None
    table = {out: eqn for eqn in formula.forward.eqns for out in eqn.outs}
    params = {param.var for param in formula.params}
    for var in formula.pullback.free():
        if var.kind != "tensor":
            continue
        if var in params:
            yield Capture(var.name, Verdict.INPUT, formula.span, None, "saved", "a parameter")
        else:
            span = table[var].span or formula.span
            result = var in formula.forward.results[: formula.results]
            verdict = Verdict.RESULT if result else Verdict.INTERMEDIATE
            action = "saved" if result else "promoted"
            yield Capture(var.name, verdict, span, span, action, f"computed by `{table[var].op}`")


def _decision(
    capture: Capture, settled: Formula, plan: Plan, library: Library, arrays: Formula, kernel: Formula
) -> Decision:
    var = next((out for eqn in settled.forward.eqns for out in eqn.outs if out.name == capture.name), None)
    promoted = {hidden.name for hidden in arrays.hidden}
    on_arrays = "hidden output" if capture.name in promoted else _SAID.get(capture.action, capture.action)
    if capture.action == "promoted" and capture.name not in promoted:
        on_arrays = "computed again"
    in_kernel, why = on_arrays, capture.reason
    if var is not None and var in plan.again:
        saving, again = prices(settled, var, plan, library)
        in_kernel = "computed again"
        why = f"{again:.3g} bytes against {saving:g}"
        if capture.name in settled.options.recompute:
            why = "the formula asks for it"
    elif var is not None and any(hidden.name == capture.name for hidden in kernel.hidden):
        in_kernel, why = "hidden output", _why_saved(settled, var, plan, library)
    return Decision(
        capture.name,
        capture.verdict.value,
        capture.span.line,
        _saved(capture, settled.forward.eqns, var),
        on_arrays,
        in_kernel,
        why,
    )


_SAID = {"saved": "saved", "saved as a value": "saved as a value", "rule": "rule by hand"}


def _why_saved(settled: Formula, var: Var, plan: Plan, library: Library) -> str:
    if var.name in settled.options.save:
        return "the formula asks for it"
    saving, again = prices(settled, var, plan, library)
    if again == inf:
        return "not repeated: it joins elements"
    if saving < MOVE:
        return "small"
    return f"{saving:g} bytes against {again:.3g}"


def _saved(capture: Capture, eqns: Iterable[Eqn], var: Var | None) -> str:
    if capture.verdict in (Verdict.INPUT, Verdict.RESULT, Verdict.VIEW):
        return f"{MOVE:g}, shared"
    if capture.verdict is Verdict.SIZE or var is None:
        return "0"
    if var in small_values(eqns):
        return f"< {MOVE:g}"
    return f"{MOVE_MASK:g}" if var in mask_values(eqns) else f"{MOVE:g}"


def _of_sweep(var: Var, arrays: Formula, kernel: Formula) -> Decision:
    """A value that the gradients of the captured ones need in their turn."""
    eqn = next((eqn for eqn in arrays.forward.eqns if var in eqn.outs), None)
    line = eqn.span.line if eqn is not None and eqn.span is not None else arrays.span.line
    saved = f"< {MOVE:g}" if var in small_values(arrays.forward.eqns) else f"{MOVE:g}"
    also = any(hidden.name == var.name for hidden in kernel.hidden)
    return Decision(
        var.name,
        Verdict.INTERMEDIATE.value,
        line,
        saved,
        "hidden output",
        "hidden output" if also else "computed again",
        "for the gradients of others",
    )


def _lost(formula: Formula, names: set[str]) -> set[Var]:
    """The variables between the inputs and the values of these names, both included."""
    made = {out for eqn in formula.forward.eqns for out in eqn.outs if out.name in names}
    results = {atom for atom in formula.forward.results if isinstance(atom, Var)} - made
    on_the_way = slice_of(formula.forward.eqns, made, results)
    inputs = {param.var for param in formula.inputs}
    found = {out for eqn in on_the_way for out in eqn.outs if out.kind == "tensor"}
    return found | {var for eqn in on_the_way for var in eqn.reads() if var in inputs}
