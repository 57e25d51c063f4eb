"""Each form of several formulas in every transform of PyTorch, beside PyTorch's operations in the same."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is

from .cases import CASES  # noqa: E402 - where torch is
from .operands import arrays, composition, of_tensors, tensors, total  # noqa: E402 - where torch is

# One formula of each is in the quick tests of its form.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.compiler,
    pytest.mark.slow,
    # What PyTorch does in forward mode, and while it traces or exports.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.torch._prims_common.check:FutureWarning"),
    pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning"),
]

NAMESPACE = "pullback_every_transform_tests"
FORMS: dict[str, Callable[[Any], Any]] = {
    "function": pullback.torch.function,
    "register": lambda formula: pullback.torch.register(f"{NAMESPACE}_by_operators", formula),
    "compiled": lambda formula: pullback.torch.register(NAMESPACE, formula, compiled=True),
}
# Pointwise, a reduction, several results, a list, a branch, linear algebra, a loop.
NAMES = ("swish", "logsumexp", "polar", "joined", "either", "gp_likelihood", "reciprocal")
EVERY_FORM = pytest.mark.parametrize("form", FORMS)
EVERY_NAME = pytest.mark.parametrize("name", NAMES)


@cache
def operator_of(form: str, name: str) -> Any:
    return FORMS[form](CASES[name].formula)


@cache
def composed(name: str) -> Any:
    return composition(CASES[name].formula)


def of_first(operator: Any, name: str) -> tuple[Callable[[Any], Any], Any]:
    """The operator as a function of its first tensor to a number, and that tensor."""
    call, (x, *rest) = of_tensors(CASES[name], tensors(arrays(CASES[name])), operator)
    rest = [one.detach() for one in rest]
    return lambda x: total(call(x, *rest)), x.detach()


def both(form: str, name: str) -> tuple[Any, Any, Any]:
    """The operator's function, PyTorch's, and their operand."""
    ours, x = of_first(operator_of(form, name), name)
    return ours, of_first(composed(name), name)[0], x


def tangent(f: Any, x: Any) -> Any:
    return torch.func.jvp(f, (x,), (torch.cos(x),))[1]


def batch(x: Any) -> Any:
    return torch.stack([x, 0.9 * x, 0.8 * x])


TRANSFORMS: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, x: torch.func.grad(f)(x),
    "jvp": tangent,
    "jacrev": lambda f, x: torch.func.jacrev(f)(x),
    "jacfwd": lambda f, x: torch.func.jacfwd(f)(x),
    "hessian": lambda f, x: torch.func.hessian(f)(x),
    "jacrev of jacfwd": lambda f, x: torch.func.jacrev(torch.func.jacfwd(f))(x),
    "jacrev of grad": lambda f, x: torch.func.jacrev(torch.func.grad(f))(x),
    "vmap": lambda f, x: torch.vmap(f)(batch(x)),
    "vmap of grad": lambda f, x: torch.vmap(torch.func.grad(f))(batch(x)),
    "vmap of hessian": lambda f, x: torch.vmap(torch.func.hessian(f))(batch(x)),
    "vmap of jvp": lambda f, x: torch.vmap(lambda x: tangent(f, x))(batch(x)),
    "vmap of vmap": lambda f, x: torch.vmap(torch.vmap(f), in_dims=1)(torch.stack([batch(x), batch(2 * x)])),
    "grad of vmap": lambda f, x: torch.func.grad(lambda x: torch.vmap(f)(batch(x)).sum())(x),
    "linearize": lambda f, x: torch.func.linearize(f, x)[1](torch.cos(x)),
}


@EVERY_FORM
@EVERY_NAME
def test_functional_transforms(name: str, form: str) -> None:
    ours, plain, x = both(form, name)
    for kind, transformed in TRANSFORMS.items():
        have, want = transformed(ours, x), transformed(plain, x)
        torch.testing.assert_close(have, want, msg=lambda text, kind=kind: f"{kind}: {text}")


COMPILED = ("grad", "hessian", "jacrev of grad", "vmap of grad", "jvp")


def skip_untraced(form: str, name: str) -> None:
    """Skip a function that runs beside compiled code: it saves what only its forward knows."""
    if form == "function" and hasattr(operator_of(form, name)._run, "_torchdynamo_disable"):
        pytest.skip("PyTorch runs this function beside what it compiles: there is no graph to compare")


@EVERY_FORM
@EVERY_NAME
def test_compiled_without_a_graph_break(name: str, form: str) -> None:
    skip_untraced(form, name)
    ours, plain, x = both(form, name)
    torch._dynamo.reset()
    compiled = torch.compile(ours, backend="aot_eager", fullgraph=True)
    leaves = [x.clone().requires_grad_() for _ in range(2)]
    have, want = (
        torch.autograd.grad(f(leaf), leaf) for f, leaf in zip((compiled, plain), leaves, strict=True)
    )
    torch.testing.assert_close(have, want)


@EVERY_FORM
@EVERY_NAME
def test_transforms_inside_of_compiled_code(name: str, form: str) -> None:
    if form == "function" and isinstance(CASES[name].shapes[0], list):
        pytest.skip("PyTorch traces no autograd.Function of a number of tensors inside of torch.func")
    skip_untraced(form, name)
    ours, plain, x = both(form, name)
    for kind in COMPILED:
        torch._dynamo.reset()
        made = TRANSFORMS[kind]
        compiled = torch.compile(lambda x, made=made: made(ours, x), backend="aot_eager", fullgraph=True)
        torch.testing.assert_close(compiled(x), made(plain, x), msg=lambda text, kind=kind: f"{kind}: {text}")


class Layer(torch.nn.Module):
    """The operator with the other operands as buffers."""

    def __init__(self, operator: Any, name: str) -> None:
        super().__init__()
        self.operator, self.attributes = operator, CASES[name].attributes
        self.is_list = isinstance(CASES[name].shapes[0], list)
        _, (first, *rest) = of_tensors(CASES[name], tensors(arrays(CASES[name])), operator)
        self.scale = torch.nn.Parameter(torch.ones_like(first))
        self.rest = len(rest)
        for k, one in enumerate(rest):
            self.register_buffer(f"operand_{k}", one.detach())

    def forward(self, x: Any) -> Any:
        operands = [self.scale * x, *(getattr(self, f"operand_{k}") for k in range(self.rest))]
        found = self.operator(*([operands] if self.is_list else operands), **self.attributes)
        return total(found)


@EVERY_FORM
@EVERY_NAME
def test_exported(name: str, form: str) -> None:
    ours = Layer(operator_of(form, name), name)
    x = of_first(ours.operator, name)[1]
    program = torch.export.export(ours, (x,))
    if form != "function":
        assert str(ours.operator.op).removesuffix(".default") in program.graph_module.code
    for made in (program.module(), program.run_decompositions().module()):
        torch.testing.assert_close(made(0.9 * x), Layer(composed(name), name)(0.9 * x))


@EVERY_FORM
@EVERY_NAME
def test_pickled_and_copied(name: str, form: str) -> None:
    ours = Layer(operator_of(form, name), name)
    x = of_first(ours.operator, name)[1]
    for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        again(x).backward()
        wanted = Layer(composed(name), name)
        wanted(x).backward()
        torch.testing.assert_close(again.scale.grad, wanted.scale.grad)


@EVERY_FORM
@EVERY_NAME
def test_make_fx(name: str, form: str) -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    ours, plain, x = both(form, name)
    for mode in ("real", "fake", "symbolic"):
        made = make_fx(torch.func.grad(ours), tracing_mode=mode, _allow_non_fake_inputs=True)
        traced = made(x)
        torch.testing.assert_close(traced(0.9 * x), torch.func.grad(plain)(0.9 * x))


@EVERY_FORM
@EVERY_NAME
def test_activation_checkpointing(name: str, form: str) -> None:
    from torch.utils.checkpoint import checkpoint

    ours, plain, x = both(form, name)
    found = []
    for f in (lambda x: checkpoint(ours, x, use_reentrant=False), plain):
        leaf = x.clone().requires_grad_()
        (first,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
        found.append([first, *torch.autograd.grad((first * first).sum(), leaf)])
    torch.testing.assert_close(*found)
    leaf = x.clone().requires_grad_()
    checkpoint(ours, leaf, use_reentrant=True).backward()
    torch.testing.assert_close(leaf.grad, found[1][0])


@EVERY_FORM
@EVERY_NAME
def test_subclasses_and_modes(name: str, form: str) -> None:
    from torch.overrides import TorchFunctionMode
    from torch.testing._internal.two_tensor import TwoTensor
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: set[str] = set()

    class Subclass(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.add("subclass")
            return super().__torch_function__(function, types, args, kwargs or {})

    class Functions(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.add("function")
            return function(*args, **(kwargs or {}))

    class Dispatched(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.add("dispatch")
            return function(*args, **(kwargs or {}))

    ours, plain, x = both(form, name)
    leaf = x.clone().requires_grad_()
    want = torch.autograd.grad(plain(leaf), leaf)[0]

    def gradient(leaf: Any) -> Any:
        return torch.autograd.grad(ours(leaf), leaf)[0]

    for mode in (Functions(), Dispatched()):
        with mode:
            torch.testing.assert_close(gradient(x.clone().requires_grad_()), want)
    have = gradient(x.clone().as_subclass(Subclass).requires_grad_())
    torch.testing.assert_close(have.as_subclass(torch.Tensor), want)
    assert seen == {"subclass", "function", "dispatch"}
    two = gradient(TwoTensor(x.clone(), x.clone()).requires_grad_())
    torch.testing.assert_close(two.a, want)
    torch.testing.assert_close(two.b, want)
