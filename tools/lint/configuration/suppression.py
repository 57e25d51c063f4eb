"""Comments that silence: ``# noqa``, ``# noqa: PB101, PB203``, and for a whole file ``# pullback: noqa``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

# A colon without codes silences nothing: it is a slip of the pen.
_WHICH = r"noqa(?:\s*:\s*(?P<codes>[a-z]+[0-9]+(?:[,\s]+[a-z]+[0-9]+)*)|(?!\s*:)\b)"
_LINE = re.compile(rf"#\s*{_WHICH}", re.IGNORECASE)
_FILE = re.compile(rf"^\s*#\s*pullback\s*:\s*{_WHICH}", re.IGNORECASE | re.MULTILINE)


def without_silenced(findings: Sequence[Diagnostic], source: Source) -> list[Diagnostic]:
    """The findings that no comment silences.

    A comment counts at the first and at the last line of what a finding marks. A code silences all that
    begin with it.
    """
    if "noqa" not in source.text.lower():
        return list(findings)
    whole = list(_FILE.finditer(source.text))

    def silenced(finding: Diagnostic) -> bool:
        if finding.span.path != source.path:
            return False
        lines = {source.line(number) for number in (finding.span.line, finding.span.end_line)}
        comments = [match for line in lines for match in _LINE.finditer(line)]
        return any(_names(match, finding.code) for match in (*whole, *comments))

    return [finding for finding in findings if not silenced(finding)]


def _names(match: re.Match[str], code: str) -> bool:
    codes = match["codes"]
    return codes is None or any(code.startswith(prefix) for prefix in re.split(r"[,\s]+", codes.upper()))
