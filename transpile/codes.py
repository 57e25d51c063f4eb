"""The codes of all diagnostics: one table, so that a code means one thing everywhere.

PB1xx captures, PB2xx gradient contract, PB3xx mutation, PB4xx language fence,
PB5xx C++ and other libraries, PB9xx advice. `tools/lint/rules` documents each one; this module
only names them.
"""

from __future__ import annotations

from typing import NamedTuple

from .diagnostics import Diagnostic, Severity
from .ir import Span


class Code(NamedTuple):
    """A rule's spoken name and how grave a finding of it is."""

    rule: str
    severity: Severity


CODES: dict[str, Code] = {
    # captures
    "PB100": Code("capture", "info"),
    "PB101": Code("captured-intermediate", "info"),
    "PB102": Code("lost-gradient-path", "error"),
    "PB103": Code("opaque-capture", "error"),
    "PB104": Code("foreign-capture", "error"),
    "PB105": Code("recursion", "error"),
    "PB106": Code("no-derivative", "error"),
    "PB107": Code("conditional-capture", "warning"),
    "PB108": Code("once-differentiable", "warning"),
    "PB109": Code("inner-autograd", "error"),
    "PB110": Code("inner-autograd-shared", "warning"),
    "PB111": Code("loop-variable", "warning"),
    # gradient contract
    "PB201": Code("gradient-count", "error"),
    "PB202": Code("independent-gradient", "error"),
    "PB203": Code("nonlinear-pullback", "warning"),
    "PB204": Code("unknown-rule", "error"),
    "PB205": Code("cotangent-count", "error"),
    "PB206": Code("undefined-gradient", "error"),
    "PB207": Code("unused-gradient", "warning"),
    "PB208": Code("gradient-behind-other-need", "error"),
    "PB209": Code("called-instance", "error"),
    # mutation
    "PB301": Code("alias-mutated", "error"),
    "PB302": Code("gradient-mutated", "error"),
    "PB303": Code("mutated-after-capture", "error"),
    "PB304": Code("saved-mutated", "error"),
    "PB305": Code("input-mutated", "error"),
    "PB306": Code("input-on-context", "warning"),
    "PB307": Code("output-on-context", "warning"),
    "PB308": Code("saved-twice", "error"),
    "PB309": Code("unset-attribute", "error"),
    "PB310": Code("outside-context", "error"),
    # language fence
    "PB400": Code("unreadable", "error"),
    "PB401": Code("unsupported-statement", "error"),
    "PB402": Code("unsupported-expression", "error"),
    "PB403": Code("opaque-call", "warning"),
    "PB404": Code("call-arguments", "error"),
    "PB405": Code("no-closure", "error"),
    "PB406": Code("unsupported-parameter", "error"),
    "PB407": Code("unknown-name", "error"),
    "PB408": Code("decorator-option", "error"),
    "PB409": Code("impossible-shape", "error"),
    # C++
    "PB501": Code("not-compiled", "error"),
    # PyTorch and JAX
    "PB502": Code("no-equal", "error"),
    # advice
    "PB901": Code("recomputed-in-closure", "info"),
    "PB902": Code("widening-scalar", "info"),
    "PB903": Code("needs-ignored", "info"),
    "PB904": Code("input-returned", "info"),
}


def diagnostic(
    code: str, message: str, span: Span, *, name: str = "", value: str = "", hint: str = ""
) -> Diagnostic:
    """A finding with the rule and severity that belong to its code.

    >>> diagnostic("PB401", "no while", Span("f.py", 1, 1, 1, 6)).rule
    'unsupported-statement'
    """
    rule, severity = CODES[code]
    return Diagnostic(code, rule, severity, message, span, name=name, value=value, hint=hint)
