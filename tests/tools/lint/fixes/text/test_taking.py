"""The name that each saved value gets in a backward, in each way of taking them."""

from __future__ import annotations

import ast

import pytest

from pullback.tools.lint.fixes.text.splices import CannotFix
from pullback.tools.lint.fixes.text.taking import Taking, find_taking


def taking(body: str, count: int | None = 3, inside: bool = True) -> Taking:
    """How a backward with this body takes `count` values."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    (function,) = ast.parse(f"def backward(ctx, grad):\n{lines}").body
    assert isinstance(function, ast.FunctionDef)
    return find_taking(function, inside, count)


@pytest.mark.parametrize(
    "body",
    [
        "a, b, c = ctx.saved_tensors",
        "saved = ctx.saved_tensors\na, b, c = saved",
        "a = ctx.saved_tensors[0]\nb, c = ctx.saved_tensors[1:]",
        "(a, b), c = ctx.saved_tensors[:2], ctx.saved_tensors[-1]",
        "saved = ctx.saved_tensors\na, b = saved[-3:-1]\nc = saved[2]",
    ],
)
def test_each_value_has_its_name(body: str) -> None:
    found = taking(body)
    assert [found.local(index) for index in range(3)] == ["a", "b", "c"]
    assert found.place is not None
    assert found.place.lineno == body.count("\n") + 2


def test_a_name_for_two_values_is_none() -> None:
    found = taking("_, _, c = ctx.saved_tensors")
    assert [found.local(index) for index in range(3)] == [None, None, "c"]


def test_a_name_that_is_bound_again_is_none() -> None:
    found = taking("a = ctx.saved_tensors[0]\na = a * 2\nb = ctx.saved_tensors[1]")
    assert found.items == {1: "b"}


def test_every_unpacking_is_found() -> None:
    found = taking("if grad.dim():\n    a, b, c = ctx.saved_tensors\nelse:\n    d, e, f = ctx.saved_tensors")
    assert [one.local(1) for one in found.all] == ["b", "e"]
    with pytest.raises(CannotFix):
        taking("if grad.dim():\n    a, b, c = ctx.saved_tensors", inside=False)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("a = ctx.saved_tensors[-1]", None),
        ("a, b = ctx.saved_tensors[1:]", None),
        ("a, b, c = ctx.saved_tensors\nd, e = ctx.saved_tensors", 3),
        ("a = list(ctx.saved_tensors)", 3),
        ("saved = ctx.saved_tensors\na = saved[0]\nreturn len(saved)", 3),
        ("grad = grad * ctx.saved_tensors[1]\na = ctx.saved_tensors[0]", 3),
    ],
)
def test_other_ways_are_not_known(body: str, count: int | None) -> None:
    with pytest.raises(CannotFix):
        taking(body, count)
