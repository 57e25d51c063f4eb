"""A class with a given forward and backward, what the fixes make of it, and what PyTorch makes of that."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pullback.tools.lint.fixes.fixing import Fixed, fix_source
from pullback.tools.lint.frontend.modules import Program
from pullback.tools.lint.linter import lint_source
from pullback.tools.modules import find_module
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

HEAD = "import torch\n\n\n"


def class_of(forward: str, backward: str, parameters: str = "x", gradients: str = "grad") -> str:
    """The text of a class `Scaled` with these bodies."""
    bodies = [textwrap.indent(textwrap.dedent(body).strip(), " " * 8) for body in (forward, backward)]
    return (
        f"{HEAD}class Scaled(torch.autograd.Function):\n"
        f"    @staticmethod\n    def forward(ctx, {parameters}):\n"
        f"{bodies[0]}\n\n    @staticmethod\n    def backward(ctx, {gradients}):\n{bodies[1]}\n"
    )


def shown(source: Source, findings: list[Diagnostic]) -> list[Diagnostic]:
    """What lint prints without --verbose."""
    return [finding for finding in findings if finding.severity != "info"]


def fixed(text: str, unsafe: bool = False) -> Fixed:
    """The text after all fixes."""
    return fix_source(Source("f.py", text), find_module, shown, unsafe)


def left(text: str) -> list[str]:
    """The codes that lint finds."""
    source = Source("f.py", text)
    return [f.code for f in shown(source, lint_source(source, Program(find_module)).findings)]


def body(text: str, method: str) -> str:
    """The lines of a method of `Scaled`, without their indentation."""
    inside = text.split(f"    def {method}(", 1)[1].split("\n", 1)[1]
    lines: list[str] = []
    for line in inside.split("\n"):
        if line and not line.startswith(" " * 8):
            break
        lines.append(line[8:])
    return "\n".join(lines).strip() + "\n"


def verdict(text: str, inputs: str, folder: Path, name: str = "Scaled") -> str:
    """What `check` says of a class; why, where it could not run."""
    pytest.importorskip("torch")
    from pullback.tools.torch_classes.target import load_targets
    from pullback.tools.torch_classes.verdicts import Verdict, check_class

    path = folder / f"checked_{abs(hash(text))}.py"
    path.write_text(text)
    targets, _ = load_targets(Source(str(path), text), name)
    checked = check_class(targets[0], inputs)
    why = "".join(f": {note}" for note in checked.notes) if checked.verdict is Verdict.NOT_RUN else ""
    return checked.verdict.value + why
