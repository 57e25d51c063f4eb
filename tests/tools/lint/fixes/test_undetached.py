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


@pytest.mark.parametrize("taken", ["solve(x)", "ctx.solver.exp(x)", "Scaled.inner(x)"])
def test_a_detached_input_that_another_package_gets_stays_so(taken: str) -> None:
    text = class_of(
        "ctx.solver = solver\nctx.save_for_backward(x.detach())\nreturn x * x",
        f"(x,) = ctx.saved_tensors\nreturn 2 * grad * x + 0 * {taken}, None",
        "x, solver",
    )
    text = (
        f"from solvers import solve\n{text}\n    @staticmethod\n    def inner(x):\n        return solve(x)\n"
    )
    assert "save_for_backward(x.detach())" in fixed(text).text


def test_a_helper_of_the_file_gets_it_where_that_calls_pytorch_alone() -> None:
    text = class_of(
        "ctx.save_for_backward(x.detach())\nreturn x * x",
        "(x,) = ctx.saved_tensors\nreturn grad * Scaled.twice(x)",
    )
    text += "\n    @staticmethod\n    def twice(x):\n        return 2 * x.clone()\n"
    assert "save_for_backward(x)" in fixed(text).text
