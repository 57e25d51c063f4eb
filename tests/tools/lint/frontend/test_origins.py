"""Classes are found wherever their ``Function`` comes from."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pullback.tools.lint.frontend.modules import Program
from pullback.tools.lint.linter import lint_source, may_have_classes
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

BODY = """
    @staticmethod
    def forward(ctx, x):
        t = x.exp() + 1
        ctx.save_for_backward(t)
        return t.log()

    @staticmethod
    def backward(ctx, grad):
        (t,) = ctx.saved_tensors
        return grad / t
"""
NESTED = textwrap.indent(BODY, "    ")


def of(head: str, base: str = "Function") -> str:
    return f"{head}\nclass A({base}):{BODY}"


FOUND = {
    "an alias": of("import torch\nFunction = torch.autograd.Function"),
    "another name": of("import torch\nclass Own(torch.autograd.Function):\n    pass\nBase = Own", "Base"),
    "a name with a fallback": of(
        "try:\n    import torch\n    from torch.autograd import Function\n"
        "except ImportError:\n    torch = None\n    Function = object"
    ),
    "a module with a fallback": of(
        "try:\n    import torch\nexcept ImportError:\n    torch = None", "torch.autograd.Function"
    ),
    "one of two": of("import torch\nFunction = torch.autograd.Function if torch else object"),
    "an import inside a function": (
        f"def make():\n    import torch\n    class A(torch.autograd.Function):{NESTED}"
    ),
    "importorskip": of("import pytest\ntorch = pytest.importorskip('torch')", "torch.autograd.Function"),
    "import_module": of(
        "import importlib\ntorch = importlib.import_module('torch')", "torch.autograd.Function"
    ),
    "all of torch.autograd": of("from torch.autograd import *"),
    "all of torch": of("from torch import *", "autograd.Function"),
    "all of an unknown module": of("from elsewhere import *"),
    "an unknown module": of("from elsewhere import Function"),
    "functions as methods": (
        f"import torch\n{textwrap.dedent(BODY).replace('@staticmethod', '')}\n"
        "class A(torch.autograd.Function):\n"
        "    forward = staticmethod(forward)\n    backward = staticmethod(backward)\n"
    ),
}
LEFT = {
    "a visitor": (
        "from elsewhere import Function\nclass A(Function):\n    def forward(self, x):\n        return x\n"
    ),
    "another base": of("from elsewhere import Layer", "Layer"),
}


def codes(text: str, path: str = "f.py") -> list[str]:
    assert may_have_classes(text.encode())
    found = lint_source(Source(path, text), Program(find_module)).findings
    return [f.code for f in found if f.severity != "info"]


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND)
def test_a_class_is_found(text: str) -> None:
    assert codes(text) == ["PB101"]


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_another_class_is_left(text: str) -> None:
    assert codes(text) == []


def test_all_names_of_a_module_beside_it(tmp_path: Path) -> None:
    (tmp_path / "common.py").write_text("import torch\nfrom torch.autograd import Function\n")
    path = tmp_path / "main.py"
    text = f"from common import *\nclass A(Function):{BODY}"
    path.write_text(text)
    assert codes(text, str(path)) == ["PB101"]
