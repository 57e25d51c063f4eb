"""A saved output is computed again beside a captured intermediate, where it follows from it smoothly."""

from __future__ import annotations

from typing import Any

import pytest

from .fixed import HEAD, body, class_of, fixed, left

# The gradient is a surrogate: not the forward's derivative, and it is computed from the output.
BACKWARD = "t, y = ctx.saved_tensors\nreturn grad * y * t"
HITS = {
    "a product": "t = (x @ x) * x\ny = t * 3\nctx.save_for_backward(t, y)\nreturn y",
    "in two steps": (
        "t = (x @ x) * x\nz = t.exp()\ny = torch.softmax(z, 0)\nctx.save_for_backward(t, y)\nreturn y"
    ),
    "of what a call computes": "t = helper(x)\ny = helper(x) + t\nctx.save_for_backward(t, y)\nreturn y",
}
MISSES = {
    "a root": "t = (x @ x) * x\ny = t.sqrt()\nctx.save_for_backward(t, y)\nreturn y",
    "steps of a solver": (
        "t = (x @ x) * x\ny = t\nfor _ in range(3):\n    y = y - (y * y - t) * 0.1\n"
        "ctx.save_for_backward(t, y)\nreturn y"
    ),
    "another call": "t = (x @ x) * x\ny = helper(t)\nctx.save_for_backward(t, y)\nreturn y",
    "a comparison": "t = (x @ x) * x\ny = torch.where(t > 0, t, x)\nctx.save_for_backward(t, y)\nreturn y",
    "changed after it is saved": (
        "t = (x @ x) * x\ny = t * 3\nctx.save_for_backward(t, y)\ny.mul_(2)\nreturn y"
    ),
}
HELPER = "def helper(x):\n    return x.sum() * x\n\n\n"


def _class(forward: str, backward: str = BACKWARD) -> str:
    return class_of(forward, backward).replace(HEAD, f"{HEAD}{HELPER}")


def _derivative(text: str, values: Any, two: bool = False) -> tuple[Any, Any, Any]:
    """The gradient that the class gives, its derivative, and finite differences of it.

    `two`: the class takes two matrices.
    """
    torch = pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(compile(text, "<text>", "exec"), names)

    def gradient(x: Any) -> Any:
        x = x if x.requires_grad else x.clone().requires_grad_()
        inputs = x.view(2, 2, 2).unbind() if two else (x,)
        (found,) = torch.autograd.grad(names["Scaled"].apply(*inputs).sum(), x, create_graph=True)
        return found

    step = 1e-6 * torch.eye(values.numel(), dtype=values.dtype)
    differences = [((gradient(values + one) - gradient(values - one)) / 2e-6).detach() for one in step]
    derivative = torch.autograd.functional.jacobian(gradient, values)
    return gradient(values).detach(), derivative, torch.stack(differences, -1)


@pytest.mark.torch
@pytest.mark.parametrize("name", HITS)
def test_its_derivative_is_that_of_its_value(name: str) -> None:
    torch = pytest.importorskip("torch")
    text = _class(HITS[name])
    made = fixed(text).text
    assert left(made) == []
    values = torch.rand(3, dtype=torch.float64)
    before, wrong, expected = _derivative(text, values)
    after, right, same = _derivative(made, values)
    torch.testing.assert_close(after, before)
    torch.testing.assert_close(same, expected)
    assert not torch.allclose(wrong, expected, atol=1e-3)
    torch.testing.assert_close(right, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", MISSES)
def test_another_one_keeps_the_gradient_of_its_class(name: str) -> None:
    made = fixed(_class(MISSES[name])).text
    taken = body(made, "backward")
    assert "    t = " in taken
    assert "y = " not in taken.replace("t, y, ", "")
    assert left(made) == []


def test_a_short_intermediate_alone_needs_no_branch() -> None:
    text = _class("t = x * x\ny = t * 3\nctx.save_for_backward(t, y)\nreturn y")
    assert "is_grad_enabled" not in fixed(text).text


SETUP = """class Scaled(torch.autograd.Function):
    @staticmethod
    def forward({parameters}):
        {forward}
        return y

    @staticmethod
    def setup_context(ctx, inputs, output):
        {unpacked} = inputs
        t = a @ a
        y = output
        ctx.save_for_backward(y, t)

    @staticmethod
    def backward(ctx, grad):
        y, t = ctx.saved_tensors
        return (grad * y) @ t, {second}
"""


def _setup(
    forward: str = "y = (a @ a) @ b", parameters: str = "a, b", unpacked: str = "a, b", second: str = "grad"
) -> str:
    return HEAD + SETUP.format(forward=forward, parameters=parameters, unpacked=unpacked, second=second)


@pytest.mark.torch
def test_the_forward_is_called_again_where_another_method_saves() -> None:
    torch = pytest.importorskip("torch")
    made = fixed(_setup()).text
    assert body(made, "backward").splitlines()[1:4] == [
        "if torch.is_grad_enabled():  # recorded: what is saved has no history",
        "    t = a @ a",
        "    y = Scaled.forward(a, b)",
    ]
    assert left(made) == []
    values = torch.rand(8, dtype=torch.float64)
    before, wrong, expected = _derivative(_setup(), values, two=True)
    after, right, _ = _derivative(made, values, two=True)
    torch.testing.assert_close(after, before)
    assert not torch.allclose(wrong, expected, atol=1e-3)
    torch.testing.assert_close(right, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "text",
    [
        _setup("y = torch.linalg.solve(a @ a, b)"),
        _setup("y = (a @ a) @ b * scale", "a, b, scale", "a, b, scale", "grad, None"),
        _setup("y = (a @ a) @ b", unpacked="a, *rest"),
    ],
)
def test_it_is_not_called_where_that_may_be_another_derivative(text: str) -> None:
    assert "Scaled.forward(" not in fixed(text).text


COPIED = "w = helper(x)\nctx.save_for_backward(x, w.{how})\nreturn (x * w).sum()"


@pytest.mark.torch
@pytest.mark.parametrize(
    ("how", "leaf"),
    [
        ("clone()", ""),
        ("detach()", ""),
        ("detach().clone()", ""),
        ("clone()", "w.requires_grad_(True)\n"),
        ("detach().clone()", "w.requires_grad_()\n"),
    ],
)
def test_a_copy_of_an_intermediate_is_computed_again(how: str, leaf: str) -> None:
    torch = pytest.importorskip("torch")
    text = _class(COPIED.format(how=how), f"x, w = ctx.saved_tensors\n{leaf}return 2 * grad * w")
    made = fixed(text).text
    assert left(made) == []
    values = torch.rand(3, dtype=torch.float64)
    before, wrong, expected = _derivative(text, values)
    after, right, _ = _derivative(made, values)
    torch.testing.assert_close(after, before)
    assert not torch.allclose(wrong, expected, atol=1e-3)
    torch.testing.assert_close(right, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        (COPIED.format(how="clone()"), "x, w = ctx.saved_tensors\nw.requires_grad_(False)\nreturn grad * w"),
        (COPIED.format(how="clone()"), "x, w = ctx.saved_tensors\nw.requires_grad = True\nreturn grad * w"),
        (
            COPIED.format(how="clone()"),
            "x, w = ctx.saved_tensors\nw.requires_grad_()\nwith torch.enable_grad():\n    z = w * w\n"
            "return grad * torch.autograd.grad(z.sum(), w, create_graph=True)[0]",
        ),
    ],
)
def test_what_may_be_meant_otherwise_is_left_alone(forward: str, backward: str) -> None:
    text = _class(forward, backward)
    assert fixed(text).text == text
