"""A number that fills a tensor, a write that is not recorded, and a grad mode that is switched: PB102."""

from __future__ import annotations

import pytest

from ..fixes.fixed import class_of, left

FORWARD = "ctx.save_for_backward(x)\nreturn x.sum().sin()"
SAVED = "(x,) = ctx.saved_tensors\n"
LOST = {
    "full_like": "return grad * torch.full_like(x, x.sum().cos().item())",
    "full_like, by name": "return grad * torch.full_like(x, fill_value=float(x.sum().cos()))",
    "full": "return grad * torch.full(x.shape, x.sum().cos().item(), dtype=x.dtype)",
    "new_full": "return grad * x.new_full(x.shape, x.sum().cos().item())",
    "linspace": "return grad * torch.linspace(0, x.sum().cos().item(), 3)",
    "arange": "v = x.sum().cos().item()\nreturn grad * torch.arange(v, v + 2.5)",
    "data, added to": "out = torch.zeros_like(x)\nout.data += x.cos()\nreturn out * grad",
    "data, assigned": "out = torch.zeros_like(x)\nout.data[:] = x.cos()\nreturn out * grad",
    "data, copied to": "out = torch.zeros_like(x)\nout.data.copy_(x.cos())\nreturn out * grad",
    "a statement": (
        "before = torch.is_grad_enabled()\ntorch.set_grad_enabled(False)\nc = x.cos()\n"
        "torch.set_grad_enabled(before)\nreturn grad * c"
    ),
    "a stack": (
        "with contextlib.ExitStack() as stack:\n    stack.enter_context(torch.no_grad())\n"
        "    c = x.cos()\nreturn grad * c"
    ),
    "a choice": (
        "with torch.no_grad() if x.numel() else contextlib.nullcontext():\n    c = x.cos()\nreturn grad * c"
    ),
}
KEPT = {
    "a number": "return grad * torch.full_like(x, 2.5) * x.cos()",
    "a size": "return grad * torch.full_like(x, x.shape[0]) * x.cos()",
    "a range": "return grad * torch.arange(x.numel()) * x.cos()",
    "zeroed": "out = grad * x.cos()\nreturn out + torch.zeros_like(x).data.zero_()",
    "switched back": (
        "torch.set_grad_enabled(False)\nn = x.numel()\n"
        "torch.set_grad_enabled(True)\nreturn grad * x.cos() / n"
    ),
    "after the stack": (
        "with contextlib.ExitStack() as stack:\n    stack.enter_context(torch.no_grad())\n"
        "    n = x.numel()\nreturn grad * x.cos() / n"
    ),
}


def _codes(backward: str, forward: str = FORWARD) -> list[str]:
    return left(
        class_of(forward, SAVED + backward).replace("import torch\n", "import contextlib\nimport torch\n")
    )


@pytest.mark.parametrize("name", LOST)
def test_a_value_without_its_history_is_found(name: str) -> None:
    assert _codes(LOST[name]) == ["PB102"]


@pytest.mark.parametrize("name", KEPT)
def test_a_value_that_has_none_is_no_finding(name: str) -> None:
    assert _codes(KEPT[name]) == []


def test_a_number_of_the_forward_that_fills_a_tensor_is_a_saved_intermediate() -> None:
    forward = f"ctx.c = x.sum().cos().item()\n{FORWARD}"
    assert "PB101" in _codes("return grad * torch.full_like(x, ctx.c)", forward)
