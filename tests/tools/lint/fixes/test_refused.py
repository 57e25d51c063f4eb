"""A barrier that refuses second derivatives, where they are not to be made right."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fixed import HEAD, class_of, fixed, left, verdict

ONCE = class_of(
    "ctx.save_for_backward(x)\nreturn x * x", "(x,) = ctx.saved_tensors\nreturn 2 * x * grad"
).replace(
    "    @staticmethod\n    def backward",
    "    @staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward",
)
WRONG = {
    "once_differentiable": ONCE,
    "random numbers": class_of(
        "t = x * torch.rand_like(x)\nctx.save_for_backward(t, x)\nreturn t * t",
        "t, x = ctx.saved_tensors\nreturn 2 * grad * t * t / x",
    ),
    "an input that is not saved": class_of(
        "t = x * torch.rand_like(x)\nctx.save_for_backward(t)\nreturn t * t.detach()",
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t",
    ),
    "taken in a branch, by NumPy": class_of(
        "y = torch.from_numpy(x.detach().numpy() ** 2)\nctx.save_for_backward(y)\nreturn y",
        "if ctx.needs_input_grad[0]:\n    (y,) = ctx.saved_tensors\n"
        "    return torch.from_numpy(2 * y.data.numpy() ** 0.5 * grad.data.numpy())",
    ),
    "attributes by computed names": class_of(
        "setattr(ctx, 't' + str(1), x * torch.rand_like(x))\nctx.save_for_backward(x)\nreturn x * 2 * ctx.t1",
        "return grad * getattr(ctx, 't' + str(1)) * 4",
    ),
    "a gradient by detached copies": class_of(
        "ctx.save_for_backward(x)\nreturn x**3",
        "(x,) = ctx.saved_tensors\nleaf = x.detach().requires_grad_()\nwith torch.enable_grad():\n"
        "    y = leaf**3\n    y.backward(grad)\nreturn leaf.grad",
    ),
    "two gradients": class_of(
        "s, t = a * torch.rand_like(a), b * torch.rand_like(b)\n"
        "ctx.save_for_backward(s, t, a, b)\nreturn s * t",
        "s, t, a, b = ctx.saved_tensors\nreturn grad * t * s / a, grad * t * s / b",
        "a, b",
    ),
}
DETACHED = {
    "a saved input": (
        class_of(
            "ctx.save_for_backward(x)\nreturn x * x", "(x,) = ctx.saved_tensors\nreturn 2 * x.detach() * grad"
        ),
        "torch.rand(3) + 1",
    ),
    "two gradients": (
        class_of(
            "ctx.save_for_backward(a, b)\nreturn a * b",
            "a, b = ctx.saved_tensors\nreturn grad * b.detach(), grad * a.data",
            "a, b",
        ),
        "torch.rand(3) + 1, torch.rand(3)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_it_raises_instead_of_being_silently_wrong(name: str, tmp_path: Path) -> None:
    text = WRONG[name]
    inputs = "torch.rand(3) + 1, torch.rand(3) + 1" if name == "two gradients" else "torch.rand(3) + 1"
    made = fixed(text, unsafe=True).text
    assert left(made) == []
    if name != "an input that is not saved":
        assert verdict(text, inputs, tmp_path) == "silently wrong"
        assert verdict(made, inputs, tmp_path) == "raises"


@pytest.mark.parametrize("name", DETACHED)
def test_what_a_detach_loses_is_made_right(name: str, tmp_path: Path) -> None:
    text, inputs = DETACHED[name]
    made = fixed(text, unsafe=True).text
    assert "_NoSecondDerivative" not in made
    assert verdict(text, inputs, tmp_path) == "silently wrong"
    assert verdict(made, inputs, tmp_path) == "right"


def test_inputs_that_are_cast_are_out_of_sight() -> None:
    text = WRONG["an input that is not saved"].replace(
        "    @staticmethod\n    def forward",
        "    @staticmethod\n    @torch.amp.custom_fwd(device_type='cpu', cast_inputs=torch.float)\n"
        "    def forward",
    )
    assert fixed(text, unsafe=True).text == text


def test_it_is_no_safe_fix() -> None:
    assert fixed(ONCE).text == ONCE


def test_the_barrier_is_written_once() -> None:
    made = fixed(ONCE + ONCE.removeprefix(HEAD).replace("Scaled", "Other"), unsafe=True).text
    assert made.count("class _NoSecondDerivative(") == 1
    assert made.count("_NoSecondDerivative.apply\n") == 2


def test_what_can_be_made_right_is_not_refused() -> None:
    text = class_of(
        "t = x.exp()\nctx.save_for_backward(t)\nreturn t * t", "(t,) = ctx.saved_tensors\nreturn grad * t"
    )
    assert "_NoSecondDerivative" not in fixed(text, unsafe=True).text
