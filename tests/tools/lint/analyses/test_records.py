"""Values in named tuples and dataclasses are followed by their names, at any depth."""

from __future__ import annotations

import pytest

from pullback.tools.lint.analyses.facts import Program
from pullback.tools.lint.linter import lint_source
from pullback.transpile.ir import Source

HEAD = """import torch
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

Point = namedtuple("Point", "a b")


class Pair(NamedTuple):
    a: torch.Tensor
    b: torch.Tensor
    scale: float = 2.0


class Nested(NamedTuple):
    inner: Pair
    size: int


@dataclass
class Base:
    count: ClassVar[int] = 0
    t: torch.Tensor


@dataclass(frozen=True)
class State(Base):
    nested: Nested

    @property
    def left(self):
        return self.nested.inner.a


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
"""
BACKWARD = """
    @staticmethod
    def backward(ctx, grad):
"""


def found(forward: str, backward: str) -> list[tuple[str, str]]:
    """The codes and values that lint finds in a class, those of severity info left out."""
    bodies = ["".join(f"        {line}\n" for line in body.split("; ")) for body in (forward, backward)]
    findings = lint_source(Source("f.py", HEAD + bodies[0] + BACKWARD + bodies[1]), Program()).findings
    return [(one.code, one.value) for one in findings if one.severity == "error"]


USED = "return grad * b * b, 2 * grad * a"
SAVED = "a, b = ctx.saved_tensors"
INPUTS = "x, b = ctx.saved_tensors; a = x * b"

# Where an intermediate goes in, how the backward takes it out, and the name under which it is reported.
LOST = {
    "by position": ("p = Pair(x * y, y); ctx.save_for_backward(p.a, p.b)", SAVED, "p.a"),
    "by keyword": ("p = Pair(b=y, a=x * y); ctx.save_for_backward(p.a, p.b)", SAVED, "p.a"),
    "as items": ("n = Nested(Pair(x * y, y), 3); ctx.save_for_backward(*n.inner[:2])", SAVED, "n.inner[:2]"),
    "nested": ("ctx.s = Nested(Pair(x * y, y), 3)", "a, b = ctx.s.inner.a, ctx.s.inner.b", "s.inner.a"),
    "unpacked": ("ctx.s = Nested(Pair(x * y, y), 3)", "(a, b, scale), size = ctx.s", "s.inner.a"),
    "in a dataclass": (
        "ctx.s = State(x * y, Nested(Pair(x, y), 1))",
        "a, b = ctx.s.t, ctx.s.nested.inner.b",
        "s.t",
    ),
    "by a property": (
        "ctx.s = State(x, Nested(Pair(x * y, y), 1))",
        "a, b = ctx.s.left, ctx.s.nested[0][1]",
        "s.nested.inner.a",
    ),
    "in a made tuple": ("ctx.s = Point(x * y, y)", "a, b = ctx.s", "s.a"),
    "replaced by a function": (
        "ctx.s = replace(State(x, Nested(Pair(x, y), 1)), t=x * y)",
        "a, b = ctx.s.t, ctx.s.nested.inner.b",
        "s.t",
    ),
    "replaced": ("ctx.s = Point(x, y)._replace(a=x * y)", "a, b = ctx.s", "s.a"),
    "set later": ("s = Base(x); s.t = x * y; ctx.save_for_backward(s.t, y)", SAVED, "s.t"),
    "set, saved whole": ("s = Base(x); s.t = x * y; ctx.s = s; ctx.y = y", "a, b = ctx.s.t, ctx.y", "s.t"),
}

RIGHT = {
    "inputs only": ("p = Pair(x, y); ctx.save_for_backward(p.a, p.b)", INPUTS),
    "unused": ("ctx.s = Nested(Pair(x * y, y), 3); ctx.save_for_backward(x, y)", INPUTS),
    "packed again": ("ctx.save_for_backward(x, y)", "p = Pair(*ctx.saved_tensors); b = p.b; a = p.a * b"),
    "a default": ("ctx.save_for_backward(x, y); ctx.n = Pair(x, y).scale", f"{INPUTS} * ctx.n / 2"),
    "a size": (
        "ctx.n = Nested(x, x.shape[0]).size; ctx.save_for_backward(x, y)",
        f"{INPUTS} * ctx.n / ctx.n",
    ),
}


@pytest.mark.parametrize("case", LOST)
def test_an_intermediate_in_it_is_found(case: str) -> None:
    forward, backward, name = LOST[case]
    found_here = found(f"{forward}; return x * y * y", f"{backward}; {USED}")
    assert [code for code, _ in found_here] == ["PB101"]
    assert name is None or found_here[0][1] == name


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_none_is_not(case: str) -> None:
    forward, backward = RIGHT[case]
    assert found(f"{forward}; return x * y * y", f"{backward}; {USED}") == []


@pytest.mark.parametrize("made", ["Pair(x)", "Pair(x, y, 2.0, 3)", "Pair(*unknown(x), b=y)", "State()"])
def test_arguments_that_do_not_fit_are_opaque(made: str) -> None:
    found(f"ctx.s = {made}; return x * y", "return grad * ctx.s.a, grad * ctx.s.b")
