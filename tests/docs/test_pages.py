"""The pages: links lead somewhere, formulas in them are right, exceptions and commands are all there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pullback as pb
from pullback.engine.core import errors
from pullback.tools.cli import COMMANDS
from pullback.tools.lint.linter import lint_source
from pullback.transpile.ir import Source

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
IMPORTS = "import numpy as np\nimport pullback as pb\n\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
class TestPage:
    def test_links_lead_somewhere(self, page: Path) -> None:
        for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target.partition("#")[0]).exists(), target

    def test_formulas_lint_clean(self, page: Path) -> None:
        for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            if "@pb.formula" in code:
                found = lint_source(Source(page.name, IMPORTS + code))[1]
                assert [d for d in found if d.severity != "info"] == []


def test_every_exception_is_documented() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, pb.PullbackError):
            assert f"`{name}`" in page


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"| `pullback {command}" in page


def test_every_lint_code_has_a_page_that_the_index_links() -> None:
    index = (ROOT / "docs" / "rules" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs" / "rules").glob("PB*.md"):
        assert f"({page.name})" in index
