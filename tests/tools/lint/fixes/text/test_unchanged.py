"""What the forward changes after an intermediate was computed is not computed from again."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..fixed import class_of, fixed, left, verdict

HELPERS = (
    "import numpy as np\nimport torch.nn.functional as F\n\n\ndef _write(t):\n    t.sin_()\n\n\n"
    "def _through(t):\n    return _write(t)\n\n\ndef _read(t):\n    return t.sum()\n\n\n"
    "def _same(t):\n    return t\n\n\ndef _same_too(t):\n    return _same(t)\n\n\n"
    "def _kept(t):\n    return t.kept\n\n\ndef _twice(t):\n    return t * 2\n\n\n"
    "def _twice_too(t):\n    return _twice(t)\n"
)
WRITES = {
    "a method": "x.sin_()",
    "an operator": "x *= x",
    "entries": "x[:] = x.sin()",
    "out": "torch.sin(x, out=x)",
    "a copy": "x.copy_(x.sin())",
    "a function": "torch.sin_(x)",
    "several": "torch._foreach_sin_([x])",
    "inplace": "F.relu(x, inplace=True)",
    "another name": "y = x\ny.sin_()",
    "a view": "y = x.view(-1)\ny.sin_()",
    "an item": "for row in x:\n    row.sin_()",
    "in a comprehension": "[row.sin_() for row in x]",
    "a list": "held = [x]\nheld[0].sin_()",
    "a helper": "_write(x)",
    "a helper of a helper": "y = _through(x)",
    "what a helper returns": "y = _same(x)\ny.sin_()",
    "what a helper of a helper returns": "y = _same_too(x)\ny.sin_()",
    "what a closure returns": "def same():\n    return x\ny = same()\ny.sin_()",
    "an attribute that a helper returns": "x.kept = x\ny = _kept(x)\ny.sin_()",
    "a call that is not known": "y = unknown(x)",
    "its data": "x.data.sin_()",
    "detached": "y = x.detach().sin_()",
    "NumPy": "np.sin(x.numpy(), out=x.numpy())",
    "NumPy, by place": "np.multiply(x, 2, x.numpy())",
    "sorted by NumPy": "x.numpy().sort()",
    "in a branch": "if x.numel() > 0:\n    x.sin_()",
    "in a loop": "n = 0\nwhile n < 1:\n    x.sin_()\n    n += 1",
}
LEFT_ALONE = {
    "read": "y = _read(x)",
    "what a helper computes": "y = _twice(x)\ny.sin_()",
    "what a helper of a helper computes": "y = _twice_too(x)\ny.sin_()",
    "another tensor": "y = x.clone()\ny.sin_()",
    "a name that means something new": "x = x * 2\nx.sin_()",
    "a list of it grows": "held = []\nheld.append(x)\nheld.append(x)",
    "no inplace": "y = F.relu(x, inplace=False)",
    "asked": "y = x.size(0) + len(x)",
}
BACKWARD = "(c,) = ctx.saved_tensors\nreturn grad * c * c"


def _class(before: str, after: str, parameters: str = "x") -> str:
    forward = f"{before}\n{after}\nctx.save_for_backward(c)\nreturn c * 2"
    gradients = BACKWARD + ", None" * parameters.count(",")
    return class_of(forward, gradients, parameters).replace("import torch\n", f"import torch\n{HELPERS}", 1)


@pytest.mark.parametrize("write", WRITES)
def test_what_is_written_later_is_not_computed_from(write: str) -> None:
    text = _class("c = x.cos()", WRITES[write])
    made = fixed(text)
    assert made.text == text
    assert made.done == []
    assert "the forward may change `" in made.left[0][1]
    assert "PB101" in left(made.text)


@pytest.mark.parametrize("write", LEFT_ALONE)
def test_what_is_left_alone_is_computed_from(write: str) -> None:
    made = fixed(_class("c = x.cos()", LEFT_ALONE[write]))
    assert [finding.code for finding, _ in made.done] == ["PB101"]
    assert left(made.text) == []


@pytest.mark.parametrize(
    "write", ["y = _through(t)", "torch._foreach_sin_([t])", "y = t.detach()\ny.sin_()", "(y := t).sin_()"]
)
def test_a_write_to_what_it_is_computed_by_is_not_left_out(write: str) -> None:
    made = fixed(_class("t = x * 1", f"{write}\nc = t.cos()"))
    assert made.done == []
    assert "while it computes it" in made.left[0][1]


STATE = {
    "running statistics": ("c = x - running", "running.mul_(0.9).add_(x.mean(0))", "x, running"),
    "a scale": ("c = torch.tanh(x / scale)", "scale.copy_(x.abs().max())", "x, scale"),
    "a count": ("c = torch.cos(x * counter.n)", "counter.n += 1", "x, counter"),
    "a step": ("c = torch.cos(x * counter.n)", "k = counter.step()", "x, counter"),
    "a global": ("c = torch.cos(x * COUNT)", "COUNT = 2", "x"),
    "an item of a global": ("c = torch.cos(x * STATE[0])", "STATE[0] += 1", "x"),
    "an attribute": ("ctx.n = 1\nc = torch.cos(x * ctx.n)", "ctx.n = 2", "x"),
}


@pytest.mark.parametrize("state", STATE)
def test_state_that_the_forward_changes_is_not_computed_from(state: str) -> None:
    before, after, parameters = STATE[state]
    declared = "global COUNT\n" if "COUNT" in after else ""
    made = fixed(_class(declared + before, after, parameters))
    assert made.done == []
    assert "the forward" in made.left[0][1]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("c = x.cos()", "del x", "the forward deletes `x`"),
        ("if (c := x.cos()) is not None:\n    pass", "", "`c` is assigned in the middle of an expression"),
        ("c = x.cos() * (2.0 if torch.is_grad_enabled() else 1.0)", "", "depends on `is_grad_enabled`"),
    ],
)
def test_what_would_not_run_again_as_it_did_is_left(before: str, after: str, reason: str) -> None:
    made = fixed(_class(before, after))
    assert made.done == []
    assert reason in made.left[0][1]


def test_an_intermediate_that_is_overwritten_after_its_use_is_computed_again(tmp_path: Path) -> None:
    text = class_of(
        "t = x * 1\nc = t.cos()\nt.sin_()\nctx.save_for_backward(c)\nreturn t",
        "(c,) = ctx.saved_tensors\nreturn grad * c",
    )
    made = fixed(text)
    assert left(made.text) == []
    assert verdict(made.text, "torch.rand(3)", tmp_path) == "right"
