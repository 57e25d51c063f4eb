"""Operators of `torch.ops` that run kernels: values, derivatives, every kind of tensor, fallbacks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is
from pullback.engine.core.errors import CompilerError  # noqa: E402 - where torch is
from pullback.torch.bridge import build, levels  # noqa: E402 - where torch is

from . import cases  # noqa: E402 - where torch is
from .cases import CASES, Case  # noqa: E402 - where torch is
from .operands import arrays, of_tensors, tensors  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    pytest.mark.compiler,
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning"),
]

NAMESPACE = "pullback_bridge_tests"
ROOT = Path(__file__).parents[3]
# Pointwise, broadcasting, a reduction, several results, a branch, a saved mask; the others take minutes.
QUICK = ("softplus", "simple", "logsumexp", "polar", "either", "rectified")
EVERY = [
    pytest.param(case, id=name, marks=[] if name in QUICK else pytest.mark.slow)
    for name, case in CASES.items()
]
FEW = pytest.mark.parametrize("name", QUICK[:4])


@cache
def operator_of(formula: Any) -> Any:
    return pullback.torch.register(NAMESPACE, formula, compiled=True)


def total(found: Any) -> Any:
    """A number that is not linear in the results."""
    parts = found if isinstance(found, tuple) else (found,)
    return sum((torch.sin(part) * part).sum() for part in parts)


def three_orders(function: Any, inputs: tuple[Any, ...]) -> list[Any]:
    """A number that is not linear in a function's results, and three orders of derivatives."""
    value = total(function(*inputs))
    found = [value]
    for order in range(3):
        made = torch.autograd.grad(value, inputs, create_graph=order < 2, materialize_grads=True)
        found += made
        value = sum((g * g).sum() for g in made)
    return found


@pytest.mark.parametrize("case", EVERY)
def test_values_and_derivatives(case: Case) -> None:
    for dtype, rtol in (("float64", 1e-12), ("float32", 1e-5)):
        operands = arrays(case, dtype)
        wanted = case.formula(*operands, **case.attributes)
        found = operator_of(case.formula)(*tensors(operands, requires_grad=False), **case.attributes)
        pairs = zip(wanted, found, strict=True) if isinstance(wanted, tuple) else [(wanted, found)]
        for want, have in pairs:
            assert (have.shape, have.numpy().dtype) == (np.shape(want), np.asarray(want).dtype)
            np.testing.assert_allclose(have.numpy(), want, rtol=rtol, atol=rtol)
    operands = tensors(arrays(case))
    call, inputs = of_tensors(case, operands, operator_of(case.formula))
    plain, _ = of_tensors(case, operands)
    torch.testing.assert_close(three_orders(call, inputs), three_orders(plain, inputs))
    if case.smooth:
        assert torch.autograd.gradcheck(
            call, inputs, check_forward_ad=case.forward, check_batched_grad=case.forward
        )
        assert torch.autograd.gradgradcheck(
            call, inputs, check_fwd_over_rev=case.forward, check_batched_grad=case.forward
        )
    torch.library.opcheck(operator_of(case.formula).op, tuple(operands), case.attributes)


