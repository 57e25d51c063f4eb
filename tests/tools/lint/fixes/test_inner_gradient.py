"""A gradient that the backward takes itself keeps its history."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from .fixed import body, class_of, fixed, left, verdict

GRAD = "torch.autograd.grad(y, x, grad)[0]"
HITS = {
    "a leaf": (
        "x = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x\nreturn " + GRAD
    ),
    "a copy of it": (
        "x = x.detach().clone().requires_grad_(True)\nwith torch.enable_grad():\n    y = x.sin() * x\n"
        "return " + GRAD
    ),
    "of another name": (
        "leaf = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = leaf.sin() * leaf\n"
        "(found,) = torch.autograd.grad((y,), (leaf,), (grad,), allow_unused=True)\nreturn found * x / x"
    ),
    "under enable_grad": (
        "with torch.enable_grad():\n    x = x.detach().requires_grad_()\n    y = x.sin() * x\n"
        "    (found,) = torch.autograd.grad(y, x, grad)\nreturn found"
    ),
    "all of them": (
        "leaves = [t.detach().requires_grad_() for t in ctx.saved_tensors]\nwith torch.enable_grad():\n"
        "    y = leaves[0].sin() * leaves[0]\nreturn torch.autograd.grad(y, leaves, grad)[0]"
    ),
    "in two steps": (
        "x = x.detach()\nx.requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x\nreturn " + GRAD
    ),
    "a graph is made already": (
        "x = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x\n"
        "return torch.autograd.grad(y, x, grad, create_graph=True)[0]"
    ),
    "a copy with its history": (
        "with torch.enable_grad():\n    x = x.clone()\n    y = x.sin() * x\nreturn " + GRAD
    ),
}
MISSES = {
    "backward adds to leaves": (
        "x = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x\n"
        "y.backward(grad)\nreturn x.grad"
    ),
    "a part is constant on purpose": (
        "x = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x.detach()\nreturn "
        + GRAD
    ),
    "a computed value is detached": (
        "with torch.enable_grad():\n    x = x.clone()\n    z = x.sin()\n    y = z.detach() * x\nreturn "
        + GRAD
    ),
    "bound again before": (
        "x = x * 2\nx = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x\n"
        "return 2 * " + GRAD
    ),
    "changed in place": (
        "x = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x\n"
        "found = " + GRAD + "\nfound.mul_(2)\nreturn found"
    ),
    "may require no gradient": (
        "x = x.detach().requires_grad_(ctx.needs_input_grad[0])\nwith torch.enable_grad():\n"
        "    y = x.sin() * x\nreturn " + GRAD
    ),
    "asked whether it requires one": (
        "leaf = x.detach().requires_grad_(True) if x.requires_grad else x.detach()\n"
        "with torch.enable_grad():\n    x = leaf\n    y = x.sin() * x\nreturn " + GRAD
    ),
    "a function of the context": (
        "x = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = ctx.run(x)\nreturn " + GRAD
    ),
    "a function of the context by name": (
        "run = ctx.run\nx = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = run(x)\nreturn "
        + GRAD
    ),
    "its method": (
        "net = ctx.net\nx = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = net.run(x)\n"
        "return " + GRAD
    ),
    "a graph that is freed": (
        "x = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x\n"
        "return torch.autograd.grad(y, x, grad, retain_graph=False)[0]"
    ),
    "no history inside": (
        "x = x.detach().requires_grad_()\nwith torch.enable_grad():\n    y = x.sin() * x\n"
        "with torch.no_grad():\n    found = " + GRAD + "\nreturn found"
    ),
}


def recomputing(backward: str) -> str:
    return class_of("ctx.save_for_backward(x)\nreturn x.sin() * x", f"(x,) = ctx.saved_tensors\n{backward}")


def gradients(text: str, values: Any) -> list[Any]:
    """The first gradient, whether it has a history, and the second-order check."""
    torch = pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(compile(text, "<text>", "exec"), names)
    scaled = names["Scaled"].apply
    x = values.clone().requires_grad_()
    (first,) = torch.autograd.grad(scaled(x * 1.5).exp().sum(), x)
    return [first, torch.autograd.gradgradcheck(scaled, (x,), raise_exception=False)]


@pytest.mark.torch
@pytest.mark.parametrize("name", HITS)
def test_it_keeps_its_history(name: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    text = recomputing(HITS[name])
    made = fixed(text).text
    assert left(made) == []
    values = torch.rand(3, dtype=torch.float64)
    (before, wrong), (after, right) = gradients(text, values), gradients(made, values)
    assert torch.equal(before, after)
    assert after.requires_grad == before.requires_grad
    assert (wrong, right) == (False, True)
    assert verdict(text, "torch.rand(3)", tmp_path) == "silently wrong"
    assert verdict(made, "torch.rand(3)", tmp_path) == "right"


@pytest.mark.parametrize("name", MISSES)
def test_it_is_left_alone(name: str) -> None:
    text = recomputing(MISSES[name])
    assert fixed(text).text == text


def test_a_graph_is_asked_for_before_enable_grad() -> None:
    made = body(fixed(recomputing(HITS["under enable_grad"])).text, "backward")
    assert made.splitlines()[1:3] == ["recorded = torch.is_grad_enabled()", "with torch.enable_grad():"]
    assert "torch.autograd.grad(y, x, grad, create_graph=recorded)" in made


def test_a_long_line_is_wrapped() -> None:
    text = recomputing(HITS["a leaf"].replace(GRAD, f"{GRAD}  # what follows from the forward"))
    made = body(fixed(text).text, "backward")
    said = (
        "torch.autograd.grad(\n    y,\n    x,\n    grad,\n    create_graph=torch.is_grad_enabled(),\n)[0]  #"
    )
    assert said in made


@pytest.mark.parametrize(
    ("helper", "safe"),
    [
        ("def helper(t):\n    return t.sin() * t\n", True),
        ("def helper(t):\n    t.sum().backward()\n    return t.sin() * t\n", False),
        ("def helper(t):\n    return t.sin() * t if t.is_leaf else t\n", False),
        ("from elsewhere import helper\n", False),
    ],
)
def test_helpers_are_looked_into(helper: str, safe: bool) -> None:
    text = recomputing(HITS["a leaf"].replace("x.sin() * x", "helper(x)"))
    text = text.replace("\n\n\nclass", f"\n{helper}\n\nclass", 1)
    ast.parse(text)
    assert (fixed(text).text != text) is safe
