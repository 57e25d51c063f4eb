"""What the backward detaches stays in the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fixed import body, class_of, fixed, left, verdict

HITS = {
    "a saved input": ("g = x.detach() * 2\nreturn grad * g", "g = x * 2\nreturn grad * g"),
    "its data": ("return grad * x.data * 2", "return grad * x * 2"),
    "wrapped again": (
        "g = torch.autograd.Variable(2 * x, requires_grad=False)\nreturn grad * g",
        "g = 2 * x\nreturn grad * g",
    ),
    "over several lines": (
        "g = torch.autograd.Variable(\n    torch.mul(\n        2,\n        x,\n    )\n)\nreturn grad * g",
        "g = torch.mul(2, x)\nreturn grad * g",
    ),
    "an operator over several lines": (
        "g = torch.autograd.Variable(\n    2\n    * x\n)\nreturn grad * g",
        "g = 2 * x\nreturn grad * g",
    ),
    "in a product": (
        "g = 3 * torch.autograd.Variable(x + 1)\nreturn grad * g / 3 * 2 * x / (x + 1)",
        "g = 3 * (x + 1)\nreturn grad * g / 3 * 2 * x / (x + 1)",
    ),
    "the incoming gradient": ("return 2 * grad.detach() * x", "return 2 * grad * x"),
    "twice": ("return 2 * grad * x.detach().detach()", "return 2 * grad * x"),
}
MISSES = {
    "changed in place": "g = x.detach()\ng.mul_(2)\nreturn grad * g",
    "an entry is set": "g = x.detach()\ng[0] = 1.0\nreturn grad * g",
    "NumPy": "return grad * torch.from_numpy(2 * x.detach().numpy())",
    "a function of another package": "return grad * solve(x.detach() * 2)",
    "a method of what the context holds": "return grad * ctx.solver.exp(x.detach()) * 2",
    "asked for a leaf": "g = torch.autograd.Variable(2 * x, requires_grad=True)\nreturn grad * g",
}


def square(backward: str) -> str:
    return class_of("ctx.save_for_backward(x)\nreturn x * x", f"(x,) = ctx.saved_tensors\n{backward}")


@pytest.mark.parametrize("name", HITS)
def test_it_is_recorded(name: str, tmp_path: Path) -> None:
    before, after = HITS[name]
    text = square(before)
    made = fixed(text).text
    assert body(made, "backward") == f"(x,) = ctx.saved_tensors\n{after}\n"
    assert left(made) == []
    assert verdict(text, "torch.rand(3)", tmp_path) == "silently wrong"
    assert verdict(made, "torch.rand(3)", tmp_path) == "right"


@pytest.mark.parametrize("name", MISSES)
def test_it_is_left_alone(name: str) -> None:
    text = square(MISSES[name]).replace("import torch\n", "import torch\nfrom solvers import solve\n", 1)
    assert fixed(text).text.endswith(text.splitlines(keepends=True)[-1])
    for word in ("x.detach()", "Variable("):
        assert fixed(text).text.count(word) == text.count(word)


def test_the_data_of_something_else_is_no_tensor() -> None:
    text = class_of(
        "ctx.packed = packed\nctx.save_for_backward(x)\nreturn x * x",
        "(x,) = ctx.saved_tensors\nreturn grad * x.detach() * ctx.packed.data, None",
        "x, packed",
    )
    assert "ctx.packed.data" in fixed(text).text


@pytest.mark.parametrize(
    ("backward", "reason"),
    [
        (
            "out = torch.empty_like(x)\ntorch.mul(x.detach(), 2, out=out)\nreturn out * grad",
            "the backward writes with `out=`, which autograd refuses to record",
        ),
        (
            "return 2 * torch.from_dlpack(x.detach()) * grad",
            "the backward calls `from_dlpack`, which refuses what is recorded",
        ),
    ],
)
def test_what_refuses_a_history_is_given_none(backward: str, reason: str) -> None:
    text = class_of("ctx.save_for_backward(x)\nreturn x * x", f"(x,) = ctx.saved_tensors\n{backward}")
    made = fixed(text)
    assert made.text == text
    assert [why for _, why in made.left] == [reason]
