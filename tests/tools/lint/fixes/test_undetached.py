"""A detached input is saved as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fixed import body, class_of, fixed, left, verdict


@pytest.mark.parametrize(
    "forward",
    [
        "ctx.save_for_backward(x.detach())\nreturn x * x",
        "y = x.data\nctx.save_for_backward(y)\nreturn x * x",
    ],
)
def test_the_input_itself_is_saved(forward: str, tmp_path: Path) -> None:
    text = class_of(forward, "(y,) = ctx.saved_tensors\nreturn 2 * grad * y")
    made = fixed(text).text
    assert "ctx.save_for_backward(x)\n" in body(made, "forward")
    assert left(made) == []
    assert verdict(text, "torch.rand(3)", tmp_path) == "silently wrong"
    assert verdict(made, "torch.rand(3)", tmp_path) == "right"
