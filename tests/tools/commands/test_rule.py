"""``pullback rule``: every rule is listed, and explains itself."""

from __future__ import annotations

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.rules import RULES


def test_all_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule"]) == 0
    out = capsys.readouterr().out
    assert all(code in out for code in RULES)


@pytest.mark.parametrize("which", ["PB103", "pb103", "opaque-capture"])
def test_a_rule_explains_itself_by_code_or_name(which: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", which]) == 0
    out = capsys.readouterr().out
    for heading in ("PB103: opaque-capture", "What it does", "Why is this bad?", "Use instead"):
        assert heading in out


def test_a_rule_about_formulas_and_classes_says_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "PB101"]) == 0
    out = capsys.readouterr().out
    assert "Severity: info in a formula, error in a torch.autograd.Function." in " ".join(out.split())
    assert "In a formula" in out
    assert "ctx.save_for_backward(b, t)" in out


def test_an_unknown_rule_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "PB999"]) == 2
    assert capsys.readouterr().err == "pullback: there is no rule PB999; `pullback rule` lists all\n"
