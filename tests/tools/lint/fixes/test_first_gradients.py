"""First gradients before and after a fix: the same, with and without a graph, in every class that runs."""

from __future__ import annotations

import ctypes
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from pullback.tools.lint.fixes.fixing import fix_source
from pullback.tools.lint.rules import TORCH_RULES
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

from .fixed import body, class_of, fixed, shown

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "lint_torch"
PAGES = {
    f"{code}_{i}": rule.snippet(i) for code, rule in TORCH_RULES.items() for i in ("Example", "Use instead")
}
TEXTS = {**{path.stem: path.read_text() for path in sorted(FOLDER.glob("*.py"))}, **PAGES}
# They call what is not there: compiled code, whose buffers stay empty, an old API, a function that is given;
# or PyTorch refuses them, or warns. Those of the collectives need a group of processes.
CANNOT_RUN = {"ArrayCaptured", "GivenUp", "SavedVariables", "AbstractAlone"}
CANNOT_RUN |= {
    "BytesSaved",
    "IntegersBeside",
    "FilledByPartOfPackage",
    "FilledByOperator",
    "KernelFills",
    "KernelScales",
    "Called",
    "CallableParameter",
    "Retensored",
    "CopiedToAll",
    "ImportedInTry",
    "Storages",
    "FilledByLoops",
    "Gathered",
    "LaunchedInPlace",
    "Neighbours",
    "SummedFresh",
    "FilledWithoutItsSize",
    "InnerBackward",
    "NewTensor",
    *("Addresses", "ArrayAddresses", "Exchanged", "LoadedLater", "Named", "Solver"),
}
# Autograd refuses to record what they do, before the fix and after it.
REFUSES_A_GRAPH = {"GradientOut", "CertainAliases"}


class Absent(types.ModuleType):
    """A module that fixtures import and nobody has: each function gives a copy of its first tensor.

    Of no tensor it gives what it is given, as a decorator does.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *given, **_: next(
            (g.clone() for g in given if isinstance(g, torch.Tensor)), given[0] if given else lambda f: f
        )


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    names = (
        "elsewhere kernels my_cuda my_kernels_cuda my_ops library numba gather_cuda qp_solver rotations_cuda"
    )
    for name in [*names.split(), "dynamics"]:
        monkeypatch.setitem(sys.modules, name, Absent(name))
    monkeypatch.setattr(ctypes, "CDLL", Absent)


def gradients(target: Any, sample: Any, create_graph: bool) -> list[Any]:
    from pullback.tools.torch_classes.measuring import Around

    found = []
    for head, tail in ((False, True), (True, False)):
        around = Around(target.call, sample, head, tail)
        points = around.points(torch.float64)
        found += [g.detach() for g in around.gradient(points, create_graph)]
    return found


def sample_of(target: Any) -> Any:
    from pullback.tools.torch_classes.inputs import NoInputs, given_samples, guessed_sample

    def why_not(sample: Any) -> str:
        try:
            gradients(target, sample, create_graph=False)
        except Exception as error:
            return str(error) or "it fails"
        return ""

    given = given_samples(target, None)
    try:
        return given[0] if given else guessed_sample(target, why_not)
    except NoInputs:
        return None


def compared(text: str, made: str, names: set[str], folder: Path) -> dict[str, str]:
    """For each class: "same", "cannot run", or what differs."""
    from pullback.tools.torch_classes.target import load_targets

    loaded = []
    for number, one in enumerate((text, made)):
        path = folder / f"compared_{number}_{abs(hash(one))}.py"
        # PyTorch frees an operator when another takes its name, and calling the first one crashes then.
        one = one.replace('"mine::', f'"mine_{abs(hash(path))}::')
        path.write_text(one)
        loaded.append({t.name: t for t in load_targets(Source(str(path), one), None)[0]})
    before, after = loaded
    found = {}
    for name in sorted(names & set(before)):
        sample = sample_of(before[name])
        found[name] = "cannot run" if sample is None else difference(before[name], after[name], sample)
    return found


def difference(before: Any, after: Any, sample: Any) -> str:
    expected = gradients(before, sample, create_graph=False)
    for create_graph in (False, True):
        try:
            now = gradients(after, sample, create_graph)
        except RuntimeError as error:
            if create_graph and before.name in REFUSES_A_GRAPH:
                continue
            return f"raises {error}"
        if not all(torch.allclose(a, b, rtol=1e-12, atol=0) for a, b in zip(expected, now, strict=True)):
            return f"{'with' if create_graph else 'without'} a graph: {expected}, then {now}"
    return "same"


@pytest.mark.usefixtures("absent")
@pytest.mark.parametrize("unsafe", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_of_every_fixture(unsafe: bool, tmp_path: Path) -> None:
    same, others = 0, dict[str, str]()
    for name, text in TEXTS.items():
        made = fix_source(Source(f"{name}.py", text), find_module, shown, unsafe)
        fixed_names = {finding.name for finding, _ in made.done} - CANNOT_RUN
        if not fixed_names:
            continue
        for which, said in compared(text, made.text, fixed_names, tmp_path).items():
            same += said == "same"
            others.update({} if said == "same" else {which: said})
    assert others == {}, sorted(others)
    assert same >= 45


PARALLEL = class_of(
    """
    e = (x - x.max(-1, keepdim=True)[0]).exp()
    total = e.sum(-1)
    loss = total.log() - e.gather(-1, target[:, None])[:, 0].log()
    e.div_(total.unsqueeze(-1))
    ctx.save_for_backward(e, target)
    return loss
    """,
    """
    softmax, target = ctx.saved_tensors
    grad_input = softmax
    grad_2d = grad_input.view(-1, softmax.shape[-1])
    grad_2d[torch.arange(target.shape[0]), target] -= 1.0
    grad_input.mul_(grad.unsqueeze(-1))
    return grad_input, None
    """,
    "x, target",
)
SHARED = class_of(
    "y = x.exp()\nctx.save_for_backward(y, y.view(-1))\nreturn y.sin()",
    "y, flat = ctx.saved_tensors\nflat[0] = 1.0\nreturn grad * y.cos()",
)
ATTRIBUTES = class_of(
    "y = x * x\nctx.y = y\nctx.flat = y.view(-1)\nreturn y.sin()",
    "flat = ctx.flat\nflat.mul_(2)\nreturn grad * ctx.y",
)
IN_A_LIST = class_of(
    """
    ctx.steps = []
    for _ in range(3):
        x = x.sin()
        ctx.steps.append(x)
    return x.cos()
    """,
    "for step in ctx.steps:\n    grad = grad * step\nreturn grad",
)
SWEPT = {
    "requires_grad_": """
        (y,) = ctx.saved_tensors
        y.requires_grad_()
        with torch.enable_grad():
            z = y.sin()
        z.backward(grad)
        return y.grad
    """,
    "a helper that runs backward": """
        (y,) = ctx.saved_tensors
        return swept(y, grad)
    """,
}
HELPER = """

