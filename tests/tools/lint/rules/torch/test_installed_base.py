"""A class whose base stands in an installed package, which is read as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.lint.frontend.modules import Program
from pullback.tools.lint.linter import lint_source
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

CORE = """import torch


class Base(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        t = slope(x)
        ctx.save_for_backward(t)
        return t * t

    @staticmethod
    def backward(ctx, grad):
        (t,) = ctx.saved_tensors
        return 2 * grad * t * t


def slope(x):
    return x.exp()
"""


def test_what_it_inherits_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "environment" / "site-packages" / "installed_base"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .core import Base\n")
    (package / "core.py").write_text(CORE)
    monkeypatch.syspath_prepend(str(package.parent))
    text = (
        "from installed_base import Base\n\n\nclass Mine(Base):\n    @staticmethod\n"
        "    def backward(ctx, grad):\n        (t,) = ctx.saved_tensors\n        return grad * t * t * 2\n"
    )
    path = tmp_path / "mine.py"
    path.write_text(text)
    found = lint_source(Source(str(path), text), Program(find_module)).findings
    shown = [finding for finding in found if finding.severity == "error"]
    assert [(f.code, f.name, f.value, Path(f.span.path).name, f.span.line) for f in shown] == [
        ("PB101", "Mine", "t", "core.py", 8)
    ]