def test_derivatives_up_to_the_second_run_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of them goes op by op."""
    by_python: list[Any] = []
    backward = levels.Level.backward
    monkeypatch.setattr(levels.Level, "backward", lambda *args: by_python.append(args) or backward(*args))
    x = torch.linspace(-1, 1, 5, dtype=torch.float64, requires_grad=True)
    y = operator_of(cases.softplus)(x)
    assert y.grad_fn.name() == "SoftplusBackward"
    (first,) = torch.autograd.grad(y, x, torch.ones(5, dtype=torch.float64), create_graph=True)
    assert first.grad_fn.name() == "SoftplusBackwardBackward"
    (second,) = torch.autograd.grad(first.sum(), x)
    s = torch.special.expit(x)
    torch.testing.assert_close(second, s * (1 - s))
    assert not by_python


def test_only_some_gradients_are_asked_for_or_come() -> None:
    operator, plain = operator_of(cases.polar), pullback.torch.function(cases.polar)
    for asked in ((True, False), (False, True), (True, True)):
        for used in ((0,), (1,), (0, 1)):
            x = torch.rand(3, dtype=torch.float64) + 0.5
            y = torch.rand(3, dtype=torch.float64) + 0.5
            inputs = [x.requires_grad_(asked[0]), y.requires_grad_(asked[1])]
            leaves = tuple(one for one in inputs if one.requires_grad)

            def chosen(function: Any, used: Any = used, inputs: Any = inputs) -> Any:
                return lambda *_: tuple(function(*inputs)[k] for k in used)

            torch.testing.assert_close(
                three_orders(chosen(operator), leaves), three_orders(chosen(plain), leaves)
            )


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (7,), (2, 3)])
def test_sizes(shape: tuple[int, ...]) -> None:
    operator, plain = operator_of(cases.simple), pullback.torch.function(cases.simple)
    a = torch.rand(shape, dtype=torch.float64, requires_grad=True)
    b = torch.rand(shape[-1:], dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(three_orders(operator, (a, b)), three_orders(plain, (a, b)))


def test_strided_tensors_and_gradients() -> None:
    operator, plain = operator_of(cases.simple), pullback.torch.function(cases.simple)
    base = torch.rand(6, 8, dtype=torch.float64)
    given = [
        (base.T, base.T.clone()),
        (base[::2, 1:], base[1::2, :-1]),
        (base[:, :1].expand(6, 8), base),
        (base[1:2, 3], base[2]),
    ]
    for a, b in given:
        a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
        torch.testing.assert_close(three_orders(operator, (a, b)), three_orders(plain, (a, b)))
        assert operator(a, b).is_contiguous()
    x = base.clone().requires_grad_()
    gradient = torch.rand(8, 6, dtype=torch.float64).T
    torch.testing.assert_close(
        torch.autograd.grad(operator(x, x), x, gradient), torch.autograd.grad(plain(x, x), x, gradient)
    )


def test_large_tensors_on_several_threads() -> None:
    operator, plain = operator_of(cases.simple), pullback.torch.function(cases.simple)
    a = torch.rand(1000, 700, requires_grad=True)
    b = torch.rand(700, requires_grad=True)
    inputs = (a, b)
    have, want = (torch.autograd.grad(total(one(*inputs)), inputs) for one in (operator, plain))
    torch.testing.assert_close(have, want, rtol=1e-4, atol=1e-2)
    x = torch.rand(700_001, requires_grad=True)
    one = operator_of(cases.softplus)
    torch.testing.assert_close(one(x), torch.nn.functional.softplus(x))
    torch.testing.assert_close(torch.autograd.grad(one(x).sum(), x)[0], torch.special.expit(x))


def test_what_has_no_kernel_runs_op_by_op() -> None:
    operator = operator_of(cases.softplus)
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.linspace(-1, 1, 6, dtype=dtype, requires_grad=True)
        operator(x).sum().backward()
        assert x.grad is not None
        torch.testing.assert_close(x.grad, torch.special.expit(x.detach()), atol=2e-2, rtol=2e-2)
    z = torch.tensor([0.5 + 1j])
    torch.testing.assert_close(operator(z), torch.log1p(torch.exp(z)))
    a, b = torch.rand(3, dtype=torch.float64), torch.rand(3)
    assert operator_of(cases.simple)(a, b).dtype == torch.float64
    assert operator_of(cases.softplus)(torch.rand([1] * 9)).ndim == 9
    with pytest.raises(TypeError, match=r"::softplus: `x` is torch\.int64"):
        operator(torch.arange(3))
    with pytest.raises(RuntimeError, match="`b` on meta: all tensors must be on one device"):
        operator_of(cases.simple)(b, b.to("meta"))


@FEW
def test_functional_transforms(name: str) -> None:
    call, (x, *rest) = of_tensors(CASES[name], tensors(arrays(CASES[name])), operator_of(CASES[name].formula))
    x, rest = x.detach(), [one.detach() for one in rest]

    def of_first(x: Any) -> Any:
        return total(call(x, *rest))

    leaf = x.clone().requires_grad_()
    wanted = torch.autograd.functional.hessian(of_first, x)
    torch.testing.assert_close(torch.func.grad(of_first)(x), torch.autograd.grad(of_first(leaf), leaf)[0])
    torch.testing.assert_close(torch.func.hessian(of_first)(x), wanted)
    torch.testing.assert_close(torch.autograd.functional.hessian(of_first, x, vectorize=True), wanted)
    batch = torch.stack([x, 0.9 * x])
    torch.testing.assert_close(torch.vmap(of_first)(batch), torch.stack([of_first(x) for x in batch]))


@FEW
def test_compiled_without_a_graph_break(name: str) -> None:
    call, inputs = of_tensors(CASES[name], tensors(arrays(CASES[name])), operator_of(CASES[name].formula))
    compiled = torch.compile(lambda *given: total(call(*given)), backend="aot_eager", fullgraph=True)
    have = torch.autograd.grad(compiled(*inputs), inputs)
    torch.testing.assert_close(have, torch.autograd.grad(total(call(*inputs)), inputs))


@pytest.mark.slow
@pytest.mark.usefixtures("inductor")
def test_compiled_by_inductor_with_strides_of_its_own() -> None:
    operator = operator_of(cases.simple)
    a, b = torch.rand(4, 3).T.requires_grad_(), torch.rand(4, requires_grad=True)
    compiled = torch.compile(lambda a, b: (2 * operator(a, b)).sin().sum(), fullgraph=True)
    have = torch.autograd.grad(compiled(a, b), (a, b))
    torch.testing.assert_close(have, torch.autograd.grad((2 * operator(a, b)).sin().sum(), (a, b)))


def test_saved_variables_are_checked_hooked_and_freed() -> None:
    operator = operator_of(cases.simple)
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    found = operator(a, held := (b * 2))
    held += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()
    packed: list[Any] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t * 1):
        found = operator(a, b)
    torch.autograd.grad(found.sum(), (a, b))
    assert len(packed) == 2
    found = operator(a, b).sum()
    found.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        found.backward()


def test_checkpoints_modes_and_threads() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.checkpoint import checkpoint

    operator = operator_of(cases.softplus)
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    plain = three_orders(operator, (x,))
    again = three_orders(lambda x: checkpoint(operator, x, use_reentrant=False), (x,))
    torch.testing.assert_close(again, plain)
    seen: list[Any] = []

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(function)
            return function(*args, **(kwargs or {}))

    with Seen():
        operator(x)
    assert getattr(torch.ops, NAMESPACE).softplus_with_hidden.default in seen
    wrong: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                torch.testing.assert_close(three_orders(operator, (x,)), plain)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(timeout=60)
    assert not wrong


def test_a_barrier_refuses_second_derivatives() -> None:
    x = torch.tensor([0.3, 1.7], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(operator_of(cases.once)(x).sum(), x, create_graph=True)
    torch.testing.assert_close(first, (1 + x) * torch.exp(x))
    with pytest.raises(RuntimeError, match="once has no second derivative"):
        torch.autograd.grad(first.sum(), x)


def test_a_formula_that_is_defined_anew_replaces_its_kernels() -> None:
    @pb.formula
    def scaled(x):
        return x * 2, lambda grad: grad * 2

    x = torch.ones(2)
    assert pullback.torch.register(NAMESPACE, scaled, compiled=True)(x).tolist() == [2, 2]

    @pb.formula
    def scaled(x):
        return x * 3, lambda grad: grad * 3

    assert pullback.torch.register(NAMESPACE, scaled, compiled=True)(x).tolist() == [3, 3]
    assert getattr(torch.ops, NAMESPACE).scaled(x).tolist() == [3, 3]


def test_without_a_compiler_the_error_says_what_to_install(
    own_cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    build.bridge.cache_clear()
    try:
        with pytest.raises(
            CompilerError, match="CXX names 'no-such-compiler', which does not run; install one"
        ):
            pullback.torch.register(NAMESPACE, cases.swish, compiled=True)
    finally:
        build.bridge.cache_clear()
    assert not hasattr(getattr(torch.ops, NAMESPACE), "swish")


@pytest.mark.parametrize("what", ["headers of another PyTorch", "no headers"])
def test_a_bridge_that_does_not_compile_leaves_nothing(
    what: str, own_cache: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    before = sorted(own_cache.rglob("*.so"))
    if what == "no headers":
        monkeypatch.setattr(build, "_headers", lambda root: (tmp_path,))
    else:
        source = tmp_path / "bridge.cpp"
        source.write_text("#include <torch/no_such_header.h>\n")
        monkeypatch.setattr(build, "SOURCE", source)
    build.bridge.cache_clear()
    try:
        with pytest.raises(
            CompilerError,
            match=r"the bridge to PyTorch 2.* does not compile: operators run(.|\n)*\.h: No such",
        ):
            pullback.torch.register(NAMESPACE, cases.swish, compiled=True)
    finally:
        build.bridge.cache_clear()
    assert sorted(own_cache.rglob("*.so")) == before
    assert not list(own_cache.rglob(".making-*"))


# A compiler that makes the bridge in steps: `step` says how far it comes, `at` is there when it stands.
COMPILER = """\
#!/bin/sh
here=$(dirname "$0")
case "$*" in *bridge.cpp*) ;; *) exec g++ "$@" ;; esac
step=$(cat "$here/step")
while [ "$1" != -o ]; do shift; done
case $step in
    half) head -c 5000 "$here/whole.so" > "$2" ;;
    whole | done) cp "$here/whole.so" "$2" ;;