def swept(y, grad):
    y.requires_grad = True
    with torch.enable_grad():
        torch.autograd.backward(y.sin(), grad)
    return y.grad
"""


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        pytest.param(PARALLEL, "torch.rand(3, 4, dtype=torch.float64), torch.tensor([1, 0, 2])", id="a view"),
        pytest.param(SHARED, "torch.rand(3, dtype=torch.float64)", id="saved twice"),
        pytest.param(ATTRIBUTES, "torch.rand(3, dtype=torch.float64)", id="attributes"),
        pytest.param(IN_A_LIST, "torch.rand(3, dtype=torch.float64)", id="a list"),
    ],
)
def test_where_memory_is_shared(text: str, inputs: str, unsafe: bool, tmp_path: Path) -> None:
    text = text.replace("class Scaled", f"# pullback: inputs {inputs}\nclass Scaled")
    made = fixed(text, unsafe)
    assert compared(text, made.text, {"Scaled"}, tmp_path) == {"Scaled": "same"}


@pytest.mark.parametrize("backward", SWEPT.values(), ids=SWEPT)
@pytest.mark.parametrize(
    "saved", ["ctx.save_for_backward(x.detach())", "y = x.detach() * 1\nctx.save_for_backward(y)"]
)
def test_a_leaf_of_the_backward_stays_one(saved: str, backward: str, tmp_path: Path) -> None:
    text = class_of(f"{saved}\nreturn x.sin()", backward) + HELPER
    text = text.replace("class Scaled", "# pullback: inputs torch.rand(3, dtype=torch.float64)\nclass Scaled")
    made = fixed(text)
    assert body(made.text, "forward") == body(text, "forward")
    assert any("differentiates itself" in reason for _, reason in made.left)
    assert compared(text, made.text, {"Scaled"}, tmp_path) == {"Scaled": "same"}


def test_a_barrier_unpacks_once_before_anything_is_overwritten(tmp_path: Path) -> None:
    text = class_of(
        "y = kernel(x)\nctx.save_for_backward(x, y)\nreturn y.sin()",
        "x, y = ctx.saved_tensors\nx.mul_(0)\nreturn grad * y.cos() * 2",
    ).replace("\n\n\nclass", "\n\n\ndef kernel(x):\n    return torch.from_numpy(2 * x.numpy())\n\n\nclass")
    made = fixed(text, unsafe=True).text
    assert made.count("ctx.saved_tensors") == 1
    path = tmp_path / "barrier.py"
    path.write_text(made)
    names: dict[str, Any] = {}
    exec(made, names)
    x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda t: names["Scaled"].apply(t * 1), x, use_reentrant=False)
    expected = 2 * (2 * x.detach()).cos()
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x)[0], expected)


def test_what_the_backward_overwrites_through_a_name_is_copied(tmp_path: Path) -> None:
    made = fixed(PARALLEL).text
    assert "softmax = softmax.clone()\n" in body(made, "backward")
    names: dict[str, Any] = {}
    exec(made, names)
    x = torch.rand(3, 4, dtype=torch.float64, requires_grad=True)
    loss = names["Scaled"].apply(x, torch.tensor([1, 0, 2])).sum()
    first = torch.autograd.grad(loss, x, retain_graph=True)[0]
    torch.testing.assert_close(torch.autograd.grad(loss, x)[0], first)
