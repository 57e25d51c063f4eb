"""Operators of `torch.ops` on a GPU: kernels that NVRTC compiles, started on PyTorch's stream."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is
from pullback.torch.bridge import levels  # noqa: E402 - where torch is

from . import cases  # noqa: E402 - where torch is
from .cases import CASES, Case  # noqa: E402 - where torch is
from .operands import arrays, of_tensors, tensors  # noqa: E402 - where torch is
from .test_bridge import NAMESPACE, operator_of, three_orders  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    pytest.mark.compiler,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
]

# What has kernels for a GPU; a loop that is repeated in a kernel, a scan and linear algebra run op by op.
BY_KERNEL = (
    "simple", "broadcast", "softplus", "exp_squared", "chained", "mish", "gelu", "rectified", "hypotenuse",
    "logsumexp", "softmax", "layer_norm", "energy", "product_of", "deviation", "polar", "lstm_gates",
    "either",
)  # fmt: skip


def on_gpu(operands: Any) -> Any:
    """The same tensors on the GPU; lists of tensors too."""
    if isinstance(operands, (list, tuple)):
        return [on_gpu(one) for one in operands]
    if not isinstance(operands, torch.Tensor):
        return operands
    return operands.detach().cuda().requires_grad_(operands.requires_grad)


def on_cpu(found: list[Any]) -> list[Any]:
    return [one.detach().cpu() for one in found]


def kernels_of(call: Any) -> list[str]:
    """The names of the kernels that a call starts."""
    activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities) as profile:
        call()
        torch.cuda.synchronize()
    return [event.name for event in profile.events() if str(event.device_type).endswith("CUDA")]


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
@pytest.mark.parametrize(("dtype", "near"), [("float64", 1e-10), ("float32", 2e-4)])
def test_three_orders_are_those_of_the_cpu(case: Case, dtype: str, near: float) -> None:
    operands = tensors(arrays(case, dtype))
    plain, inputs = of_tensors(case, operands)
    call, there = of_tensors(case, on_gpu(operands), operator_of(case.formula))
    wanted, found = three_orders(plain, inputs), on_cpu(three_orders(call, there))
    for want, have in zip(wanted, found, strict=True):
        assert have.dtype == want.dtype
        torch.testing.assert_close(have, want.detach(), rtol=near, atol=near * (1 + float(want.abs().max())))


@pytest.mark.parametrize("name", BY_KERNEL)
def test_derivatives_up_to_the_second_are_kernels(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels are ours, and no backward goes to Python."""
    by_python: list[Any] = []
    backward = levels.Level.backward
    monkeypatch.setattr(levels.Level, "backward", lambda *args: by_python.append(args) or backward(*args))
    case = CASES[name]
    call, there = of_tensors(case, on_gpu(tensors(arrays(case, "float32"))), operator_of(case.formula))

    def two_orders() -> None:
        found = call(*there)
        results = found if isinstance(found, tuple) else (found,)
        first = torch.autograd.grad(
            results, there, [torch.ones_like(r) for r in results], create_graph=True, materialize_grads=True
        )
        torch.autograd.grad(
            [f for f in first if f.requires_grad],
            there,
            [torch.ones_like(f) for f in first if f.requires_grad],
            materialize_grads=True,
        )

    two_orders()
    names = kernels_of(two_orders)
    stem = case.formula.__name__
    for part in (f"{stem}_forward", f"{stem}_backward", f"{stem}_backward_backward"):
        assert any(part in one for one in names), (part, names)
    assert not by_python


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (7,), (2, 3), (1000, 257), (4096, 4096)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sizes(shape: tuple[int, ...], dtype: str) -> None:
    a, b = (torch.rand(shape, dtype=torch.float64, device="cuda") for _ in range(2))
    wanted = three_orders(lambda x, y: (x + y) * y, (a.requires_grad_(), b.requires_grad_()))
    leaves = tuple(x.detach().to(getattr(torch, dtype)).requires_grad_() for x in (a, b))
    for want, have in zip(wanted, three_orders(operator_of(cases.simple), leaves), strict=True):
        scale = float(want.detach().abs().max()) if want.numel() else 0.0
        near = 1e-12 if dtype == "float64" else 1e-5
        torch.testing.assert_close(have.double(), want, rtol=near, atol=near * scale)


def test_layouts() -> None:
    x, y = (torch.rand(64, 48, 10, dtype=torch.float64, device="cuda") for _ in range(2))
    pairs = [
        (x.transpose(0, 2), y.transpose(0, 2)),
        (x[::2, 1:, 3], y[:32, 1:, 0]),
        (x.flip(0), y),
        (x[:, :1], y),
        (x, y[0, 0]),
        (x.expand(3, 64, 48, 10), y),
        (x.flatten()[1:], y.flatten()[1:]),  # addresses that no pack begins at
    ]
    for a, b in pairs:
        leaves = (a.detach().requires_grad_(), b.detach().requires_grad_())
        found = three_orders(operator_of(cases.simple), leaves)
        for want, have in zip(three_orders(lambda p, q: (p + q) * q, leaves), found, strict=True):
            torch.testing.assert_close(have, want)


