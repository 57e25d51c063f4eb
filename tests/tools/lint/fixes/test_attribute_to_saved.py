"""Inputs and outputs on the context go through ``save_for_backward``."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fixed import body, class_of, fixed, left, verdict


def test_an_input_joins_what_is_saved(tmp_path: Path) -> None:
    text = class_of(
        "ctx.a = a\nctx.save_for_backward(b)\nreturn a * b",
        "(b,) = ctx.saved_tensors\na = ctx.a\nreturn grad * b, grad * a",
        "a: torch.Tensor, b: torch.Tensor",
    )
    made = fixed(text).text
    assert body(made, "forward") == "ctx.save_for_backward(b, a)\nreturn a * b\n"
    assert body(made, "backward") == "(b, a) = ctx.saved_tensors\nreturn grad * b, grad * a\n"
    assert left(made) == []
    assert verdict(made, "torch.rand(3), torch.rand(3)", tmp_path) == "right"


def test_an_output_is_saved_before_the_return() -> None:
    text = class_of("out = x.exp()\nctx.out = out\nreturn out", "return grad * ctx.out")
    made = fixed(text).text
    assert body(made, "forward") == "out = x.exp()\nctx.save_for_backward(out)\nreturn out\n"
    assert body(made, "backward") == "(out,) = ctx.saved_tensors\nreturn grad * out\n"


@pytest.mark.parametrize(
    ("forward", "backward", "reason"),
    [
        ("ctx.x = x\nx = x * 2\nctx.save_for_backward(x)\nreturn x", "return grad * ctx.x", "`x` changes"),
        ("ctx.x = x\nreturn x * 2", "ctx.x = ctx.x * 1\nreturn grad * ctx.x", "the backward sets `x`"),
        ("ctx.x = x\nreturn ctx.x * 2", "return 2 * grad * ctx.x / ctx.x", "the forward reads `x` again"),
        ("ctx.x = x\nkeep(ctx)\nreturn x * 2", "return 2 * grad * ctx.x", "`ctx` goes to another function"),
        (
            "ctx.x = y = x\nreturn x * 2",
            "return grad * ctx.x",
            "no assignment of its own sets `ctx.x` to a name",
        ),
        (
            "ctx.x = x.tanh()\nreturn ctx.x",
            "return grad * (1 - ctx.x ** 2)",
            "no assignment of its own sets `ctx.x` to a name",
        ),
    ],
)
def test_what_is_not_plain_is_left_alone(forward: str, backward: str, reason: str) -> None:
    text = class_of(forward, backward, "x: torch.Tensor")
    made = fixed(text)
    assert any(why.startswith(reason) for _, why in made.left), made.left


@pytest.mark.parametrize("parameters", ["x, a=2.0", "x, a: Packed | None", "x, a: packing.State"])
def test_what_is_no_tensor_stays_where_it_is(parameters: str) -> None:
    text = class_of("ctx.a = a\nctx.n = a.shape\nreturn x * a", "return grad * ctx.a, None", parameters)
    assert fixed(text).text == text
