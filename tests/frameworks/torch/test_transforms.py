"""Operators of PyTorch in `torch.func`, `torch.compile`, modules, and with tensors of every kind."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is
from pullback.transpile.diagnostics import FormulaError  # noqa: E402 - where torch is

from . import cases  # noqa: E402 - where torch is
from .cases import CASES  # noqa: E402 - where torch is
from .operands import arrays, of_tensors, tensors  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    # What PyTorch does in forward mode, and while it traces a function of one's own.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
]

SEVEN = ("simple", "softplus", "logsumexp", "polar", "horner", "either", "gp_likelihood")
FEW = pytest.mark.parametrize("name", SEVEN)


def scalar_of(name: str) -> tuple[Any, tuple[Any, ...]]:
    """The case as a function to a number, not linear in its results."""
    call, inputs = of_tensors(CASES[name], tensors(arrays(CASES[name])))

    def total(*given: Any) -> Any:
        found = call(*given)
        parts = found if isinstance(found, tuple) else (found,)
        return sum((torch.sin(part) * part).sum() for part in parts)

    return total, tuple(x.detach() for x in inputs)


def hessian_by_differences(function: Any, x: Any) -> Any:
    """Central differences of the gradient."""
    step, rows = 1e-5, []
    for k in range(x.numel()):
        shift = torch.zeros_like(x).reshape(-1)
        shift[k] = step
        ahead, back = (torch.func.grad(function)(x + sign * shift.reshape(x.shape)) for sign in (1, -1))
        rows.append((ahead - back).reshape(-1) / (2 * step))
    return torch.stack(rows)


@FEW
def test_functional_transforms_agree(name: str) -> None:
    total, (x, *rest) = scalar_of(name)

    def of_first(x: Any) -> Any:
        return total(x, *rest)

    wanted = hessian_by_differences(of_first, x)
    for made in (
        torch.func.hessian(of_first)(x),
        torch.func.jacrev(torch.func.grad(of_first))(x),
        torch.func.jacrev(torch.func.jacfwd(of_first))(x),
    ):
        torch.testing.assert_close(made.reshape(wanted.shape), wanted, atol=1e-5, rtol=1e-5)
    tangent = torch.ones_like(x)
    _, slope = torch.func.jvp(of_first, (x,), (tangent,))
    torch.testing.assert_close(slope, torch.func.grad(of_first)(x).sum())


def test_forward_mode_of_a_recurrence_that_keeps_its_states() -> None:
    @pb.derive_pullback
    def averages(x, w):
        state = x[0]
        states = [state]
        for t in range(1, x.shape[0]):
            state = w * x[t] + (1 - w) * state
            states.append(state)
        return np.stack(states)

    operator = pullback.torch.function(averages)
    x, w = torch.rand(4, 2, dtype=torch.float64), torch.tensor(0.3, dtype=torch.float64)
    found = torch.func.jacfwd(lambda w: operator(x, w))(w)
    torch.testing.assert_close(found, torch.func.jacrev(lambda w: operator(x, w))(w))
    torch.testing.assert_close(found[1], x[1] - x[0])


def test_forward_mode_inside_of_forward_mode_is_refused() -> None:
    """PyTorch itself gives zero there, for any class of its `autograd.Function`."""
    total, (x,) = scalar_of("softplus")
    with pytest.raises(NotImplementedError, match="softplus: forward mode inside of forward mode"):
        torch.func.jacfwd(torch.func.jacfwd(total))(x)


@FEW
def test_vmap_is_a_loop(name: str) -> None:
    total, given = scalar_of(name)
    batch = tuple(torch.stack([x, x * 0.9, x * 0.8]) for x in given)
    for function in (total, torch.func.grad(total)):
        wanted = torch.stack([function(*(x[k] for x in batch)) for k in range(3)])
        torch.testing.assert_close(torch.vmap(function)(*batch), wanted)


def test_forward_mode_of_a_batch_beside_what_is_not_batched() -> None:
    operator = pullback.torch.function(cases.simple)
    a, b = torch.randn(3, 4, dtype=torch.float64), torch.randn(4, dtype=torch.float64)

    def slope(a: Any, b: Any) -> Any:
        return torch.func.jvp(operator, (a, b), (torch.ones_like(a), torch.ones_like(b)))[1]

    torch.testing.assert_close(torch.vmap(slope, in_dims=(0, None))(a, b), a + 3 * b)
    torch.testing.assert_close(torch.vmap(slope, in_dims=(None, 0))(b, a), b + 3 * a)


@pytest.mark.parametrize("name", [name for name in SEVEN if name not in ("horner", "gp_likelihood")])
def test_compiled_without_a_graph_break(name: str) -> None:
    total, given = scalar_of(name)
    compiled = torch.compile(total, backend="eager", fullgraph=True)
    leaves = [tuple(x.clone().requires_grad_() for x in given) for _ in range(2)]
    for function, inputs in zip((total, compiled), leaves, strict=True):
        function(*inputs).backward()
    for want, have in zip(*leaves, strict=True):
        torch.testing.assert_close(have.grad, want.grad)


def test_a_loop_that_saves_lists_is_compiled() -> None:
    total, given = scalar_of("horner")
    compiled = torch.compile(total, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(*given), total(*given))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_narrow_dtypes_stay(dtype: str) -> None:
    x = torch.linspace(-1, 1, 6, dtype=getattr(torch, dtype), requires_grad=True)
    found = pullback.torch.function(cases.swish)(x)
    found.sum().backward()
    assert x.grad is not None
    assert found.dtype == x.grad.dtype == x.dtype
    wanted = torch.nn.functional.silu(1.5 * x.detach().double()) / 1.5
    torch.testing.assert_close(found.detach().double(), wanted, atol=2e-2, rtol=2e-2)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (2, 0)])
def test_empty_tensors_and_numbers(shape: tuple[int, ...]) -> None:
    x = torch.ones(shape, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(pullback.torch.function(cases.chained)(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert first.shape == second.shape == shape


def test_tensors_that_are_not_contiguous() -> None:
    operator = pullback.torch.function(cases.layer_norm)
    x = torch.randn(3, 4, dtype=torch.float64).T.requires_grad_()
    assert torch.autograd.gradcheck(operator, (x,))
    torch.testing.assert_close(operator(x), operator(x.contiguous()))


class Layer(torch.nn.Module):
    """A module that holds an operator."""

    def __init__(self) -> None:
        super().__init__()
        self.activation = pullback.torch.function(cases.softplus)
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.activation(self.linear(x))


def test_modules_that_hold_one_are_pickled_and_copied() -> None:
    layer, x = Layer(), torch.randn(3, 2)
    for again in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)):
        torch.testing.assert_close(again(x), layer(x))


def test_one_that_has_no_name_is_not_pickled() -> None:
    @pb.formula
    def local(x):
        return x * x, lambda grad: 2 * grad * x

    with pytest.raises(pickle.PicklingError, match="pickled by its name"):
        pickle.dumps(pullback.torch.function(local))


def test_activation_checkpointing() -> None:
    from torch.utils.checkpoint import checkpoint

    operator = pullback.torch.function(cases.chained)
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    plain = torch.autograd.grad(operator(x).sum(), x)
    again = torch.autograd.grad(checkpoint(operator, x, use_reentrant=False).sum(), x)
    torch.testing.assert_close(again, plain)


def test_make_fx_traces_the_operations() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    operator = pullback.torch.function(cases.softplus)
    x = torch.randn(3)
    traced = make_fx(torch.func.grad(lambda x: operator(x).sum()))(x)
    torch.testing.assert_close(traced(x + 1), torch.func.grad(lambda x: operator(x).sum())(x + 1))


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        ((3.0, torch.ones(2)), "simple: `a` must be a torch.Tensor, not float"),
        ((torch.ones(2, dtype=torch.complex64), torch.ones(2)), "`a` is torch.complex64"),
        ((torch.ones(2, dtype=torch.int64), torch.ones(2)), "`a` is torch.int64: NumPy makes float64 of it"),
        ((torch.ones((), dtype=torch.float64), torch.ones(2)), "0-d `a` and torch.float32"),
    ],
)
def test_operands_that_would_be_computed_otherwise_are_refused(operands: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        pullback.torch.function(cases.simple)(*operands)


def test_what_pytorch_has_no_equal_of_is_located() -> None:
    @pb.formula
    def dawson(x):
        w = pb.special.dawsn(x)
        return w, lambda grad: grad * (1 - 2 * x * w)

    with pytest.raises(FormulaError, match=r"test_transforms.py:\d+:\d+: PB502 error: PyTorch has no equal"):
        pullback.torch.function(dawson)


def test_something_else_than_a_formula_is_refused() -> None:
    with pytest.raises(TypeError, match="takes a formula, not function"):
        pullback.torch.function(lambda x: x)


def test_double_backward_of_a_saved_tensor_that_was_written_is_an_error() -> None:
    b = torch.ones(2, requires_grad=True)
    found = pullback.torch.function(cases.simple)(b * 1, held := (b * 2))
    held += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()


def test_the_package_does_not_import_torch() -> None:
    code = "import sys, pullback; pullback.formula; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_without_torch_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "try:\n    import pullback.torch\n"
        "except ImportError as error:\n    print(error)"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True
    )
    assert "pip install 'pullback[torch]'" in made.stdout