def test_operands_that_are_broadcast_to_each_other() -> None:
    """Intermediates of an operand have its own shape, in a launch over the entries of all."""
    x, h, c = (torch.rand(shape, dtype=torch.float64) for shape in ((8, 1), (1, 12), (12,)))
    there = tuple(one.cuda().requires_grad_() for one in (x, h, c))
    here = tuple(one.requires_grad_() for one in (x, h, c))
    found = on_cpu(three_orders(operator_of(cases.lstm_gates), there))
    wanted = three_orders(pullback.torch.function(cases.lstm_gates), here)
    for want, have in zip(wanted, found, strict=True):
        torch.testing.assert_close(have, want.detach())


@pytest.mark.parametrize("shape", [(5, 100_003), (300, 7), (100_000, 3), (2, 3), (1_000_003,), (0, 5)])
def test_reductions_of_every_length(shape: tuple[int, ...]) -> None:
    """Rows of a thread, of a warp, of a block and of several blocks; along the other axis too."""
    x = torch.rand(shape, dtype=torch.float64, device="cuda")
    for y in (x, x.mT) if x.ndim == 2 else (x,):
        if y.shape[-1] == 0:
            continue
        leaf = (y.detach().requires_grad_(),)
        found = three_orders(operator_of(cases.logsumexp), leaf)
        for want, have in zip(three_orders(lambda z: z.logsumexp(-1), leaf), found, strict=True):
            torch.testing.assert_close(have, want)


def test_gradcheck() -> None:
    for name in ("simple", "softplus", "polar", "logsumexp"):
        case = CASES[name]
        call, there = of_tensors(case, on_gpu(tensors(arrays(case))), operator_of(case.formula))
        assert torch.autograd.gradcheck(call, there, check_forward_ad=True, check_batched_grad=True)
        assert torch.autograd.gradgradcheck(call, there)
        torch.library.opcheck(operator_of(case.formula).op, tuple(there), case.attributes)


def test_what_is_not_wanted_is_not_computed() -> None:
    a = torch.rand(5, 3, device="cuda", requires_grad=True)
    b = torch.rand(3, device="cuda")
    (grad,) = torch.autograd.grad(operator_of(cases.simple)(a, b).sum(), a)
    torch.testing.assert_close(grad, b.expand(5, 3))


def test_streams_and_graphs() -> None:
    operator = operator_of(cases.softplus)
    x = torch.rand(1 << 22, device="cuda", requires_grad=True)
    wanted = torch.autograd.grad(operator(x).sum(), x)[0]
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        found = torch.autograd.grad(operator(x).sum(), x)[0]
    torch.cuda.current_stream().wait_stream(stream)
    torch.testing.assert_close(found, wanted)
    still = torch.rand(1 << 16, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        captured = operator(still)
    still.fill_(2.0)
    graph.replay()
    torch.testing.assert_close(captured, torch.nn.functional.softplus(still))


def test_other_dtypes_and_devices() -> None:
    operator = operator_of(cases.simple)
    for dtype, near in ((torch.float16, 4e-3), (torch.bfloat16, 3e-2)):
        a, b = (torch.rand(50, device="cuda", dtype=dtype, requires_grad=True) for _ in range(2))
        wanted = torch.autograd.grad(((a.double() + b.double()) * b.double()).sum(), (a, b))
        for want, have in zip(wanted, torch.autograd.grad(operator(a, b).sum(), (a, b)), strict=True):
            assert have.dtype == dtype
            torch.testing.assert_close(have, want, rtol=near, atol=near)
    with pytest.raises(RuntimeError, match=r"simple.*is on cuda:0, `b` on cpu"):
        operator(torch.rand(3, device="cuda"), torch.rand(3))
    mixed = operator(torch.rand(3, device="cuda"), torch.tensor(2.0))
    assert mixed.device.type == "cuda"


def test_transforms_and_compilers() -> None:
    operator = operator_of(cases.softplus)
    x = torch.rand(8, 3, device="cuda", dtype=torch.float64)
    slope = torch.special.expit(x)
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(lambda v: operator(v).sum()))(x), slope)
    _, tangent = torch.func.jvp(operator, (x,), (torch.ones_like(x),))
    torch.testing.assert_close(tangent, slope)
    compiled = torch.compile(lambda v: operator(v).sin().sum(), fullgraph=True)
    leaf = x.clone().requires_grad_()
    (found,) = torch.autograd.grad(compiled(leaf), leaf)
    torch.testing.assert_close(found, torch.nn.functional.softplus(x).cos() * slope)


def test_a_thread_that_has_not_called_the_runtime_yet() -> None:
    operator = operator_of(cases.softplus)
    x = torch.rand(8, 3, device="cuda", dtype=torch.float64)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(operator, x).result()
    torch.testing.assert_close(found, torch.nn.functional.softplus(x))


def test_memory_is_given_back() -> None:
    operator = pullback.torch.register(NAMESPACE, cases.layer_norm, compiled=True)
    x = torch.rand(512, 1024, device="cuda", requires_grad=True)

    def step() -> None:
        (grad,) = torch.autograd.grad(operator(x).sin().sum(), x, create_graph=True)
        torch.autograd.grad(grad.sum(), x)

    step()
    before = torch.cuda.memory_allocated()
    for _ in range(5):
        step()
    assert torch.cuda.memory_allocated() == before
