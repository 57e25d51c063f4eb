"""Classes that stand in other classes: their methods know them by a path, and anyone may call them."""

from __future__ import annotations

from typing import Any

import pytest

from .fixed import HEAD, fixed, left

BODY = """class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        t = {first}
        u = t.exp()
        v = u + t
        w = v * u
        z = w.sin()
        ctx.save_for_backward(x, y, z)
        return z * z

    @staticmethod
    def backward(ctx, grad):
        x, y, q = ctx.saved_tensors
        return grad * q * x, grad * y
"""
OUTER = "class Outer:\n{inner}\n    def run(self, *inputs):\n        return self.{name}.apply(*inputs)\n"


def _nested(name: str = "Scaled", first: str = "x @ y") -> str:
    inner = "".join(f"    {line}".rstrip() + "\n" for line in BODY.format(name=name, first=first).split("\n"))
    return HEAD + OUTER.format(inner=inner, name=name)


def _gradients(text: str, name: str) -> list[Any]:
    torch = pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(compile(text, "<text>", "exec"), names)
    torch.manual_seed(0)
    x, y = torch.rand(2, 2, requires_grad=True), torch.rand(2, 2, requires_grad=True)
    out = names["Outer"]().run(x, y)
    return list(torch.autograd.grad(out.sum(), (x, y), create_graph=True))


@pytest.mark.torch
@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize(("name", "first"), [("Scaled", "x @ y"), ("_Scaled", "x * y")])
def test_a_class_in_a_class_runs_as_before(name: str, first: str, unsafe: bool) -> None:
    torch = pytest.importorskip("torch")
    text = _nested(name, first)
    made = fixed(text, unsafe).text
    assert left(made) == []
    assert f"Outer.{name}._recomputed(" in made
    for before, after in zip(_gradients(text, name), _gradients(made, name), strict=True):
        torch.testing.assert_close(after, before)


def test_a_barrier_finds_it() -> None:
    text = (
        _nested()
        .replace("x @ y", "unknown(x, y)")
        .replace(HEAD, f"{HEAD}from elsewhere import unknown\n\n\n")
    )
    made = fixed(text, unsafe=True).text
    assert "Outer.Scaled._gradients(" in made


def test_in_a_function_it_is_known_by_its_name() -> None:
    inner = "".join(
        f"    {line}".rstrip() + "\n" for line in BODY.format(name="Scaled", first="x @ y").split("\n")
    )
    made = fixed(f"{HEAD}def make():\n{inner}\n    return Scaled\n").text
    assert "Outer" not in made
    assert " Scaled._" in made or "= Scaled." in made