esac
[ "$step" = done ] && exit 0
touch "$here/at"
sleep 60
"""
PROGRAM = """
import torch
import pullback.torch
from tests.frameworks.torch import cases

print(pullback.torch.register("interrupted", cases.softplus, compiled=True)(torch.zeros(1)))
"""


@pytest.mark.parametrize(
    "moments",
    [
        pytest.param(["half"], id="half-way", marks=pytest.mark.slow),
        pytest.param(["nothing", "half", "whole"], id="at any moment", marks=pytest.mark.slow),
    ],
)
def test_after_a_build_that_was_interrupted_the_next_one_works(moments: list[str], tmp_path: Any) -> None:
    """The process and its compiler are killed before the file is begun, half-way, and before it is moved."""
    (tmp_path / "whole.so").write_bytes(build._compiled().read_bytes())
    step, at, compiler = tmp_path / "step", tmp_path / "at", tmp_path / "g++"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    environment = os.environ | {"CXX": str(compiler), "PULLBACK_CACHE": str(tmp_path / "cache")}

    def started() -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            env=environment,
            start_new_session=True,
            **pipes,  # type: ignore[call-overload]  # keywords in a dict match no overload
        )

    for moment in moments:
        step.write_text(moment)
        process = started()
        end = time.monotonic() + 120
        while not at.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        _, said = process.communicate()
        assert at.exists(), said
        at.unlink()
    step.write_text("done")
    for times in (1, 0):
        made, said = started().communicate(timeout=120)
        assert made.strip() == "tensor([0.6931])", said
        assert said.count("compiling the bridge") == times


@pb.formula
def scaled_or_not(x, *, by: float | None = None, count: int | None = None):
    if by is None and count is None:
        return 5.0 * x, lambda grad: 5.0 * grad
    factor = count if by is None else by
    return factor * x, lambda grad: factor * grad


def test_no_number_is_an_absent_one() -> None:
    operator = operator_of(scaled_or_not)
    x = torch.ones(2)
    for named, factor in (({}, 5.0), ({"by": -0.0}, -0.0), ({"count": -(2**63)}, -(2.0**63)), ({}, 5.0)):
        torch.testing.assert_close(operator(x, **named), factor * x)


def bounded(x, high):
    return np.clip(x, 0.7, high)


def test_a_saved_value_that_says_whether_an_operand_is_none() -> None:
    x = torch.tensor([0.5, 0.8, 1.2, 0.9], requires_grad=True)
    high = torch.tensor([1.0, 1.0, 1.0, 0.6], requires_grad=True)
    found = operator_of(pb.derive_pullback(bounded))(x, high)
    assert found.grad_fn.name() == "BoundedBackward"
    by_x, by_high = torch.autograd.grad(found.sum(), (x, high))
    assert (by_x.tolist(), by_high.tolist()) == ([0, 1, 0, 0], [0, 0, 1, 1])
