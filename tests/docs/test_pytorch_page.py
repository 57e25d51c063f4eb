"""The page on PyTorch: its examples run, and give what it shows."""

from __future__ import annotations

import doctest
import re
import textwrap
from pathlib import Path

import pytest

from pullback.tools.cli import main

pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")]

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "pytorch.md").read_text(encoding="utf-8")
BLOCKS = [textwrap.dedent(found) for found in re.findall(r" *```python\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.compiler
def test_the_examples_give_what_they_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (formula,) = (block for block in BLOCKS if "@pb.formula" in block)
    (tmp_path / "page_of_pytorch.py").write_text(formula)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, object] = {}
    exec("from page_of_pytorch import softplus", names)
    shown = [block for block in BLOCKS if block.startswith(">>> ")]
    test = doctest.DocTestParser().get_doctest("\n".join(shown), names, "pytorch.md", "pytorch.md", 0)
    runner = doctest.DocTestRunner()
    runner.run(test, clear_globs=False)
    assert (runner.failures, runner.tries) == (0, len(test.examples))


def test_the_text_of_the_module_is_what_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [block for block in BLOCKS if block.startswith("$ pullback transpile")]
    for target, block in zip(("torch-python", "aten"), shown, strict=True):
        command, _, text = block.partition("\n")
        assert main(["transpile", str(ROOT / "examples/simple.py"), "-o", "-", "--target", target]) == 0
        assert f"examples/simple.py -o - --target {target}" in command
        assert text in capsys.readouterr().out


def test_lint_finds_what_the_page_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "classes.py").write_text("import torch\n\n\n" + BLOCKS[0])
    assert main(["lint", str(tmp_path / "classes.py")]) == 1
    assert "PB101" in capsys.readouterr().out
