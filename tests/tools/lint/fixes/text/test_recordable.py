"""A value is computed again only by calls that autograd can record."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pullback.tools.lint.fixes.fixing import Fixed, fix_source
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

from ..fixed import class_of, fixed, left, shown

RECORDED = {
    "an expression": "return x.exp() * x",
    "a function that is read": "return scaled(x, len(x.shape))\n\ndef scaled(x, n):\n    return x * n",
    "a number that counts": "n = 0\nfor k in range(2):\n    n += k\nreturn x * (n + 1)",
    "sizes with NumPy": "n = x.shape[0]\nreturn x.sum() * int(np.prod([n, 2]))",
    "PyTorch's functions": "return F.relu(torch.linalg.norm(x) * math.sqrt(2))",
    "an error": "if x.dim() > 7:\n    raise ValueError('{}'.format(x.dim()))\nreturn x.exp()",
    "a function inside": "def inner(a):\n    return a * a\nreturn inner(x)",
    "a compiled one": "return scripted(x)\n\n@torch.jit.script\ndef scripted(x):\n    return x.exp()",
}
REFUSED = {
    "a view is written": "t = x.view(-1)\nt[0] = 1.0\nreturn t * 2",
    "a part is written": "t = x.exp()\na, b, c = t.unbind(0)\na.add_(1)\nreturn t",
    "a method in place": "t = x.view(-1)\nreturn t.mul_(2)",
    "an operator in place": "t = x.view(-1)\nt += 1\nreturn t * 2",
    "a number on one side": "t = 1\nt = x\nt += 1\nreturn t",
    "an argument for the result": "t = x * 1\nreturn torch.mul(t, 2, out=t)",
    "a layer in place": "return F.relu(x, True)",
    "a keyword in place": "return F.relu(x, inplace=True)",
    "NumPy": "return torch.as_tensor(np.exp(x))",
    "memory": "return x * float(x.numpy().sum())",
    "what is not found": "return elsewhere.scaled(x)",
    "a method of an object": "return x.scaled_by(2)",
    "a leaf": "x.requires_grad = True\nreturn x * 2",
    "a function further down": "return scaled(x)\n\ndef scaled(x):\n    x[0] = 1\n    return x * 1",
    "a decorated one": "return scaled(x)\n\n@elsewhere.kernel\ndef scaled(x):\n    return x * 1",
    "a name of the module": "return cached(x)\n\ncached = functools.cache(torch.exp)",
}
IMPORTS = "import functools\nimport math\nimport elsewhere\nimport numpy as np\nimport torch\n"
CLASS = class_of(
    "t = helper(x)\nctx.save_for_backward(t)\nreturn t * t", "(t,) = ctx.saved_tensors\nreturn 2 * grad * t"
)


def helper(written: str) -> str:
    body, _, after = written.partition("\n\n")
    return (
        f"{IMPORTS}import torch.nn.functional as F\n\n\ndef helper(x):\n{textwrap.indent(body, '    ')}\n\n\n"
        f"{after}\n"
    )


def in_another_file(written: str, folder: Path, proven: bool = False) -> Fixed:
    (folder / "helpers.py").write_text(helper(written))
    text = CLASS.replace("import torch\n", "import torch\nfrom helpers import helper\n", 1)
    return fix_source(Source(str(folder / "scaled.py"), text), find_module, shown, False, proven)


@pytest.mark.parametrize("written", RECORDED.values(), ids=RECORDED)
def test_what_can_be_recorded_is_called_again(written: str, tmp_path: Path) -> None:
    same = fixed(helper(written) + CLASS)
    for made in (same, in_another_file(written, tmp_path)):
        assert made.left == []
        assert len(made.done) == 1
    assert left(same.text) == []


@pytest.mark.parametrize("written", REFUSED.values(), ids=REFUSED)
def test_what_autograd_may_refuse_is_not(written: str, tmp_path: Path) -> None:
    for made in (fixed(helper(written) + CLASS), in_another_file(written, tmp_path)):
        assert made.done == []


@pytest.mark.parametrize(
    "call",
    ["f(x)", "elsewhere.f(x)", "Other.apply(x)", "kernel[1](x)", "torch.utils.checkpoint.checkpoint(f, x)"],
)
def test_a_call_of_the_unknown_is_not(call: str) -> None:
    text = class_of(
        f"t = {call} + x\nctx.save_for_backward(t)\nreturn t * t",
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t, None",
        "x, f",
    )
    made = fixed(
        text.replace("import torch\n", "import elsewhere\nimport torch\nfrom a import Other, kernel\n", 1)
    )
    assert made.done == []


def test_a_run_may_prove_it(tmp_path: Path) -> None:
    written = "t = x * 1\nt[0] = 1.0\nreturn t"
    assert in_another_file(written, tmp_path).done == []
    assert len(in_another_file(written, tmp_path, proven=True).done) == 1


@pytest.mark.torch
def test_a_gradient_with_a_graph_stays(tmp_path: Path) -> None:
    """A part of what was split may be written where nothing is recorded; autograd refuses it."""
    torch = pytest.importorskip("torch")
    text = f"{helper(REFUSED['a part is written'])}\n\n{CLASS}"
    made = fix_source(Source("f.py", text), find_module, shown, proven=True).text
    assert made != text

    def gradient(text: str) -> None:
        names: dict[str, object] = {}
        exec(text.replace("import elsewhere\n", ""), names)
        x = torch.rand(3, requires_grad=True)
        torch.autograd.grad(names["Scaled"].apply(x).sum(), x, create_graph=True)  # type: ignore[attr-defined]

    gradient(fixed(text).text)
    with pytest.raises(RuntimeError, match="is a view and is being modified"):
        gradient(made)
