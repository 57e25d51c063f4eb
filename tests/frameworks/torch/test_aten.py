"""C++ over ATen: compiled in one extension, values and derivatives of every order."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pullback.engine.formula.formula import LIBRARY_OF_PROCESS  # noqa: E402 - where torch is
from pullback.transpile.emit.aten.module import aten_module  # noqa: E402 - where torch is
from tests.frameworks.texts import promoted  # noqa: E402 - where torch is

from .cases import CASES, Case, once  # noqa: E402 - where torch is
from .operands import arrays, of_tensors, tensors  # noqa: E402 - where torch is

# One translation unit of PyTorch's headers takes a quarter of a minute.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    # What PyTorch does in forward mode, and while it traces.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning"),
]

EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
SMOOTH = pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case.smooth], ids=[n for n, c in CASES.items() if c.smooth]
)
Operator = Callable[[Case], Callable[..., Any]]


def built(text: str, folder: Path) -> Path:
    """The extension of a text, without a warning of the compiler's."""
    source, library = folder / "cases.cpp", folder / "cases.so"
    source.write_text(text)
    root = Path(torch.__file__).parent
    headers = [f"-isystem{root}/include", f"-isystem{root}/include/torch/csrc/api/include"]
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"
    linked = [f"-L{root}/lib", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{root}/lib"]
    command = ["g++", "-std=c++20", "-O0", "-shared", "-fPIC", abi, *warnings, *headers, str(source)]
    done = subprocess.run(
        [*command, "-o", str(library), *linked], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:4000]
    return library


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    """The operator of a case."""
    formulas = {case.formula.__name__: case.formula for case in CASES.values()} | {"once": once}
    made = [(name, promoted(formula)) for name, formula in formulas.items()]
    text = aten_module(made, LIBRARY_OF_PROCESS, "pullback_cases")
    torch.ops.load_library(built(text, tmp_path_factory.mktemp("aten")))
    return lambda case: getattr(torch.ops.pullback_cases, case.formula.__name__)


def total(found: Any) -> Any:
    """A number that is not linear in what was found."""
    parts = found if isinstance(found, tuple) else (found,)
    return sum((torch.sin(part) * part).sum() for part in parts)


@EVERY
@pytest.mark.parametrize(("dtype", "rtol"), [("float64", 1e-12), ("float32", 1e-5)])
def test_values_are_those_of_numpy(case: Case, dtype: str, rtol: float, operator: Operator) -> None:
    operands = arrays(case, dtype)
    wanted = case.formula(*operands, **case.attributes)
    found = operator(case)(*tensors(operands), **case.attributes)
    pairs = zip(wanted, found, strict=True) if isinstance(wanted, tuple) else [(wanted, found)]
    for want, have in pairs:
        have = have.detach().numpy()
        assert (have.shape, have.dtype) == (np.shape(want), np.asarray(want).dtype)
        np.testing.assert_allclose(have, want, rtol=rtol, atol=rtol)


@SMOOTH
def test_first_and_second_derivatives(case: Case, operator: Operator) -> None:
    call, inputs = of_tensors(case, tensors(arrays(case)), operator(case))
    assert torch.autograd.gradcheck(call, inputs, check_batched_grad=case.forward)
    assert torch.autograd.gradgradcheck(call, inputs, check_batched_grad=case.forward)


@SMOOTH
def test_third_order_between_a_nonlinear_head_and_tail(case: Case, operator: Operator) -> None:
    call, inputs = of_tensors(case, tensors(arrays(case)), operator(case))

    def second(*given: Any) -> Any:
        heads = [torch.tanh(x) + x for x in given]
        first = torch.autograd.grad(total(call(*heads)), given, create_graph=True)
        return torch.autograd.grad(sum((g * g).sum() for g in first), given, create_graph=True)

    assert torch.autograd.gradcheck(second, inputs, atol=1e-4, rtol=1e-3)


@EVERY
def test_derivatives_are_those_of_the_function_in_python(case: Case, operator: Operator) -> None:
    found = []
    for run in (operator(case), None):
        call, inputs = of_tensors(case, tensors(arrays(case)), run)
        first = torch.autograd.grad(total(call(*inputs)), inputs, create_graph=True)
        scalar = sum((g * g).sum() for g in first)
        second = torch.autograd.grad(scalar, inputs, allow_unused=True, materialize_grads=True)
        found.append([*first, *second])
    for have, want in zip(*found, strict=True):
        torch.testing.assert_close(have, want, rtol=1e-10, atol=1e-10)


def test_a_barrier_refuses_second_derivatives(operator: Operator) -> None:
    x = torch.tensor([0.3, 1.7], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(operator(Case(once, ()))(x).sum(), x, create_graph=True)
    torch.testing.assert_close(first, (1 + x) * torch.exp(x))
    with pytest.raises(RuntimeError, match="once has no second derivative"):
        torch.autograd.grad(first.sum(), x, allow_unused=True)


def test_operands_of_other_dtypes_than_numpy_would_compute_with_are_refused(operator: Operator) -> None:
    run = operator(CASES["simple"])
    with pytest.raises(TypeError, match=r"simple: `a` is Long: NumPy makes double of it"):
        run(torch.tensor([1, 2]), torch.ones(2))
    with pytest.raises(TypeError, match=r"simple: NumPy makes Double of the 0-d `b` and Float"):
        run(torch.ones(2), torch.tensor(1.0, dtype=torch.float64))


def test_an_undefined_gradient_is_no_zero_that_is_multiplied(operator: Operator) -> None:
    """The radius has a gradient at the origin's neighbour where the angle's would be infinite."""
    x = torch.tensor([1e-200], dtype=torch.float64, requires_grad=True)
    y = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    radius, _ = operator(CASES["polar"])(x * 1e200, y)
    assert torch.isfinite(torch.autograd.grad(radius.sum(), x)[0]).all()


@EVERY
def test_the_checks_of_pytorch_pass(case: Case, operator: Operator) -> None:
    torch.library.opcheck(operator(case), tuple(tensors(arrays(case))), case.attributes)


@SMOOTH
def test_forward_mode_and_transforms_are_errors_of_pytorch_and_no_zero(
    case: Case, operator: Operator
) -> None:
    call, inputs = of_tensors(case, tensors(arrays(case)), operator(case))
    with pytest.raises(RuntimeError, match=r"cannot use C\+\+ torch::autograd::Function with functorch"):
        torch.func.jvp(call, inputs, inputs)
    with torch.autograd.forward_ad.dual_level():
        dual = [torch.autograd.forward_ad.make_dual(x, x.detach()) for x in inputs]
        with pytest.raises(RuntimeError, match=r"jvp is not implemented for the c\+\+ API"):
            call(*dual)
