"""The fixes of all findings of a file, each tried alone."""

from __future__ import annotations

import pytest

from pullback.tools.lint import linter
from pullback.tools.lint.fixes.edits import repairs
from pullback.tools.lint.frontend.modules import Program
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

from .fixed import HEAD, class_of

MANY = 10
ONE = class_of(
    "t = x.exp()\nctx.save_for_backward(t)\nreturn t * t", "(t,) = ctx.saved_tensors\nreturn grad * t"
)


def test_trying_a_fix_reads_again_only_the_class_that_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [ONE.removeprefix(HEAD).replace("Scaled", f"Scaled{number}") for number in range(MANY)]
    source, program = Source("f.py", HEAD + "\n\n".join(bodies)), Program(find_module)
    found = linter.lint_source(source, program).findings
    read: list[str] = []
    real = linter.read_class

    def counted(cls):
        read.append(cls.name)
        return real(cls)

    monkeypatch.setattr(linter, "read_class", counted)
    made = repairs(source, program, found)
    assert [repair.number for repair in made] == [*range(MANY)]
    first, last = made[0].edits[0].first, made[-1].edits[0].first
    assert first < source.text[: source.text.index("Scaled1")].count("\n") < last
    assert len(read) <= 3 * MANY
