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
from tests.sampling import sampled

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:Sparse invariant checks")]
torch = pytest.importorskip("torch")

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "lint_operators"
ROWS, COLUMNS = torch.tensor([0, 1, 2, 2]), torch.tensor([1, 0, 2, 1])
Calls = dict[str, tuple[Any, tuple[tuple[int, ...], ...]]]
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
MORE_WRONG = {
    "VocabCE",
    "LSTMCell",
    "GRUGate",
    "InplaceSwish",
    "TopKWithInfo",
    "ScaledTanhAct",
    "HelperSaves",
    "Standardize",
    "SoftQuant",
    "GroupNormFn",
    "RMSGemma",
    "TemperedSoftmax",
    "Biquad",
    "MaybeRecompute",
    "CholSolve",
    "LogDet",
    "Poly",
    "StackNorm",
    "LSE",
    "WeightStd",
}
MORE_LEFT = {
    "InplaceSwish",
    "ScaledTanhAct",
    "HelperSaves",
    "MaybeRecompute",
    "StackNorm",
    "LSE",
}


def _calls(m: Any) -> Calls:
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


def _more_calls(m: Any) -> Calls:
    """The same for the second file."""
    edges, tensor = torch.stack([ROWS, COLUMNS]), torch.tensor

    def positive(a: Any) -> Any:
        return a @ a.mT + 2 * torch.eye(a.shape[0], dtype=a.dtype)

    return {
        "VocabCE": (lambda x: m.VocabCE.apply(x.sin(), tensor([0, 2]), 0.0), ((2, 3),)),
        "LSTMCell": (lambda g, c: m.LSTMCell.apply(g.sin(), c), ((2, 8), (2, 2))),
        "GRUGate": (lambda z, h, n: m.GRUGate.apply(z.sin(), h, n), ((3,), (3,), (3,))),
        "SetupOut": (lambda x, w: m.SetupOut.apply(x.sin(), w), ((2, 3), (3, 2))),
        "InplaceExp": (lambda x: m.InplaceExp.apply(x.sin()), ((3,),)),
        "InplaceSwish": (lambda x: m.InplaceSwish.apply(x.sin()), ((3,),)),
        "TopKWithInfo": (lambda x: m.TopKWithInfo.apply(x.sin(), 2)[0], ((4,),)),
        "TanhAct": (lambda x: m.TanhAct.apply(x.sin()), ((3,),)),
        "ScaledTanhAct": (lambda x: m.ScaledTanhAct.apply(x.sin()), ((3,),)),
        "HelperSaves": (lambda x, w: m.HelperSaves.apply(x.sin(), w), ((3,), (3,))),
        "Standardize": (lambda x: m.Standardize.apply(x.sin()), ((5,),)),
        "SoftQuant": (lambda x, a: m.SoftQuant.apply(x.sin(), a, 4), ((3,), ())),
        "GroupNormFn": (lambda x, w: m.GroupNormFn.apply(x.sin(), w, 2, 1e-5), ((2, 6), (6,))),
        "RMSGemma": (lambda x, w: m.RMSGemma.apply(x.sin(), w), ((2, 3), (3,))),
        "SpMM": (lambda v, d: m.SpMM.apply(edges, v, d, (3, 3)), ((4,), (3, 2))),
        "SegmentSoftmax": (
            lambda s: m.SegmentSoftmax.apply(s.sin(), tensor([0, 1, 0, 1, 1]), 2),
            ((5,),),
        ),
        "TemperedSoftmax": (lambda x: m.TemperedSoftmax.apply(x.sin(), 0.7), ((2, 3),)),
        "Biquad": (lambda x, k: m.Biquad.apply(x.sin(), k), ((3,), ())),
        "MaybeRecompute": (
            lambda x, w: m.MaybeRecompute.apply(x.sin(), w, False) + m.MaybeRecompute.apply(x, w, True),
            ((2, 3), (3, 2)),
        ),
        "FFTConv": (lambda x, k: m.FFTConv.apply(x.sin(), k), ((6,), (3,))),
        "CholSolve": (lambda a, b: m.CholSolve.apply(positive(a), b), ((3, 3), (3, 2))),
        "LogDet": (lambda a: m.LogDet.apply(positive(a)), ((3, 3),)),
        "GradReverse": (lambda x: m.GradReverse.apply(m.GradReverse.apply(x.sin(), 1.0), 1.0), ((3,),)),
        "TwoOut": (lambda x: m.TwoOut.apply(x.exp()), ((3,),)),
        "Poly": (lambda x: m.poly3(x.sin()), ((3,),)),
        "Sinh": (lambda x: m.Sinh.apply(x.sin()), ((3,),)),
        "StackNorm": (lambda x, y: m.StackNorm.apply(x.sin(), y), ((3,), (2,))),
        "LSE": (lambda x: m.LSE.apply(x.sin(), -1), ((2, 3),)),
        "Triplet": (lambda a, p, n: m.Triplet.apply(a.sin(), p, n, 5.0), ((2, 3), (2, 3), (2, 3))),
        "WeightStd": (lambda w: m.WeightStd.apply(w.sin()), ((2, 4),)),
    }


