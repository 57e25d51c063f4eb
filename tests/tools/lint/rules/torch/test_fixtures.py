"""Every fixture has its findings, all of them and no others, in comments on their lines."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pullback.tools.lint.analyses.facts import Program
from pullback.tools.lint.linter import lint_source
from pullback.tools.lint.rules import TORCH_RULES
from pullback.tools.modules import find_module
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

FOLDER = Path(__file__).resolve().parents[4] / "fixtures" / "lint_torch"
FILES = sorted(FOLDER.rglob("*.py"))
EXPECTED = re.compile(r"(PB\d{3}): (\w+), ([^;#]+?)(?=;|$)")
ADVICE = ("PB903", "PB904")


def expected(path: Path) -> Counter[tuple[int, str, str, str]]:
    """Line, code, class and value of each expectation in a file."""
    found: Counter[tuple[int, str, str, str]] = Counter()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        _, separator, comment = line.partition("  # PB")
        if separator:
            found.update((number, *match) for match in EXPECTED.findall("PB" + comment))
    return found


def findings() -> list[Diagnostic]:
    """Everything that lint finds in all fixtures; a finding may stand in another file than its class."""
    program = Program(find_module)
    return [
        found
        for path in FILES
        for found in lint_source(Source(str(path), path.read_text()), program).findings
        if found.code not in ADVICE or path.stem == "advice"
    ]


@pytest.fixture(scope="module")
def found() -> dict[str, Counter[tuple[int, str, str, str]]]:
    table: dict[str, Counter[tuple[int, str, str, str]]] = {str(path): Counter() for path in FILES}
    for finding in findings():
        table[finding.span.path][finding.span.line, finding.code, finding.name, finding.value] += 1
    return table


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_findings_are_those_in_the_comments(
    path: Path, found: dict[str, Counter[tuple[int, str, str, str]]]
) -> None:
    assert found[str(path)] == expected(path)


def test_every_rule_has_hits() -> None:
    codes = {code for path in FILES for _, code, _, _ in expected(path)}
    assert codes == set(TORCH_RULES)


def test_there_are_many_classes() -> None:
    text = "\n".join(path.read_text() for path in FILES)
    assert text.count("\nclass ") >= 150
