"""Attributes of the context that are computed again, in each form in which a forward sets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sampling import sampled

from ..fixed import body, class_of, fixed, left, verdict

BACKWARD = "(x,) = ctx.saved_tensors\nreturn grad * (ctx.f * ctx.s + ctx.f * x.cos())"
TAIL = "ctx.save_for_backward(x)\nreturn x.exp() * x.sin()"
TWO = "\n\ndef two(x):\n    return x.exp(), x.sin()\n"
RIGHT = {
    "side by side": "ctx.f, ctx.s = x.exp(), x.sin()",
    "side by side, with names": "f = x.exp()\ns = x.sin()\nctx.s, ctx.f = s, f",
    "with a name": "ctx.f = f = x.exp()\nctx.s = s = x.sin()",
    "side by side, in branches": (
        "if x.dim() > 9:\n    ctx.f, ctx.s = x.exp(), x.sin()\nelse:\n    ctx.f, ctx.s = x.exp() * 1, x.sin()"
    ),
    "one from another's name": "f = x.exp()\nctx.f = f\nctx.s = x.sin() * f / f",
    "crossed names": "s = x.exp()\nf = x.sin()\nctx.f = s\nctx.s = f",
    "of a call": "ctx.f, ctx.s = two(x)",
    "of a call, beside a name": "ctx.f, y = two(x)\nctx.s = y",
    "beside others that nothing takes": "ctx.f, ctx.n = x.exp(), 1\nctx.s, ctx.more = two(x)[::-1]",
    "read again": "ctx.f = x.exp()\nctx.s = ctx.f * x.sin() / ctx.f",
    "changed under its name": "f = x.cos()\nctx.f = f\nf.sub_(x.cos()).add_(x.exp())\nctx.s = x.sin()",
}


@pytest.mark.parametrize("name", sampled(RIGHT, 2))
def test_it_is_computed_again_and_right(name: str, tmp_path: Path) -> None:
    text = class_of(f"{RIGHT[name]}\n{TAIL}", BACKWARD) + TWO
    assert "PB101" in left(text)
    made = fixed(text)
    assert made.left == []
    assert "None" not in body(made.text, "backward").partition("if torch")[2]
    assert verdict(text, "torch.rand(3)", tmp_path) == "silently wrong"
    assert verdict(made.text, "torch.rand(3)", tmp_path) == "right"


@pytest.mark.parametrize(
    ("forward", "reason"),
    [
        ("ctx.f: object = x.exp()\nctx.s = x.sin()", "`ctx.f` is not set by a plain assignment"),
        (
            "for _ in range(2):\n    ctx.f = x.exp()\nctx.s = x.sin()",
            "`ctx.f` is not set by a plain assignment",
        ),
        (
            "ctx.f, ctx.s = x.sin(), x.exp()\nctx.f, ctx.s = ctx.s, ctx.f",
            "the forward changes or reads the attribute where it computes it",
        ),
        ("f = x.exp()\nctx.f = f\nf = x.sin()\nctx.s = f", "`f` is another value than `ctx.f`"),
    ],
)
def test_what_another_name_or_form_may_change_is_left_alone(forward: str, reason: str) -> None:
    text = class_of(f"{forward}\n{TAIL}", BACKWARD) + TWO
    made = fixed(text)
    assert made.text == text
    assert {why for _, why in made.left} == {reason}


CHANGED = {
    "through a view": "t = x.exp()\nctx.t = t.view(-1)\nt.mul_(2)",
    "in a dictionary": "t = x.exp()\nctx.t = {0: t}\nt += 1",
    "before it is another": "t = x.exp()\nctx.t = t\nt.add_(1)\nt = x * 2",
    "in a branch": "t = x.exp()\nif x.dim() < 9:\n    ctx.t = t\nt.add_(1)",
    "in a loop": "t = x.exp()\nfor _ in range(2):\n    t.add_(1)\n    ctx.t = t\nt = x * 2",
    "by a method that lint does not know": "t = x.exp()\nctx.t = {0: t, 1: x}\nt.mine()",
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_changes_after_it_is_stored_is_left_alone(name: str) -> None:
    text = class_of(f"{CHANGED[name]}\nreturn t * 1", "return grad * ctx.t[0]")
    made = fixed(text)
    assert made.text == text
    assert made.left


def test_values_that_are_stored_together_must_not_change_either() -> None:
    text = class_of(
        "t = x.exp()\nu = x.sin()\nctx.kept = t, u\nt += 1\nreturn t * u",
        "t, u = ctx.kept\nreturn grad * t * u",
    )
    made = fixed(text)
    assert made.text == text
    assert {why for _, why in made.left} == {"`t` changes after it is stored"}


def test_a_list_that_is_filled_after_it_is_stored_is_filled_again() -> None:
    text = class_of(
        "steps = []\nctx.kept = steps\ny = x\nfor _ in range(3):\n    y = y.sin()\n"
        "    steps.append(y.cos())\nreturn y",
        "for step in reversed(ctx.kept):\n    grad = grad * step\nreturn grad",
    )
    made = fixed(text).text
    assert "steps.append(y.cos())" in body(made, "_recomputed")


def test_a_context_that_another_function_is_given_may_be_changed_there() -> None:
    text = class_of("ctx.f = x.exp()\nmore(ctx, x)\ny = ctx.f * 2\nreturn y", "return grad * 2 * ctx.f") + (
        "\n\ndef more(ctx, x):\n    ctx.f = ctx.f + x\n"
    )
    assert "ctx.f = f =" not in fixed(text).text
