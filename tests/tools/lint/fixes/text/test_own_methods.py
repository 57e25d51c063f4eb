"""Classes that share a forward or a backward: none of them loses a first gradient by another's fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.lint.fixes.file import fix_file

from ..fixed import HEAD, fixed, shown, verdict

FORWARD = """
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        return y{more}
"""
BACKWARD = """
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y * y)
"""
CLASS = "class {name}({base}):" + FORWARD
WRONG = CLASS.format(name="Scaled", base="torch.autograd.Function", more=" * 1") + BACKWARD
BASE = "class Base(torch.autograd.Function):" + BACKWARD
OF_BASE = BASE + "\n\n" + CLASS.format(name="Scaled", base="Base", more=" * 1")
SHARED = {
    "a backward of a base": (
        OF_BASE + "\n\n" + CLASS.format(name="Other", base="Base", more=""),
        "`Other` has the same `backward`",
    ),
    "a backward that another calls": (
        WRONG
        + "\n\n"
        + CLASS.format(name="Other", base="torch.autograd.Function", more="")
        + "\n    @staticmethod\n    def backward(ctx, g):\n        return Scaled.backward(ctx, g)\n",
        "`Scaled.backward` is called in line",
    ),
    "a helper that two call": (
        "def kept(ctx, x):\n    ctx.y = torch.tanh(x)\n    return ctx.y\n\n\n"
        + "\n\n".join(
            f"class {name}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
            f"        return kept(ctx, x) * 1\n\n    @staticmethod\n    def backward(ctx, g):\n"
            f"        return g * (1 - ctx.y * ctx.y)\n"
            for name in ("Scaled", "Other")
        ),
        "`kept` is called in several places",
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_what_another_class_runs_is_left_alone(name: str) -> None:
    text, reason = SHARED[name]
    made = fixed(HEAD + text)
    assert made.text == HEAD + text
    assert any(why.startswith(reason) for _, why in made.left), made.left


OTHER = "    @staticmethod\n    def backward(ctx, g):\n        {taken}\n        return g * (y > 0)\n"
INHERITS = "class Other(Scaled):\n"
EXTENDS = INHERITS + (
    "    @classmethod\n    def forward(cls, ctx, x):\n        return super().forward(ctx, x)\n\n"
)


@pytest.mark.parametrize("head", [INHERITS, EXTENDS])
@pytest.mark.parametrize(
    ("taken", "after"),
    [
        ("(y,) = ctx.saved_tensors", "(y, *_) = ctx.saved_tensors"),
        ("y = ctx.saved_tensors[0]", "y = ctx.saved_tensors[0]"),
        ("y = ctx.saved_tensors[-1]", "y = ctx.saved_tensors[0]"),
        ("[y] = ctx.saved_tensors", "(y, *_) = ctx.saved_tensors"),
    ],
)
def test_another_backward_still_takes_what_it_took(head: str, taken: str, after: str, tmp_path: Path) -> None:
    text = HEAD + WRONG + "\n\n" + head + OTHER.format(taken=taken)
    made = fixed(text).text
    assert after in made.partition("class Other")[2]
    assert verdict(made, "torch.rand(3)", tmp_path) == "right"
    assert verdict(text, "torch.rand(3)", tmp_path, "Other") == "first order wrong"
    assert verdict(made, "torch.rand(3)", tmp_path, "Other") == "first order wrong"


@pytest.mark.parametrize(
    "taken",
    [
        "y = more(*ctx.saved_tensors)",
        "y, _ = *ctx.saved_tensors, 1",
        "(_,) = ctx.saved_tensors\n        y = _",
    ],
)
def test_another_backward_that_takes_it_otherwise_is_left_alone(taken: str) -> None:
    text = HEAD + WRONG + "\n\n" + INHERITS + OTHER.format(taken=taken)
    assert fixed(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        OF_BASE,
        WRONG + "\n\nclass Other(Scaled):\n    pass\n",
        WRONG + "\n\nclass Other:\n    backward = None\n",
    ],
)
def test_what_no_other_runs_otherwise_is_repaired(text: str, tmp_path: Path) -> None:
    made = fixed(HEAD + text)
    assert made.left == []
    assert verdict(HEAD + text, "torch.rand(3)", tmp_path) == "silently wrong"
    assert verdict(made.text, "torch.rand(3)", tmp_path) == "right"


KEEP = """def keep(ctx, x):
    y = torch.tanh(x)
    ctx.save_for_backward(y)
    return y * 1


