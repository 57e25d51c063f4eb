"""A loop variable that is read after the loop: hits, and loops that are fine."""

from __future__ import annotations

import pytest

from pullback.tools.lint.linter import lint_source
from pullback.transpile.ir import Source

FORMULA = """
import pullback as pb
made = []
for k in range(3):
    @pb.formula
    def scaled(x{parameter}):
        def scaled_pullback(grad):
            return grad * {factor}
        return x * {factor}, scaled_pullback
    made.append(scaled)
"""
CLASS = """
import torch
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.steps = []
        for k in range(3):
            {made}
        return x * 3
    @staticmethod
    def backward(ctx, grad):
        return sum(step(grad) for step in ctx.steps)
"""
HOOK = """
import torch
from torch.autograd import Function
class Unrelated(Function):
    pass
def watch(tensors, seen):
    for number, tensor in enumerate(tensors):
        {made}
"""

LIST = """
import torch
from torch.autograd import Function
def make(tensors, seen):
    made = []
    {loop}
    return made
"""

HITS = {
    "a formula": FORMULA.format(parameter="", factor="k"),
    "a lambda in a list": CLASS.format(made="ctx.steps.append(lambda g: g * k)"),
    "a function in a list": CLASS.format(
        made="def step(g):\n                return g * k\n            ctx.steps.append(step)"
    ),
    "a function in a branch": CLASS.format(made="if k:\n                ctx.steps.append(lambda g: g * k)"),
    "a hook": HOOK.format(made="tensor.register_hook(lambda g: seen.append(number) or g)"),
    "a list that a function returns": LIST.format(loop="for k in tensors: made.append(lambda x: x * k)"),
    "a list of functions": LIST.format(loop="made = [lambda x: x * k for k in range(3)]"),
    "a counter": LIST.format(
        loop="k = 0\n    while k < 3:\n        made.append(lambda x: x * k)\n        k += 1"
    ),
    "what is computed from it": LIST.format(
        loop="for k, t in enumerate(tensors):\n        scale = 2.0 ** k\n"
        "        t.register_hook(lambda g: g * scale)"
    ),
}
MISSES = {
    "a list that the loop reads": LIST.format(
        loop="for k in tensors:\n        made.append(lambda x: x * k)\n        seen += [f(1) for f in made]"
    ),
    "values of functions": LIST.format(loop="made = [(lambda x: x * k)(1) for k in range(3)]"),
    "a function that sorts": LIST.format(loop="made = [sorted(seen, key=lambda x: x * k) for k in range(3)]"),
    "what is the same in all": LIST.format(
        loop="for t in tensors:\n        scale = 2.0\n        t.register_hook(lambda g: g * scale)"
    ),
    "a formula without it": FORMULA.format(parameter="", factor="2"),
    "a parameter": FORMULA.format(parameter=", k", factor="k"),
    "a default": CLASS.format(made="ctx.steps.append(lambda g, k=k: g * k)"),
    "a call in the iteration": CLASS.format(made="ctx.steps.append((lambda g: g * k)(x))"),
    "a name of its own": CLASS.format(made="ctx.steps.append(lambda g: sum(g * k for k in (1, 2)))"),
    "a key": CLASS.format(made="x = max(x, key=lambda g: g * k)"),
    "a loop that ends": CLASS.format(made="ctx.steps.append(lambda g: g * k)\n            break"),
    "a hook without it": HOOK.format(made="tensor.register_hook(lambda g: g * 2)"),
}


def late(text: str) -> list[tuple[str, str]]:
    found = lint_source(Source("f.py", text)).findings
    return [(f.name, f.value) for f in found if f.code == "PB111"]


@pytest.mark.parametrize("text", HITS.values(), ids=HITS)
def test_it_is_found(text: str) -> None:
    assert len(late(text)) == 1


@pytest.mark.parametrize("text", MISSES.values(), ids=MISSES)
def test_it_is_left(text: str) -> None:
    assert late(text) == []


def test_the_owner_is_named() -> None:
    assert late(HITS["a formula"]) == [("scaled", "k")]
    assert late(HITS["a function in a list"]) == [("Scaled", "k")]
    assert late(HITS["a hook"]) == [("lambda", "number")]
