"""What the backward changes in place is copied first."""

from __future__ import annotations

from pathlib import Path

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


def test_gradients_of_any_number_are_left_alone() -> None:
    text = class_of("return x * 2, x * 3", "grads[0].mul_(2)\nreturn grads[0] + grads[1]", gradients="*grads")
    assert fixed(text).text == text