class Scaled(torch.autograd.Function):
    forward = staticmethod(keep)
""" + BACKWARD.removeprefix("\n").replace("    @", "\n    @", 1)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (CLASS.format(name="Other", base="torch.autograd.Function", more="").split("        y =")[0]
         + "        return keep(ctx, x)\n" + BACKWARD, "`keep` is called in several places"),
        ("class Other(torch.autograd.Function):\n    forward = staticmethod(keep)\n"
         "    backward = staticmethod(lambda ctx, g: g * (1 - ctx.saved_tensors[0] ** 2))\n",
         "`Other` takes what `keep` saves, where lint can't read it"),
        ("Other = type('Other', (torch.autograd.Function,), {'forward': staticmethod(keep),"
         " 'backward': staticmethod(lambda ctx, g: g * (1 - ctx.saved_tensors[0] ** 2))})\n",
         "`keep` is called in several places"),
    ],
)  # fmt: skip
def test_a_function_that_another_class_uses_is_left_alone(other: str, reason: str) -> None:
    text = HEAD + KEEP + "\n\n" + other
    made = fixed(text)
    assert made.text == text
    assert reason in {why for _, why in made.left}
    assert fixed(HEAD + KEEP).left == []
    assert fixed(HEAD + KEEP).text != HEAD + KEEP


USERS = {
    "class Other(Scaled):" + BACKWARD: "`user.py` uses `Scaled.forward`",
    "class Other(base.Scaled):" + BACKWARD: "`user.py` uses `Scaled.forward`",
    "class Other(torch.autograd.Function):\n    forward = Named.forward\n": "`user.py` uses `Scaled.forward`",
    "class Other(Scaled):\n    pass\n": "",
    "def run(Scaled, x):\n    return x.Scaled.forward\n": "",
    "class Scaled:" + BACKWARD + "\n\nclass Other(Scaled):" + BACKWARD.replace("backward", "forward"): "",
}


@pytest.mark.parametrize("user", USERS)
def test_a_class_that_another_file_runs_in_part_is_left_alone(user: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "one").mkdir()
    own = "Scaled as Other" if user.startswith("class Scaled") else "Scaled, Scaled as Named"
    (tmp_path / "user.py").write_text(
        f"import torch\nfrom one import base\nfrom one.base import {own}\n{user}"
    )
    path = tmp_path / "one" / "base.py"
    path.write_text(HEAD + WRONG)
    made = fix_file(path, shown, False)
    assert made is not None
    assert {why for _, why in made.fixed.left} == ({USERS[user]} if USERS[user] else set())
    assert made.changed == (not USERS[user])


def test_a_helper_that_another_file_uses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(
        "from base import keep\n\n\ndef forward(ctx, x):\n    return keep(ctx, x)\n"
    )
    path = tmp_path / "base.py"
    path.write_text(HEAD + KEEP)
    made = fix_file(path, shown, False)
    assert made is not None
    assert [why for _, why in made.fixed.left] == ["`user.py` uses `keep`"]


STATIC_HELPER = (
    HEAD
    + """
class Scaled(torch.autograd.Function):
    @staticmethod
    def slope(x):
        {writes}
        return torch.sigmoid(x)

    @staticmethod
    def forward(ctx, x):
        slope = Scaled.slope(x)
        ctx.save_for_backward(slope)
        return torch.nn.functional.softplus(x)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]
"""
)


def test_what_a_static_method_of_the_class_computes_is_computed_again(tmp_path: Path) -> None:
    made = fixed(STATIC_HELPER.format(writes="pass"))
    assert made.left == []
    assert verdict(made.text, "torch.rand(3)", tmp_path) == "right"
    writing = STATIC_HELPER.format(writes="x.mul_(2)")
    assert fixed(writing).text == writing


def test_what_the_forward_changes_after_it_saves_it_is_not_computed_again() -> None:
    forward = FORWARD.format(more=".clone()").replace("(y)\n", "(y)\n        y.mul_(2).exp_()\n")
    text = HEAD + "class Scaled(torch.autograd.Function):" + forward + BACKWARD
    assert "y.mul_(2).exp_()" in text
    assert fixed(text).text == text
