"""Facts that reading a formula finds out beside its equations, for the analyses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ir import Source, Span, Var


@dataclass(frozen=True)
class Facts:
    """Places and names.

    `defined` and `used`: where a variable is bound, and where the closure first reads it.
    `origin`: the author's name for it. `opaque`: the full name of the unknown function that
    computes it.
    """

    defined: Mapping[Var, Span] = field(default_factory=dict)
    used: Mapping[Var, Span] = field(default_factory=dict)
    origin: Mapping[Var, str] = field(default_factory=dict)
    opaque: Mapping[Var, str] = field(default_factory=dict)
    source: Source = field(default_factory=lambda: Source("", ""))

    def label(self, var: Var) -> str:
        """The author's name for a variable, or the text of the expression that computes it."""
        if var in self.origin or not var.temp:
            return self.origin.get(var, var.name)
        span = self.defined.get(var)
        if span is None or span.line != span.end_line:
            return var.name
        return self.source.line(span.line)[span.column - 1 : span.end_column - 1] or var.name
