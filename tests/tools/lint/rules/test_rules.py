"""Every code is documented; every example is found by its rule, and every cure is clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.linter import lint_source
from pullback.tools.lint.rules import RULES, TORCH_RULES, Rule
from pullback.tools.lint.rules.pages import pages
from pullback.tools.lint.rules.rule import HEADINGS
from pullback.transpile.codes import CODES
from pullback.transpile.ir import Source

DOCS = Path(__file__).resolve().parents[4] / "docs" / "rules"

# What lint does not look for, and the command that finds it.
LATER = {
    "PB106": ["derive", "{}::smoothed"],
    "PB501": ["transpile", "{}", "-o", "-"],
    "PB502": ["transpile", "{}", "-o", "-", "--target", "torch-python"],
}


def codes_found(text: str) -> list[str]:
    return [d.code for d in lint_source(Source("example.py", text))[1]]


def test_every_code_has_a_rule_and_every_rule_a_code() -> None:
    assert sorted(RULES) == sorted(CODES)


EVERY = [*RULES.values(), *(rule for code, rule in TORCH_RULES.items() if RULES[code] is not rule)]


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: f"{rule.code} {type(rule).__name__}")
class TestRule:
    def test_documents_all_five_headings(self, rule: Rule) -> None:
        assert all(rule.section(heading) for heading in HEADINGS)

    def test_its_example_is_found(
        self, rule: Rule, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        if rule.code not in LATER:
            assert rule.code in codes_found(rule.snippet("Example"))
            return
        path = tmp_path / "example.py"
        path.write_text(rule.snippet("Example"))
        assert main([argument.format(path) for argument in LATER[rule.code]]) == 1
        assert f": {rule.code} error: " in capsys.readouterr().err

    def test_what_to_use_instead_is_clean(self, rule: Rule) -> None:
        text = rule.snippet("Use instead")
        found = lint_source(Source("example.py", text))[1]
        assert [d for d in found if d.severity != "info"] == []
        if rule.code != "PB100":
            assert rule.code not in codes_found(text)


def test_the_pages_in_docs_are_current() -> None:
    """Run ``python -m pullback.tools.lint.rules.pages docs/rules`` where this fails."""
    written = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    assert written == pages()
