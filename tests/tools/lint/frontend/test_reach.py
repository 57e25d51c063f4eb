"""What a class depends on in its file: an edit leaves what it cannot change, and nothing else."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from pullback.tools.lint import linter
from pullback.tools.lint.linter import Known, lint_source
from pullback.transpile.ir import Source

FIXTURES = sorted((Path(__file__).parents[3] / "fixtures" / "lint_torch").rglob("*.py"))
PIECES = (
    "\n", "# pullback: surrogate\n", "def helper(x):\n    return x.detach()\n", "scale = 3\n", "\f", "    ",
    "import torch.nn.functional as F\n", "ctx.kept = x\n", "x = x.detach()\n", "\ufb01",
    "class A(B):\n    pass\n", "from other import *\n", "if True:\n    helper = abs\n", "@staticmethod\n",
)  # fmt: skip
TEXT = """import torch
from torch.autograd import Function


def doubled(x):
    return x * 2


def made(x):
    return doubled(x)


class Base(Function):
    @staticmethod
    def forward(ctx, a, b):
        t = made(a)
        ctx.save_for_backward(b, t)
        return t * b

    @staticmethod
    def backward(ctx, grad):
        b, t = ctx.saved_tensors
        return grad * b * 2, grad * t


class Derived(Base):
    pass


class Alone(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3
"""
LAST = TEXT[TEXT.index("class Alone") :]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the classes that are analysed."""
    names: list[str] = []
    real = linter.read_class

    def noted(cls: linter.FunctionClass) -> linter.ClassFacts | None:
        names.append(cls.name)
        return real(cls)

    monkeypatch.setattr(linter, "read_class", noted)
    return names


def _again(text: str, read: list[str]) -> list[str]:
    """The classes that are analysed again after `TEXT` was."""
    known = Known()
    lint_source(Source("f.py", TEXT), known=known)
    read.clear()
    found = lint_source(Source("f.py", text), known=known)
    again = list(read)
    assert found == lint_source(Source("f.py", text))
    return again


LEFT = {
    "a comment at the end": TEXT + "# end\n",
    "a function that no class calls": TEXT + "def unrelated(x):\n    return x\n",
    "nothing": TEXT,
}
CHANGED = {
    "the class itself": (TEXT.replace("a * 3", "a * 4"), ["Alone"]),
    "a comment above it": (TEXT.replace(LAST, f"# pullback: surrogate\n{LAST}"), ["Alone"]),
    "a function that another calls": (TEXT.replace("x * 2", "x + 2"), ["Base", "Derived"]),
    "the meaning of a name": (TEXT.replace("def made", "def other"), ["Base", "Derived"]),
    "a name that is bound again": (TEXT + "\nfrom torch import abs as doubled\n", ["Base", "Derived"]),
    "its base": (TEXT.replace("return t * b", "return b * t"), ["Base", "Derived"]),
    "a name that all use": (TEXT.replace("autograd import", "optim import"), ["Base", "Derived", "Alone"]),
    "its line": (TEXT.replace("class Alone", "\nclass Alone"), ["Alone"]),
}


@pytest.mark.parametrize("what", LEFT)
def test_what_no_class_depends_on_leaves_all_known(what: str, read: list[str]) -> None:
    assert _again(LEFT[what], read) == []


@pytest.mark.parametrize("what", CHANGED)
def test_classes_are_analysed_again_that_depend_on_a_change(what: str, read: list[str]) -> None:
    text, expected = CHANGED[what]
    assert _again(text, read) == expected


def test_an_attribute_that_anything_may_set_is_looked_for_again(read: list[str]) -> None:
    reading = TEXT.replace("b, t = ctx.saved_tensors\n", "b, t = ctx.saved_tensors\n        ctx.unset\n")
    known = Known()
    assert "PB309" in {f.code for f in lint_source(Source("f.py", reading), known=known).findings}
    setting = f"{reading}\nnode.unset = 1\n"
    assert "PB309" not in {f.code for f in lint_source(Source("f.py", setting), known=known).findings}


@pytest.mark.parametrize("seed", range(2))
def test_edits_find_what_the_whole_text_has(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(2):
        text = "\n".join(path.read_text() for path in chance.sample(FIXTURES, 2))
        known = Known()
        for _ in range(10):
            source = Source("f.py", text)
            assert lint_source(source, known=known) == lint_source(source)
            text = _edited(text, chance)


def _edited(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    words = list(re.finditer(r"[a-zA-Z_]\w*", lines[one]))
    match chance.randrange(5):
        case 0:
            del lines[one]
        case 1:
            lines.insert(other, lines[one])
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
        case 3 if words:
            word = chance.choice(words)
            new = chance.choice(re.findall(r"[a-zA-Z_]\w*", text))
            lines[one] = lines[one][: word.start()] + new + lines[one][word.end() :]
        case _:
            lines.insert(one, chance.choice(PIECES))
    return "\n".join(lines)
