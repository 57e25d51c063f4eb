"""What is changed in place after it was stored on the context is not computed again as it was before."""

from __future__ import annotations

import pytest

from ..fixed import class_of, fixed

HELPER = "import functools\n\n\ndef _change(t):\n    t.mul_(2)\n"
STORED = {
    "saved": ("ctx.save_for_backward(c)", "ctx.saved_tensors[0]"),
    "an attribute": ("ctx.c = c", "ctx.c"),
    "a tuple": ("ctx.kept = (c, 3)", "ctx.kept[0]"),
    "a dictionary": ("ctx.kept = {'c': c}", "ctx.kept['c']"),
    "filled": ("held = {}\nheld['c'] = c\nctx.kept = held", "ctx.kept['c']"),
    "a partial": ("ctx.kept = functools.partial(torch.add, c)", "ctx.kept(0)"),
}
CHANGES = {
    "a helper": "_change(c)",
    "a view": "z = c.view(-1)\nz.mul_(2)",
    "in a branch": "if x.numel() > 1:\n    _change(c)",
}


def _class(stored: str, change: str) -> str:
    store, read = STORED[stored]
    text = class_of(f"c = x.cos()\nr = c * x\n{store}\n{change}\nreturn r", f"return grad * {read}")
    return text.replace("import torch\n", f"import torch\n{HELPER}", 1)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("stored", STORED)
def test_what_changes_after_it_is_stored_is_left_alone(stored: str, change: str) -> None:
    text = _class(stored, CHANGES[change])
    assert fixed(text).text == text


@pytest.mark.parametrize("stored", [name for name in STORED if name != "a partial"])
def test_what_else_changes_is_no_hindrance(stored: str) -> None:
    made = fixed(_class(stored, "d = c * 2\n_change(d)"))
    assert [finding.code for finding, _ in made.done] == ["PB101"]
