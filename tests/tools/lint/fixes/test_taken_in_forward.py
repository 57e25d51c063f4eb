"""Gradients that a forward takes itself by detached copies, and saves: taken again, with a graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fixed import body, class_of, fixed, left, verdict

# Each: forward, backward, parameters, inputs.
WRONG = {
    "of one input": (
        "with torch.enable_grad():\n    z = x.detach().requires_grad_()\n"
        "    loss = torch.logsumexp(z * n, -1).sum()\n    (g,) = torch.autograd.grad(loss, z)\n"
        "ctx.save_for_backward(g)\nreturn loss.detach()",
        "(g,) = ctx.saved_tensors\nreturn grad * g, None",
        "x, n",
        "torch.rand(3), 2",
    ),
    "of two, a list": (
        "x = a.detach().clone().requires_grad_(True)\ny = b.detach().requires_grad_()\n"
        "with torch.enable_grad():\n    r = (x.exp() * y).sum()\n"
        "gx, gy = torch.autograd.grad(r, [x, y], retain_graph=False)\n"
        "ctx.save_for_backward(gx, gy)\nreturn r.detach()",
        "gx, gy = ctx.saved_tensors\nreturn grad * gx, grad * gy",
        "a, b",
        "torch.rand(3), torch.rand(3)",
    ),
    "on the context, in a long line": (
        "with torch.enable_grad():\n    inputs_of_the_loss = x.detach().requires_grad_()\n"
        "    loss_of_the_inputs = inputs_of_the_loss.exp().sum()\n"
        "    ctx.g = torch.autograd.grad(loss_of_the_inputs, inputs_of_the_loss, retain_graph=True)[0]\n"
        "return loss_of_the_inputs.detach()",
        "return grad * ctx.g",
        "x",
        "torch.rand(3)",
    ),
}
LEFT = {
    "by an input itself": (
        "with torch.enable_grad():\n    r = (x.exp() * x).sum()\n    (g,) = torch.autograd.grad(r, x)",
        "the forward differentiates by `x`, which is no detached copy",
    ),
    "by what is computed": (
        "with torch.enable_grad():\n    z = x.detach().exp().requires_grad_()\n    r = z.exp().sum()\n"
        "    (g,) = torch.autograd.grad(r, z)",
        "the forward differentiates by `z`, which is no detached copy",
    ),
    "by a sweep": (
        "with torch.enable_grad():\n    z = x.detach().requires_grad_()\n    r = z.exp().sum()\n"
        "    r.backward()\ng = z.grad",
        "lint would then find PB102 at `x` in `Scaled`",
    ),
}


@pytest.mark.parametrize("name", list(WRONG)[:2])
def test_it_is_taken_again_and_right(name: str, tmp_path: Path) -> None:
    forward, backward, parameters, inputs = WRONG[name]
    text = class_of(forward, backward, parameters)
    assert "PB101" in left(text)
    made = fixed(text)
    assert left(made.text) == []
    assert made.left == []
    assert verdict(text, inputs, tmp_path) == "silently wrong"
    assert verdict(made.text, inputs, tmp_path) == "right"
    assert fixed(made.text).text == made.text


def test_the_forward_stays_and_the_copy_keeps_its_history() -> None:
    forward, backward, parameters, _ = WRONG["of two, a list"]
    made = fixed(class_of(forward, backward, parameters)).text
    assert "gx, gy = torch.autograd.grad(r, [x, y], retain_graph=False)\n" in body(made, "forward")
    assert body(made, "backward") == (
        "gx, gy, a, b = ctx.saved_tensors\n"
        "if torch.is_grad_enabled():  # recorded: what is saved has no history\n"
        "    x = a.clone().requires_grad_()\n    y = b.clone().requires_grad_()\n"
        "    r = (x.exp() * y).sum()\n    gx, gy = torch.autograd.grad(r, [x, y], create_graph=True)\n"
        "return grad * gx, grad * gy\n"
    )


@pytest.mark.parametrize("name", LEFT)
def test_what_is_no_detached_copy_is_left_alone(name: str) -> None:
    forward, reason = LEFT[name]
    text = class_of(
        f"{forward}\nctx.save_for_backward(g)\nreturn r.detach()",
        "(g,) = ctx.saved_tensors\nreturn grad * g",
    )
    made = fixed(text)
    assert made.text == text
    assert [why for _, why in made.left] == [reason]