def _other_calls(m: Any) -> Calls:
    """The same for the third file."""
    tensor, double = torch.tensor, torch.float64
    functions = {"act": torch.sin, "dact": torch.cos}
    return {
        "Attention": (lambda q, k, v: m.Attention.apply(q.sin(), k, v), ((1, 2, 3), (1, 3, 3), (1, 3, 2))),
        "BatchNormTrain": (
            lambda x, w: m.BatchNormTrain.apply(x.sin(), w, torch.zeros(3, dtype=double), 0.1, 1e-5),
            ((4, 3), (3,)),
        ),
        "Scan": (lambda a, x: m.Scan.apply(a.sin(), x), ((4, 2), (4, 2))),
        "Im2Col": (lambda x, w: m.Im2Col.apply(x.sin(), w), ((1, 1, 3, 3), (2, 4))),
        "Pairwise": (lambda x, y: m.Pairwise.apply(x.sin(), y + 1), ((2, 3), (3, 3))),
        "Rotary": (lambda x: m.Rotary.apply(x.sin(), torch.arange(2).double(), 10.0), ((2, 4),)),
        "StarSaved": (lambda x, w, v: m.StarSaved.apply(x.sin(), w, v), ((2, 3), (3, 3), (3, 2))),
        "Needs": (lambda a, b: m.Needs.apply(a.sin(), b), ((2, 3), (3, 2))),
        "Walrus": (lambda x: m.Walrus.apply(x.sin()), ((3,),)),
        "NewtonSqrt": (lambda x: m.NewtonSqrt.apply(x), ((3,),)),
        "LambdaSaved": (lambda x: m.LambdaSaved.apply(x.sin()), ((3,),)),
        "Poisson": (lambda x: m.Poisson.apply(x.sin(), tensor([1.0, 2.0, 0.0], dtype=double)), ((3,),)),
        "EmbeddingScale": (lambda w: m.EmbeddingScale.apply(tensor([0, 2, 0]), 3 * w), ((3, 4),)),
        "GeoMean": (lambda x: m.GeoMean.apply(x), ((2, 3),)),
        "KwOnly": (lambda x, w: m.KwOnly.apply(x, w, functions), ((3,), (3,))),
        "TryFinally": (lambda x: m.TryFinally.apply(x), ((3,),)),
        "InnerHelper": (lambda x, w: m.InnerHelper.apply(x.sin(), w), ((3,), (3,))),
        "Sorted": (lambda x, w: m.Sorted.apply(x.sin(), w), ((2, 4), (4,))),
        "OutputMutated": (lambda x: m.OutputMutated.apply(x.sin()), ((3,),)),
        "Whiten": (lambda x: m.Whiten.apply(x), ((4, 2),)),
    }


OTHER_LEFT = {"StarSaved", "Walrus", "TryFinally", "KwOnly"}
OTHER_WRONG = OTHER_LEFT | {
    "Attention",
    "BatchNormTrain",
    "Scan",
    "Im2Col",
    "Pairwise",
    "Needs",
    "LambdaSaved",
    "Poisson",
    "EmbeddingScale",
    "GeoMean",
    "InnerHelper",
    "Sorted",
    "OutputMutated",
    "Whiten",
}
FILES = {
    "operators": (_calls, WRONG, {"Checkpointed", "SortedSum"}),
    "more_operators": (_more_calls, MORE_WRONG, MORE_LEFT),
    "other_operators": (_other_calls, OTHER_WRONG, OTHER_LEFT),
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


@pytest.mark.parametrize("name", FILES)
def test_what_lint_finds_is_what_running_gives(name: str, tmp_path: Path) -> None:
    calls, wrong, _ = FILES[name]
    path = FOLDER / f"{name}.py"
    found = lint_source(Source(str(path), path.read_text())).findings
    assert {finding.name for finding in found if finding.severity == "error"} == wrong
    for one, (call, shapes) in calls(_loaded(path.read_text(), tmp_path)).items():
        assert _right(call, shapes) == (True, one not in wrong), one


@pytest.mark.parametrize("name", sampled(reversed(FILES), len(FILES)))
def test_most_of_the_wrong_ones_are_repaired(name: str, tmp_path: Path) -> None:
    calls, _, left = FILES[name]
    path = FOLDER / f"{name}.py"
    made = fix_source(Source(str(path), path.read_text()), find_module, lambda _, found: found)
    assert {finding.name for finding, _ in made.left if finding.severity == "error"} == left
    for one, (call, shapes) in calls(_loaded(made.text, tmp_path)).items():
        assert _right(call, shapes) == (True, one not in left), one
