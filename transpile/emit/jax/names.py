"""JAX's names of NumPy's functions, and findings for what it has none for."""

from __future__ import annotations

from ...codes import diagnostic
from ...diagnostics import Diagnostic
from ...ir import STRUCTURAL, Eqn, Formula, Literal, Span
from ...operators import BY_FULL_NAME, OPERATORS, SCIPY_ONLY, VALUE_CALLS, info_of, instead_of
from ...operators.plain import PLAIN_FUNCTIONS

# Functions of SciPy without kernels that JAX has.
_OF_JAX = frozenset(
    (
        *("betainc", "boxcox", "boxcox1p", "expn", "gammainc", "gammaincc"),
        *("hyp1f1", "hyp2f1", "owens_t", "poch", "spence"),
    )
)
# Functions of the vocabulary that neither JAX nor a helper has, by their full names.
LACKING = frozenset(
    (
        *("scipy.special." + name for name in ("erfi", "rgamma", "j0", "j1", "y0", "y1")),
        *("scipy.special." + name for name in ("k0", "k0e", "k1", "k1e")),
        *("pullback.primitives." + name for name in ("bessel_i", "bessel_j", "refuse_gradient")),
        *(OPERATORS[name].python for name in SCIPY_ONLY - _OF_JAX),
    )
)
OWN = {
    "pullback.stop_gradient": "jax.lax.stop_gradient",
    "pullback.sigmoid": "jax.nn.sigmoid",
    "pullback.softplus": "jax.nn.softplus",
    "pullback.relu": "jax.nn.relu",
}


def missing(formula: Formula, dotted: str, span: Span) -> Diagnostic:
    """The finding that JAX has no counterpart of a function, at its call."""
    message = f"JAX has no counterpart of `{dotted}`, which {formula.name!r} needs"
    hint = "write it with functions that jax.numpy and jax.scipy.special have"
    return diagnostic("PB502", message, span, name=formula.name, hint=hint)


def unknown_calls(formula: Formula) -> list[Diagnostic]:
    """Findings for calls of functions that the vocabulary does not know: they run on NumPy."""
    findings = []
    for eqn in formula.every():
        callee = eqn.kwarg("callee")
        if eqn.op != "opaque" or not isinstance(callee, Literal) or _is_plain(eqn, callee):
            continue
        if callee.value not in BY_FULL_NAME:
            message = f"`{callee.value}` is not known to have a counterpart in JAX"
            instead = instead_of(str(callee.value)) or "it with functions of the vocabulary"
            hint = f"write {instead}, or make it a formula"
            span = eqn.span or formula.span
            findings.append(diagnostic("PB502", message, span, name=formula.name, hint=hint))
    return list(dict.fromkeys(findings))


def _is_plain(eqn: Eqn, callee: Literal) -> bool:
    """True for a function of Python's own values."""
    return callee.value in PLAIN_FUNCTIONS and eqn.outs[0].kind == "value"


def calls_of_formulas(formula: Formula) -> list[Eqn]:
    """The calls of other formulas, which a module has to hold too."""
    return [
        eqn
        for eqn in formula.every()
        if info_of(eqn.op) is None and eqn.kwarg("callee") is None and _is_call(eqn.op)
    ]


def called_formulas(formula: Formula) -> list[Diagnostic]:
    """Findings for calls of operators of several results."""
    several = (eqn for eqn in formula.every() if eqn.op in OPERATORS and len(eqn.outs) > 1)
    return [called_formula(formula, eqn) for eqn in several]


def called_formula(formula: Formula, eqn: Eqn) -> Diagnostic:
    """The finding for a call of what a module can't hold."""
    message = f"{formula.name!r} calls the formula `{eqn.op}`, which a module of its own does not hold"
    hint = "write what it computes, or use pullback.jax.function, which takes both"
    return diagnostic("PB502", message, eqn.span or formula.span, name=formula.name, hint=hint)


def _is_call(op: str) -> bool:
    return op not in STRUCTURAL and op not in VALUE_CALLS and op not in BY_FULL_NAME
