"""A class that looks like an autograd function, and that lint cannot read, is told."""

from __future__ import annotations

import pytest

from pullback.tools.lint.linter import lint_source
from pullback.transpile.ir import Source

METHODS = """
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
"""
MADE = "\n    forward = staticmethod(make())\n    backward = staticmethod(make())\n"
ALONE = "\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
SAVES = (
    "\n    @staticmethod\n    def forward(context, x):\n        context.save_for_backward(x)\n"
    "        return x * 2\n"
)
MIXED = "\n\n\nclass Whole(Twice, torch.autograd.Function):\n    pass\n"


def found(text: str) -> list[tuple[str, str, str]]:
    return [(f.code, f.severity, f.value) for f in lint_source(Source("f.py", text)).findings]


@pytest.mark.parametrize(
    "text",
    [
        f"import torch\nfrom elsewhere import Base\n\n\nclass Twice(Base):{METHODS}",
        f"import torch\nfrom torch.autograd import Function\n\n\nclass Twice(Function):{MADE}",
        f"import torch\nfrom elsewhere import Base\n\n\nclass Twice(Base):{SAVES}",
        "import torch\n\n\nclass Twice(torch.autograd.Function):\n    pass\n\n\n"
        "Twice.forward = staticmethod(make())\nTwice.backward = staticmethod(make())\n",
        'import torch\n\nmade = type("Twice", (torch.autograd.Function,), {"forward": make()})\n',
    ],
    ids=[
        "a base that is not at hand",
        "methods that are made",
        "a forward whose backward is not at hand",
        "methods that are set from outside",
        "a class that a call makes",
    ],
)
def test_a_class_that_was_not_read_is_not_clean(text: str) -> None:
    assert found(text) == [("PB400", "warning", "Twice")]


@pytest.mark.parametrize(
    "text",
    [
        f"import torch\n\n\nclass Twice(torch.autograd.Function):{METHODS}",
        f"import torch\n\n\nclass Twice(torch.autograd.Function):{ALONE}",
        f"from elsewhere import Layer\n\n\nclass Twice(Layer):{METHODS}",
        f"import torch\n\n\nclass Twice(torch.nn.Module):{METHODS.replace('ctx', 'self')}",
        f"import torch\n\n\nclass Twice:{METHODS}{MIXED}",
        'import torch\n\nmade = type("Twice", (torch.nn.Module,), {"forward": make()})\n',
    ],
    ids=[
        "one that is read",
        "one without a backward",
        "another library's",
        "a module",
        "one that another inherits from",
        "a module that a call makes",
    ],
)
def test_what_is_read_or_is_no_autograd_function_is_clean(text: str) -> None:
    assert found(text) == []
