"""A rule about ``torch.autograd.Function`` classes, and the text of its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pullback.transpile.codes import CODES
from pullback.transpile.diagnostics import Diagnostic, Severity
from pullback.transpile.ir import Span

from ....wording import listed
from ...analyses.facts import ClassFacts, Saved
from ..rule import Rule

CheckClass = Callable[[ClassFacts], Iterator[Diagnostic]]

SECOND = "second derivatives are silently wrong"


@dataclass(frozen=True)
class TorchRule(Rule):
    """A rule about classes. `grade`: its severity there, where a formula's is another."""

    check_class: CheckClass | None = None
    grade: Severity | None = None

    @property
    def severity(self) -> Severity:
        """The severity of a finding in a class."""
        return self.grade or super().severity


def finding(
    code: str,
    facts: ClassFacts,
    message: str,
    span: Span,
    value: str,
    hint: str,
    grade: Severity | None = None,
) -> Diagnostic:
    """A finding about a class."""
    rule, severity = CODES[code]
    return Diagnostic(code, rule, grade or severity, message, span, name=facts.name, value=value, hint=hint)


def path_of(saved: Saved) -> str:
    """``computed from `a` (line 7), saved (line 9), enters the returned gradient (line 12, line 13)``."""
    parts = []
    source = f" from {listed(saved.inputs, most=3)}" if saved.inputs else ""
    where = f" ({_at(saved.computed, saved.saved)})" if saved.computed is not None else ""
    if source or where:
        parts.append(f"computed{source}{where}")
    parts.append(f"saved (line {saved.saved.line})")
    if saved.returned is not None:
        used = saved.used or saved.returned
        places = dict.fromkeys([_at(used, saved.saved), _at(saved.returned, saved.saved)])
        parts.append(f"enters the returned gradient ({', '.join(places)})")
    return ", ".join(parts)


def _at(span: Span, near: Span) -> str:
    """``line 3``, or ``other.py, line 3``."""
    file = "" if span.path == near.path else span.path.rpartition("/")[2] + ", "
    return f"{file}line {span.line}"


def lost_term(saved: Saved) -> str:
    """The term that the second derivative lacks."""
    inputs = listed(saved.inputs, most=3) if saved.inputs else "the inputs"
    return f"the term that goes through `{saved.name}` to {inputs} is lost"
