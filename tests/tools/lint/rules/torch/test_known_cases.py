"""Lint against measured classes of published packages, which the test fetches at pinned versions."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pullback.tools.lint.analyses.facts import Program
from pullback.tools.lint.linter import lint_source
from pullback.tools.modules import find_module
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from ....packages import fetched
from .known_cases import FIRST, PACKAGES, RIGHT, WRONG, Case

pytestmark = pytest.mark.slow

Lint = Callable[[Case], list[Diagnostic]]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of each package's text; nothing of it is imported."""
    found = fetched(PACKAGES, tmp_path_factory.mktemp("packages"))
    torch = importlib.util.find_spec("torch")
    if torch is not None and torch.origin is not None:
        found["torch"] = Path(torch.origin).parents[1]
    return found


@pytest.fixture(scope="module")
def lint(packages: dict[str, Path]) -> Lint:
    """The findings of severity error or warning about a class."""
    program = Program(find_module)

    def of(case: Case) -> list[Diagnostic]:
        if case.package not in packages:
            pytest.skip(f"{case.package} is not installed")
        path = packages[case.package] / case.path
        found = lint_source(Source(str(path), path.read_text()), program).findings
        return [finding for finding in found if finding.name == case.name and finding.severity != "info"]

    return of


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_a_silently_wrong_second_derivative_is_found(
    case: Case, lint: Lint, packages: dict[str, Path]
) -> None:
    found = [finding for finding in lint(case) if finding.value in case.values]
    assert found
    lines = (packages[case.package] / case.path).read_text().split("\n")
    for finding in found:  # some line that it names is one where the value is written
        named = [finding.span.line, *map(int, re.findall(r"line (\d+)", finding.message))]
        written = finding.value.rpartition(".")[2]
        assert any(written in lines[line - 1] for line in named if line <= len(lines)), finding


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_a_right_class_has_no_error(case: Case, lint: Lint) -> None:
    assert [finding for finding in lint(case) if finding.severity == "error"] == []


def test_few_right_classes_have_a_warning(lint: Lint) -> None:
    warned = [case.name for case in RIGHT if lint(case)]
    assert len(warned) <= 0.15 * len(RIGHT), warned


@pytest.mark.parametrize("case", FIRST, ids=lambda case: case.name)
def test_a_wrong_first_derivative_is_found(case: Case, lint: Lint) -> None:
    assert {finding.value for finding in lint(case)} & set(case.values)
