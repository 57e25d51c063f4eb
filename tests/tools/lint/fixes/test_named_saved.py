"""Intermediates that are saved as expressions: named, computed again, and right to second order."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fixed import body, class_of, fixed, left, verdict

# Each: forward, backward, parameters, inputs.
WRONG = {
    "alone": (
        "ctx.save_for_backward(x.cos())\nreturn x.sin()",
        "(c,) = ctx.saved_tensors\nreturn grad * c",
        "x",
        "torch.rand(3)",
    ),
    "several, with the input": (
        "ctx.save_for_backward(x, x.cos(), torch.exp(-x))\nreturn x.sin() - torch.exp(-x)",
        "x, c, e = ctx.saved_tensors\nreturn grad * (c + e)",
        "x",
        "torch.rand(3)",
    ),
    "taken by items": (
        "ctx.save_for_backward(x.cos(), x > 0)\nreturn x.sin()",
        "return grad * ctx.saved_tensors[0]",
        "x",
        "torch.rand(3)",
    ),
    "taken by the name of an input": (
        "ctx.save_for_backward(x.exp())\nreturn x.exp()[...] + 0",
        "(x,) = ctx.saved_tensors\nreturn grad * x",
        "x",
        "torch.rand(3)",
    ),
    "from other intermediates": (
        "u = a @ b\nctx.save_for_backward(a, b, u * u)\nreturn u * u * u",
        "a, b, s = ctx.saved_tensors\nh = 3 * grad * s\nreturn h @ b.mT, a.mT @ h",
        "a, b",
        "torch.rand(2, 2), torch.rand(2, 3)",
    ),
    "saved in branches": (
        """
        ctx.flag = flag
        if flag:
            ctx.save_for_backward(x.cos(), x)
            return x.sin()
        ctx.save_for_backward(-x.sin(), x)
        return x.cos()
        """,
        "d, x = ctx.saved_tensors\nreturn grad * d, None",
        "x, flag",
        "torch.rand(3), True",
    ),
    "over several lines": (
        "ctx.save_for_backward(\n    torch.cat(\n        [x.cos(), x],\n        dim=0,\n    ),\n    x,\n)\n"
        "return x.sin()",
        "c, x = ctx.saved_tensors\nreturn grad * c[: len(x)]",
        "x",
        "torch.rand(3)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_computed_again_and_right(name: str, tmp_path: Path) -> None:
    forward, backward, parameters, inputs = WRONG[name]
    text = class_of(forward, backward, parameters)
    assert "PB101" in left(text)
    made = fixed(text)
    assert left(made.text) == []
    assert made.left == []
    assert verdict(text, inputs, tmp_path) == "silently wrong"
    assert verdict(made.text, inputs, tmp_path) == "right"


def test_one_that_is_short_is_saved_no_more() -> None:
    forward, backward, parameters, _ = WRONG["alone"]
    made = fixed(class_of(forward, backward, parameters)).text
    assert body(made, "forward") == "ctx.save_for_backward(x)\nreturn x.sin()\n"
    assert body(made, "backward") == "(x,) = ctx.saved_tensors\nc = x.cos()\nreturn grad * c\n"


def test_others_get_the_names_of_the_backward() -> None:
    forward, backward, parameters, _ = WRONG["several, with the input"]
    made = fixed(class_of(forward, backward, parameters)).text
    assert body(made, "forward") == (
        "c = x.cos()\ne = torch.exp(-x)\nctx.save_for_backward(x, c, e)\nreturn x.sin() - torch.exp(-x)\n"
    )


def test_an_expression_over_several_lines_keeps_its_layout() -> None:
    forward, backward, parameters, _ = WRONG["over several lines"]
    made = fixed(class_of(forward, backward, parameters)).text
    assert body(made, "forward") == (
        "c = torch.cat(\n    [x.cos(), x],\n    dim=0,\n)\nctx.save_for_backward(\n    c,\n    x,\n)\n"
        "return x.sin()\n"
    )


def test_assignments_that_served_only_what_was_saved_go() -> None:
    text = class_of(
        "u = x + 1\nc = u.cos()\nctx.save_for_backward(c)\nreturn x.sin()",
        "(c,) = ctx.saved_tensors\nreturn grad * c",
    )
    assert body(fixed(text).text, "forward") == "ctx.save_for_backward(x)\nreturn x.sin()\n"


@pytest.mark.parametrize("after", ["c += 1", "del c", "x = x + c"])
def test_assignments_with_another_use_stay(after: str) -> None:
    text = class_of(
        f"c = x.cos()\nctx.save_for_backward(c)\n{after}\nreturn x.sin()",
        "(c,) = ctx.saved_tensors\nreturn grad * c",
    )
    made = fixed(text).text
    assert "c = x.cos()\n" in body(made, "forward")


@pytest.mark.parametrize(
    ("saved", "reason"),
    [
        ("x.exp(), x.mul_(2)", "what is saved changes something where it is computed"),
        ("(k := x.exp()) * k", "what is saved changes something where it is computed"),
        ("x.exp() +\nx", "what is saved is laid out over several lines"),
        ("x * torch.rand_like(x)", "it depends on random numbers"),
        ("x.exp(), *rest", "a list of unknown length is saved"),
    ],
)
def test_what_cannot_be_named_is_left_alone(saved: str, reason: str) -> None:
    text = class_of(
        f"rest = [x, x]\nctx.save_for_backward({saved})\nreturn x.sin()",
        "c = ctx.saved_tensors[0]\nreturn grad * c",
    )
    made = fixed(text)
    assert made.text == text
    assert reason in [why for _, why in made.left]


def test_what_a_call_computes_that_lint_cannot_see_into_is_left_alone() -> None:
    text = "import my_kernels\n" + class_of(
        "x = x.contiguous()\ny, kept, scale = my_kernels.forward(x)\n"
        "ctx.save_for_backward(x if n is None else kept, scale)\nreturn y",
        "x, scale = ctx.saved_tensors\nreturn grad * x * scale, None",
        "x, n=None",
    )
    made = fixed(text)
    assert "my_kernels" not in body(made.text, "backward")
    assert made.left


def test_what_is_no_intermediate_keeps_its_place() -> None:
    text = class_of(
        "ctx.save_for_backward(x, x > 0)\nreturn x.relu()",
        "x, mask = ctx.saved_tensors\nreturn grad * mask",
    )
    assert fixed(text).text == text
