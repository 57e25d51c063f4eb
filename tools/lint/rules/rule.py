"""A lint rule: its code, its documentation, and where it checks something itself, a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pullback.transpile.codes import CODES
from pullback.transpile.diagnostics import Diagnostic, Severity
from pullback.transpile.ir import Formula

from ..frontend.modules import TorchModule

Check = Callable[[Formula], Iterator[Diagnostic]]
CheckModule = Callable[[TorchModule], Iterator[Diagnostic]]

HEADINGS = ("What it does", "Why is this bad?", "Example", "Use instead", "References")


@dataclass(frozen=True)
class Rule:
    """One rule.

    `documentation` has the five headings of `HEADINGS`. `check` is None where `pullback.transpile` finds
    it: the frontend for what it cannot read, an analysis for the rest. `check_module` checks a whole file.
    """

    code: str
    documentation: str | None
    check: Check | None = None
    check_module: CheckModule | None = None

    @property
    def name(self) -> str:
        """The spoken name, as in the table of codes."""
        return CODES[self.code].rule

    @property
    def severity(self) -> Severity:
        """The severity of a finding."""
        return CODES[self.code].severity

    def section(self, heading: str) -> str:
        """The text under one of the five headings."""
        parts = re.split(r"^## (.+)$", self.documentation or "", flags=re.MULTILINE)
        sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        return sections[heading].strip()

    def snippet(self, heading: str) -> str:
        """The Python code under a heading."""
        found = re.search(r"^```python\n(.*?)^```$", self.section(heading), flags=re.MULTILINE | re.DOTALL)
        if found is None:
            raise ValueError(f"{self.code}: no Python code under {heading!r}")
        return found.group(1)

    @property
    def page(self) -> str:
        """The page of documentation, in Markdown."""
        title = f"# {self.code}: {self.name}\n\nSeverity: {self.severity}.\n\n"
        return title + (self.documentation or "").strip() + "\n"
