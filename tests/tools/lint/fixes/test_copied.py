"""What the backward changes in place is copied first."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fixed import body, class_of, fixed, left, verdict


def test_an_incoming_gradient(tmp_path: Path) -> None:
    text = class_of(
        "ctx.save_for_backward(x)\nreturn x.relu()",
        '"""Of relu."""\n(x,) = ctx.saved_tensors\ngrad[x < 0] = 0\nreturn grad',
    )
    made = fixed(text).text
    assert body(made, "backward").startswith('"""Of relu."""\ngrad = grad.clone()\n')
    assert left(made) == []
    inputs = "torch.tensor([-1.0, 2.0])"
    assert verdict(text, inputs, tmp_path) == "first order wrong"
    assert verdict(made, inputs, tmp_path) == "right"


def test_an_incoming_gradient_that_may_be_none() -> None:
    text = class_of(
        "ctx.set_materialize_grads(False)\nreturn x * 2",
        "if grad is None:\n    return None\ngrad *= 2\nreturn grad",
    )
    assert body(fixed(text).text, "backward").startswith("grad = None if grad is None else grad.clone()\n")


def test_a_saved_tensor(tmp_path: Path) -> None:
    text = class_of(
        "ctx.save_for_backward(x)\nreturn x.exp()", "(e,) = ctx.saved_tensors\nreturn e.exp_() * grad"
    )
    made = fixed(text).text
    assert body(made, "backward") == "(e,) = ctx.saved_tensors\ne = e.clone()\nreturn e.exp_() * grad\n"
    assert left(made) == []
    assert verdict(made, "torch.rand(3)", tmp_path) == "right"


def test_incoming_gradients_of_any_number(tmp_path: Path) -> None:
    text = class_of(
        "return x * 2, n, x * 3",
        "grads[0].mul_(2)\nreturn grads[0] + 3 * grads[2], None",
        "x, n",
        gradients="*grads",
    )
    made = fixed(text).text
    copies = "grads = tuple(None if g is None else g.clone() for g in grads)\n"
    assert body(made, "backward").startswith(copies)
    assert left(made) == []
    inputs = "torch.rand(3), 2"
    assert verdict(text, inputs, tmp_path) == "first order wrong"
    assert verdict(made, inputs, tmp_path) == "right"


def test_a_copy_of_an_input_is_not_saved(tmp_path: Path) -> None:
    text = class_of(
        "ctx.save_for_backward(x.clone())\nreturn x * x", "(y,) = ctx.saved_tensors\nreturn 2 * grad * y"
    )
    made = fixed(text).text
    assert "ctx.save_for_backward(x)\n" in body(made, "forward")
    assert left(made) == []
    assert verdict(made, "torch.rand(3)", tmp_path) == "right"


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("ctx.save_for_backward(x.clone())\ny = x * x\nx.mul_(2)", "return 2 * grad * c"),
        ("ctx.save_for_backward(x.clone())\ny = x * x", "return c.mul_(2).mul_(grad)"),
        ("ctx.save_for_backward(x.clone())\ny = x * x", "c *= 2\nreturn c * grad"),
    ],
)
def test_a_copy_stays_where_something_is_changed(forward: str, backward: str) -> None:
    text = class_of(f"{forward}\nreturn y", f"(c,) = ctx.saved_tensors\n{backward}")
    assert "ctx.save_for_backward(x)" not in fixed(text).text
