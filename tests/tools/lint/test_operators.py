"""Operators in the styles of many people: what lint says of them is what running them gives."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pullback.tools.lint.fixes.fixing import fix_source
from pullback.tools.lint.linter import lint_source
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

FILE = Path(__file__).resolve().parents[2] / "fixtures" / "lint_operators" / "operators.py"
TEXT = FILE.read_text()
ROWS, COLUMNS = torch.tensor([0, 1, 2, 2]), torch.tensor([1, 0, 2, 1])
WRONG = {
    "MemoryEfficientGLU",
    "FastLayerNorm",
    "LabelSmoothingCE",
    "SparseMV",
    "AlphaComposite",
    "SoftArgmaxDetached",
    "LearnedStep",
    "Checkpointed",
    "SortedSum",
    "ContrastiveLoss",
    "GumbelGate",
    "Bilerp",
}
REPAIRED = WRONG - {"Checkpointed", "SortedSum"}


def _calls(m: Any) -> dict[str, tuple[Any, tuple[tuple[int, ...], ...]]]:
    """For each class but a surrogate a function of tensors, and their shapes."""
    return {
        "MemoryEfficientGLU": (lambda x: m.MemoryEfficientGLU.apply(x.sin()), ((2, 4),)),
        "SquaredReLU": (lambda x: m.SquaredReLU.apply(x.sin()), ((3,),)),
        "FastLayerNorm": (
            lambda x, w, b: m.FastLayerNorm.apply(x.sin(), w, b, 1e-5),
            ((2, 3), (3,), (3,)),
        ),
        "RMSNormRecompute": (lambda x, w: m.RMSNormRecompute.apply(x.sin(), w), ((2, 3), (3,))),
        "LabelSmoothingCE": (
            lambda x: m.LabelSmoothingCE.apply(x.sin(), torch.tensor([0, 2]), 0.1),
            ((2, 3),),
        ),
        "Huber": (lambda x, y: m.Huber.apply(x.sin() * 3, y, 0.5), ((4,), (4,))),
        "SparseMV": (lambda v, x: m.SparseMV.apply(ROWS, COLUMNS, v, x, 3), ((4,), (3,))),
        "SparseMV2": (lambda v, x: m.SparseMV2.apply(ROWS, COLUMNS, v, x, 3), ((4,), (3,))),
        "AlphaComposite": (
            lambda s, c: m.AlphaComposite.apply(s, torch.full((4,), 0.5), c),
            ((4,), (4, 3)),
        ),
        "SoftArgmaxOut": (lambda x: m.SoftArgmaxOut.apply(x.sin(), 0.7), ((3,),)),
        "SoftArgmaxDetached": (lambda x: m.SoftArgmaxDetached.apply(x.sin()), ((3,),)),
        "LearnedStep": (lambda v, s: m.LearnedStep.apply(v.sin(), s), ((3,), ())),
        "Checkpointed": (lambda x: m.Checkpointed.apply(lambda z: z.exp() * z, x), ((3,),)),
        "Blur": (
            lambda x: m.Blur.apply(x.sin(), torch.tensor([[[0.2, 0.5, 0.1]]], dtype=x.dtype)),
            ((1, 1, 6),),
        ),
        "SortedSum": (lambda x, w: m.SortedSum.apply(x.sin(), w), ((4,), (4,))),
        "SortedSum2": (lambda x, w: m.SortedSum2.apply(x.sin(), w), ((4,), (4,))),
        "ContrastiveLoss": (lambda z: m.ContrastiveLoss.apply(z, 0.5), ((3, 2),)),
        "Mish": (lambda x: m.Mish.apply(x.sin()), ((3,),)),
        "ExpmV": (m.ExpmV.apply, ((3, 3), (3,))),
        "GumbelGate": (lambda x: m.GumbelGate.apply(x.sin(), torch.full((3,), 0.3)), ((3,),)),
        "Additive": (lambda x, y: m.Additive.apply(x, y.sin()), ((3,), (3,))),
        "Bilerp": (lambda i, u: m.Bilerp.apply(i, u * 3), ((5,), (4,))),
        "Bilerp2": (lambda i, u: m.Bilerp2.apply(i, u * 3), ((5,), (4,))),
    }


def _loaded(text: str, folder: Path) -> ModuleType:
    path = folder / f"operators_{abs(hash(text))}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _right(call: Any, shapes: tuple[tuple[int, ...], ...]) -> tuple[bool, bool]:
    """Whether the first and the second derivatives are those of differences."""
    generator = torch.Generator().manual_seed(0)
    inputs = [torch.rand(s, generator=generator, dtype=torch.float64) * 0.8 + 0.1 for s in shapes]
    for one in inputs:
        one.requires_grad_()
    second = torch.autograd.gradgradcheck(call, inputs, raise_exception=False)
    return torch.autograd.gradcheck(call, inputs, raise_exception=False), second


def test_what_lint_finds_is_what_running_gives(tmp_path: Path) -> None:
    found = {f.name for f in lint_source(Source(str(FILE), TEXT)).findings if f.severity == "error"}
    assert found == WRONG
    for name, (call, shapes) in _calls(_loaded(TEXT, tmp_path)).items():
        assert _right(call, shapes) == (True, name not in WRONG), name


def test_most_of_the_wrong_ones_are_repaired(tmp_path: Path) -> None:
    made = fix_source(Source(str(FILE), TEXT), find_module, lambda _, found: found)
    assert {finding.name for finding, _ in made.left if finding.severity == "error"} == WRONG - REPAIRED
    calls = _calls(_loaded(made.text, tmp_path))
    for name in REPAIRED:
        assert _right(*calls[name]) == (True, True), name
