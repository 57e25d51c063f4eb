"""Calls of compiled operators from Python: without the dispatcher where nothing but the bridge would come."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is
from pullback.torch.bridge import build  # noqa: E402 - where torch is
from pullback.torch.bridge.attached import directly  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    pytest.mark.compiler,
    # What PyTorch does in forward mode.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
]

NAMESPACE = "pullback_direct_tests"


@pb.formula
def damped(x, y, *, scale: float = 2.0, power: int = 2):
    d = x * y

    def damped_pullback(grad):
        return grad * scale * power * d ** (power - 1) * y, grad * scale * power * d ** (power - 1) * x

    return scale * d**power, damped_pullback


@cache
def operator() -> Any:
    return pullback.torch.register(NAMESPACE, damped, compiled=True)


def operands(requires_grad: bool = True) -> tuple[Any, Any]:
    x, y = torch.linspace(0.5, 1, 4), torch.linspace(-1, 2, 4)
    return x.requires_grad_(requires_grad), y.requires_grad_(requires_grad)


class Overload:
    """Counts the calls that go to the dispatcher."""

    def __init__(self, op: Any) -> None:
        self.op, self.calls = op, 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self.op(*args, **kwargs)


class Called:
    """What calls the operator."""


def calling(overload: Any, is_tuple: bool = False) -> Any:
    made = directly(Called)()
    operator()._attached.call_from(made, overload, is_tuple)
    return made


@pytest.fixture
def overload() -> Overload:
    return Overload(operator().op)


@pytest.fixture
def direct(overload: Overload) -> Any:
    return calling(overload)


def test_a_plain_call_is_recorded_without_the_dispatcher(direct: Any, overload: Overload) -> None:
    x, y = operands()
    found = direct(x, y)
    assert overload.calls == 0
    assert found.grad_fn.name() == "DampedBackward"
    torch.testing.assert_close(torch.autograd.grad(found.sum(), (x, y)), (4 * x * y * y, 4 * x * x * y))
    assert direct(torch.nn.Parameter(x.detach()), y.detach()).requires_grad
    with torch.no_grad():
        assert not direct(x, y).requires_grad
    assert not direct(*operands(requires_grad=False)).requires_grad
    assert overload.calls == 0
    torch.testing.assert_close(operator()(x, y), found)


def test_attributes_by_name_and_wrong_arguments_go_to_the_dispatcher(direct: Any, overload: Overload) -> None:
    x, y = operands()
    torch.testing.assert_close(direct(x, y, scale=1.0, power=3), (x * y) ** 3)
    torch.testing.assert_close(direct(x, y=y), 2 * (x * y) ** 2)
    assert overload.calls == 2
    for wrong in ((x,), (x, y, x), (x, 1.0), ()):
        with pytest.raises(RuntimeError, match=rf"{NAMESPACE}::damped\(\)"):
            direct(*wrong)
    with pytest.raises(TypeError, match=r"damped: `y` must be a torch.Tensor, not NoneType"):
        direct(x, None)
    with pytest.raises(TypeError, match=r"`x` is torch\.int64"):
        direct(torch.arange(4), y)


def test_what_disturbs_a_call_goes_to_the_dispatcher(direct: Any, overload: Overload) -> None:
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[Any] = []

    class Functions(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append("function")
            return function(*args, **(kwargs or {}))

    class Dispatched(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append("dispatch")
            return function(*args, **(kwargs or {}))

    class Subclass(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append("subclass")
            return super().__torch_function__(function, types, args, kwargs or {})

    x, y = operands(requires_grad=False)
    for mode in (Functions(), Dispatched(), torch.autocast("cpu")):
        before = overload.calls
        with mode:
            direct(x, y)
        assert overload.calls == before + 1
    direct(x.as_subclass(Subclass), y)
    assert {"function", "dispatch", "subclass"} <= set(seen)
    before = overload.calls
    batch = torch.stack([x, 2 * x])
    torch.testing.assert_close(torch.vmap(direct, in_dims=(0, None))(batch, y), direct(batch, y.expand(2, 4)))
    _, slope = torch.func.jvp(lambda x: direct(x, y), (x,), (torch.ones_like(x),))
    torch.testing.assert_close(slope, 4 * x * y * y)
    assert overload.calls == before + 2


def test_a_tuple_of_one_result_is_one(overload: Overload) -> None:
    x, y = operands()
    (found,) = calling(overload, is_tuple=True)(x, y)
    torch.testing.assert_close(found, 2 * (x * y) ** 2)


def test_a_call_of_an_operator_has_no_frame_of_python() -> None:
    frames: list[Any] = []
    call, (x, y) = operator(), operands()
    call(x, y)
    sys.setprofile(lambda frame, event, _: frames.append(frame) if event == "call" else None)
    try:
        call(x, y)
    finally:
        sys.setprofile(None)
    assert not frames


def test_the_profiler_sees_the_operator(direct: Any, overload: Overload) -> None:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        direct(*operands())
    assert overload.calls == 1
    assert f"{NAMESPACE}::damped" in {event.name for event in profile.events()}


def test_large_tensors_give_up_the_lock_of_python(direct: Any, overload: Overload) -> None:
    x = torch.rand(300_000, requires_grad=True)
    torch.testing.assert_close(direct(x, x), 2 * x**4)
    assert overload.calls == 0


def test_operators_outlive_the_function_of_python() -> None:
    direct = calling(operator().op)
    del direct
    x, y = operands()
    torch.testing.assert_close(operator()(x, y), 2 * (x * y) ** 2)


def test_the_key_of_the_bridge_tells_of_every_file(
    own_cache: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[str] = []

    def entry(key: str, make: Any) -> Path:
        made.append(key)
        return tmp_path

    for file in build.SOURCE.parent.glob("*.[hc]*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(build, "SOURCE", tmp_path / "bridge.cpp")
    monkeypatch.setattr(build.disk, "entry", entry)
    build._compiled()
    build._compiled()
    with open(tmp_path / "node.h", "a") as header:
        header.write("// changed\n")
    build._compiled()
    assert made[0] == made[1] != made[2]


@pb.formula
def largest(x):
    place = np.argmax(x, axis=-1)
    hit = np.arange(x.shape[-1]) == place[..., None]

    def largest_pullback(grad, grad_place):
        return grad[..., None] * hit

    return (np.max(x, axis=-1), place), largest_pullback


def test_integer_result_requires_no_grad() -> None:
    op = pullback.torch.register(NAMESPACE, largest, compiled=True)
    x = torch.tensor([[1.0, 3.0], [5.0, 2.0]], dtype=torch.float64, requires_grad=True)
    found, place = op(x)
    assert found.requires_grad
    assert place.dtype == torch.int64
    assert not place.requires_grad
    torch.testing.assert_close(torch.autograd.grad(found.sum(), x)[0], (x > 2.5).to(x.dtype))
