"""What autograd refuses to record is not computed again; what it takes is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.lint.fixes.fixing import Fixed, fix_source
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

from ..fixed import class_of, shown

REFUSED = {
    "out": "def helper(x):\n    y = torch.empty_like(x)\n    torch.mul(x, x, out=y)\n    return y\n",
    "out, called in turn": (
        "def inner(x):\n    return torch.add(x, x, out=torch.empty_like(x))\n\n\n"
        "def helper(x):\n    return inner(x) * 2\n"
    ),
    "into a leaf": (
        "def helper(x):\n    y = x.new_zeros(3, requires_grad=x.requires_grad)\n    y[:] = x.sin()\n"
        "    return y\n"
    ),
    "into a leaf, by a method": (
        "def helper(x):\n    y = torch.zeros(3, requires_grad=True)\n    y[0].add_(x.sum())\n    return y\n"
    ),
}
RECORDED = {
    "no out": "def helper(x):\n    return torch.mul(x, x, out=None)\n",
    "out of another function": (
        "def other(x, out):\n    return x * out\n\n\ndef helper(x):\n    return other(x, out=3)\n"
    ),
    "in a block that records nothing": (
        "def helper(x):\n    with torch.no_grad():\n        torch.mul(x, x, out=torch.empty_like(x))\n"
        "    return x.sin()\n"
    ),
    "in a function that records nothing": (
        "@torch.no_grad()\ndef inner(x):\n    torch.mul(x, x, out=x.clone())\n\n\n"
        "def helper(x):\n    inner(x)\n    return x.sin()\n"
    ),
    "into no leaf": (
        "def helper(x):\n    y = torch.zeros(3, requires_grad=False)\n    y[:] = x.sin()\n    return y\n"
    ),
    "a leaf that is left alone": (
        "def helper(x):\n    y = torch.zeros(3, requires_grad=True)\n    z = y + x\n    return z.mul_(2)\n"
    ),
}


def _fixed(helper: str, folder: Path, in_backward: bool = False) -> Fixed:
    """What the fixes make of a class that calls a helper of another module."""
    (folder / "helpers.py").write_text(f"import torch\n\n\n{helper}")
    forward = "t = {} @ x\nctx.save_for_backward(x, t)\nreturn t * x"
    backward = "x, t = ctx.saved_tensors\nreturn {} * t"
    text = class_of(
        forward.format("x" if in_backward else "helper(x)"),
        backward.format("helper(grad)" if in_backward else "grad"),
    ).replace("import torch\n", "import torch\nfrom helpers import helper\n", 1)
    path = folder / "ops.py"
    path.write_text(text)
    return fix_source(Source(str(path), text), find_module, shown)


@pytest.mark.parametrize("in_backward", [False, True])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_left_alone(name: str, in_backward: bool, tmp_path: Path) -> None:
    made = _fixed(REFUSED[name], tmp_path, in_backward)
    assert made.done == []
    assert "autograd refuses to record" in made.left[0][1]


@pytest.mark.parametrize("in_backward", [False, True])
@pytest.mark.parametrize("name", RECORDED)
def test_what_is_recorded_is_computed_again(name: str, in_backward: bool, tmp_path: Path) -> None:
    made = _fixed(RECORDED[name], tmp_path, in_backward)
    assert [finding.code for finding, _ in made.done] == ["PB101"]
