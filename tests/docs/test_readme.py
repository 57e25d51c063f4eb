"""What README.md shows is what happens."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from pullback.tools.cli import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_is_one_screen() -> None:
    assert len(README.splitlines()) <= 75


def test_the_lint_output_is_real(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = re.search(r"```\n\$ pullback (lint .*)\n((?:.*\n)*?)```", README)
    assert found is not None
    assert main(found.group(1).split()) == 0
    assert capsys.readouterr().out == found.group(2)


def test_the_session_is_real(tmp_path: Path) -> None:
    definition, session = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    path = tmp_path / "simple.py"
    path.write_text(definition)
    names: dict[str, object] = {}
    exec(compile(definition, str(path), "exec"), names)
    test = doctest.DocTestParser().get_doctest(session, names, "README.md", "README.md", 0)
    report: list[str] = []
    assert doctest.DocTestRunner().run(test, out=report.append).failed == 0, "".join(report)
