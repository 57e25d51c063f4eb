"""Attributes of the context that are computed again, in each form in which a forward sets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..fixed import body, class_of, fixed, left, verdict

BACKWARD = "(x,) = ctx.saved_tensors\nreturn grad * (ctx.f * ctx.s + ctx.f * x.cos())"
TAIL = "ctx.save_for_backward(x)\nreturn x.exp() * x.sin()"
RIGHT = {
    "side by side": "ctx.f, ctx.s = x.exp(), x.sin()",
    "side by side, with names": "f = x.exp()\ns = x.sin()\nctx.s, ctx.f = s, f",
    "with a name": "ctx.f = f = x.exp()\nctx.s = s = x.sin()",
    "side by side, in branches": (
        "if x.dim() > 9:\n    ctx.f, ctx.s = x.exp(), x.sin()\nelse:\n    ctx.f, ctx.s = x.exp() * 1, x.sin()"
    ),
    "one from another's name": "f = x.exp()\nctx.f = f\nctx.s = x.sin() * f / f",
}


@pytest.mark.parametrize("name", RIGHT)
def test_it_is_computed_again_and_right(name: str, tmp_path: Path) -> None:
    text = class_of(f"{RIGHT[name]}\n{TAIL}", BACKWARD)
    assert "PB101" in left(text)
    made = fixed(text)
    assert made.left == []
    assert "None" not in body(made.text, "backward").partition("if torch")[2]
    assert verdict(text, "torch.rand(3)", tmp_path) == "silently wrong"
    assert verdict(made.text, "torch.rand(3)", tmp_path) == "right"


@pytest.mark.parametrize(
    ("forward", "reason"),
    [
        ("ctx.f, ctx.s = two(x)", "`ctx.f` is not set by a plain assignment"),
        ("ctx.f: object = x.exp()\nctx.s = x.sin()", "`ctx.f` is not set by a plain assignment"),
        (
            "for _ in range(2):\n    ctx.f = x.exp()\nctx.s = x.sin()",
            "`ctx.f` is not set by a plain assignment",
        ),
        (
            "ctx.f, ctx.s = x.sin(), x.exp()\nctx.f, ctx.s = ctx.s, ctx.f",
            "`ctx.f` is not set by a plain assignment",
        ),
        ("s = x.exp()\nf = x.sin()\nctx.f = s\nctx.s = f", "`f` is another value than `ctx.f`"),
        ("f = x.exp()\nctx.f = f\nf = x.sin()\nctx.s = f", "`f` is another value than `ctx.f`"),
    ],
)
def test_what_another_name_or_form_may_change_is_left_alone(forward: str, reason: str) -> None:
    text = class_of(f"{forward}\n{TAIL}", BACKWARD)
    text += "\n\ndef two(x):\n    return x.exp(), x.sin()\n"
    made = fixed(text)
    assert made.text == text
    assert {why for _, why in made.left} == {reason}
