"""Formulas as operators of `torch.ops`: derivatives, transforms, compilation, dtypes, errors."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is
from pullback.engine.formula.formula import LIBRARY_OF_PROCESS  # noqa: E402 - where torch is
from pullback.transpile.diagnostics import FormulaError  # noqa: E402 - where torch is
from pullback.transpile.emit.aten.module import aten_module  # noqa: E402 - where torch is
from tests.frameworks.texts import promoted  # noqa: E402 - where torch is
from tests.sampling import sampled  # noqa: E402 - where torch is

from . import cases  # noqa: E402 - where torch is
from .cases import CASES, Case  # noqa: E402 - where torch is
from .operands import arrays, of_tensors, tensors  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    # What PyTorch does in forward mode, and while it traces or exports.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.torch._prims_common.check:FutureWarning"),
]

NAMESPACE = "pullback_tests"
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
SMOOTH = pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case.smooth], ids=[n for n, c in CASES.items() if c.smooth]
)
# Pointwise, a reduction, several results, a list, a branch, linear algebra, a number that is saved.
SEVEN = ("simple", "logsumexp", "polar", "joined", "either", "gp_likelihood", "layer_norm")
FEW = pytest.mark.parametrize("name", SEVEN)


@cache
def operator_of(formula: Any) -> Any:
    return pullback.torch.register(NAMESPACE, formula)


def of_case(case: Case) -> tuple[Any, tuple[Any, ...]]:
    """The operator as a function of the operands that have gradients, and these."""
    return of_tensors(case, tensors(arrays(case)), operator_of(case.formula))


def scalar_of(case: Case) -> tuple[Any, tuple[Any, ...]]:
    """The same as a function to a number, not linear in the results."""
    call, inputs = of_case(case)

    def total(*given: Any) -> Any:
        found = call(*given)
        parts = found if isinstance(found, tuple) else (found,)
        return sum((torch.sin(part) * part).sum() for part in parts)

    return total, inputs


def first_and_second(function: Any, inputs: tuple[Any, ...]) -> list[Any]:
    """Gradients, and those of a number that is not linear in them."""
    first = torch.autograd.grad(function(*inputs), inputs, create_graph=True)
    second = torch.autograd.grad(sum((g * g).sum() for g in first), inputs)
    return [*first, *second]


@pytest.mark.parametrize("name", sampled(CASES, 6))
def test_the_checks_of_pytorch_pass(name: str) -> None:
    case = CASES[name]
    op = operator_of(case.formula).op
    torch.library.opcheck(op, tuple(tensors(arrays(case))), case.attributes)


@SMOOTH
def test_gradients_and_second_order(case: Case) -> None:
    call, inputs = of_case(case)
    assert torch.autograd.gradcheck(
        call, inputs, check_forward_ad=case.forward, check_batched_grad=case.forward, fast_mode=True
    )
    assert torch.autograd.gradgradcheck(
        call, inputs, check_fwd_over_rev=case.forward, check_rev_over_rev=True, fast_mode=True
    )


@EVERY
def test_values_are_those_of_numpy(case: Case) -> None:
    operands = arrays(case)
    wanted = case.formula(*operands, **case.attributes)
    found = operator_of(case.formula)(*tensors(operands, requires_grad=False), **case.attributes)
    pairs = zip(wanted, found, strict=True) if isinstance(wanted, tuple) else [(wanted, found)]
    for want, have in pairs:
        assert (have.shape, have.numpy().dtype) == (np.shape(want), np.asarray(want).dtype)
        np.testing.assert_allclose(have.numpy(), want, rtol=1e-12, atol=1e-12)


@FEW
def test_third_order(name: str) -> None:
    total, inputs = scalar_of(CASES[name])
    reference = of_tensors(CASES[name], tensors(arrays(CASES[name])))[0]

    def third(function: Any) -> Any:
        first = torch.autograd.grad(function(*inputs), inputs, create_graph=True)
        second = torch.autograd.grad(sum((g * g).sum() for g in first), inputs, create_graph=True)
        return torch.autograd.grad(sum((g * g).sum() for g in second), inputs)

    def of_function(*given: Any) -> Any:
        found = reference(*given)
        parts = found if isinstance(found, tuple) else (found,)
        return sum((torch.sin(part) * part).sum() for part in parts)

    torch.testing.assert_close(third(total), third(of_function))


@FEW
def test_functional_transforms(name: str) -> None:
    total, (x, *rest) = scalar_of(CASES[name])
    x, rest = x.detach(), [one.detach() for one in rest]

    def of_first(x: Any) -> Any:
        return total(x, *rest)

    leaf = x.clone().requires_grad_()
    gradient = torch.autograd.grad(of_first(leaf), leaf)[0]
    wanted = torch.autograd.functional.hessian(of_first, x)
    torch.testing.assert_close(torch.func.grad(of_first)(x), gradient)
    torch.testing.assert_close(torch.func.jacrev(of_first)(x), gradient)
    torch.testing.assert_close(torch.func.jacfwd(of_first)(x), gradient)
    torch.testing.assert_close(torch.func.hessian(of_first)(x), wanted)
    torch.testing.assert_close(torch.func.jacrev(torch.func.jacfwd(of_first))(x), wanted)
    _, slope = torch.func.jvp(of_first, (x,), (torch.ones_like(x),))
    torch.testing.assert_close(slope, gradient.sum())
    batch = torch.stack([x, 0.9 * x, 0.8 * x])
    for function in (of_first, torch.func.grad(of_first)):
        torch.testing.assert_close(torch.vmap(function)(batch), torch.stack([function(x) for x in batch]))


@FEW
def test_compiled_without_a_graph_break(name: str) -> None:
    total, inputs = scalar_of(CASES[name])
    compiled = torch.compile(total, backend="aot_eager", fullgraph=True)
    have = torch.autograd.grad(compiled(*inputs), inputs)
    torch.testing.assert_close(have, torch.autograd.grad(total(*inputs), inputs))


@pytest.mark.slow
@FEW
@pytest.mark.usefixtures("inductor")
def test_compiled_by_inductor(name: str) -> None:
    torch._dynamo.reset()  # it compiles a code object eight times at most
    total, inputs = scalar_of(CASES[name])
    compiled = torch.compile(total, fullgraph=True)
    have = torch.autograd.grad(compiled(*inputs), inputs)
    torch.testing.assert_close(have, torch.autograd.grad(total(*inputs), inputs))


def test_compiled_once_for_all_sizes() -> None:
    operator = operator_of(cases.layer_norm)
    graphs = []

    def counted(graph: Any, inputs: Any) -> Any:
        graphs.append(graph)
        return graph

    compiled = torch.compile(lambda x: operator(x) * 2, backend=counted, fullgraph=True, dynamic=True)
    for n in (3, 5, 7):
        x = torch.randn(n, n + 1)
        torch.testing.assert_close(compiled(x), 2 * operator(x))
    assert len(graphs) == 1


def test_a_derivative_inside_of_compiled_code() -> None:
    operator = operator_of(cases.softplus)

    def slope(x: Any) -> Any:
        return torch.func.grad(lambda x: torch.func.grad(lambda x: operator(x).sum())(x).sum())(x)

    x = torch.linspace(-1, 1, 5)
    compiled = torch.compile(slope, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), torch.special.expit(x) * torch.special.expit(-x))


class Layer(torch.nn.Module):
    """A module that holds an operator."""

    def __init__(self) -> None:
        super().__init__()
        self.activation = operator_of(cases.softplus)
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.activation(self.linear(x))


def test_exported_with_a_symbolic_size() -> None:
    layer, x = Layer(), torch.randn(3, 2)
    sizes = {"x": {0: torch.export.Dim("n", min=2, max=9)}}
    program = torch.export.export(layer, (x,), dynamic_shapes=sizes)
    assert f"torch.ops.{NAMESPACE}.softplus.default" in program.graph_module.code
    other = torch.randn(5, 2)
    torch.testing.assert_close(program.module()(other), layer(other))
    torch.testing.assert_close(program.run_decompositions().module()(other), layer(other))


def test_modules_are_pickled_and_copied() -> None:
    layer, x = Layer(), torch.randn(3, 2)
    for again in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)):
        assert again.activation is layer.activation
        torch.testing.assert_close(again(x), layer(x))


def test_make_fx_sees_one_operator_and_derivatives_op_by_op() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    operator = operator_of(cases.softplus)
    x = torch.randn(3)
    assert f"torch.ops.{NAMESPACE}.softplus.default" in make_fx(operator)(x).code
    traced = make_fx(torch.func.grad(lambda x: operator(x).sum()))(x)
    torch.testing.assert_close(traced(x + 1), torch.special.expit(x + 1))


def test_activation_checkpointing() -> None:
    from torch.utils.checkpoint import checkpoint

    operator = operator_of(cases.chained)
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    wanted = first_and_second(lambda x: operator(x).sum(), (x,))
    have = first_and_second(lambda x: checkpoint(operator, x, use_reentrant=False).sum(), (x,))
    torch.testing.assert_close(have, wanted)


def test_subclasses_and_modes_see_the_operator() -> None:
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    functions, dispatched = [], []

    class Functions(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            functions.append(function)
            return function(*args, **(kwargs or {}))

    class Dispatched(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            dispatched.append(function)
            return function(*args, **(kwargs or {}))

    operator = operator_of(cases.softplus)
    with Functions():
        operator(torch.ones(2))
    with Dispatched():
        operator(torch.ones(2))
        operator(torch.ones(2, requires_grad=True))
    assert operator.op in functions
    assert operator.op in dispatched
    assert getattr(torch.ops, NAMESPACE).softplus_with_hidden.default in dispatched


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_narrow_dtypes_stay(dtype: str) -> None:
    x = torch.linspace(-1, 1, 6, dtype=getattr(torch, dtype), requires_grad=True)
    found = operator_of(cases.swish)(x)
    found.sum().backward()
    assert x.grad is not None
    assert found.dtype == x.grad.dtype == x.dtype
    wanted = torch.nn.functional.silu(1.5 * x.detach().double()) / 1.5
    torch.testing.assert_close(found.detach().double(), wanted, atol=2e-2, rtol=2e-2)


def test_complex_tensors_compute_and_have_no_gradient() -> None:
    operator = operator_of(cases.simple)
    a, b = torch.tensor([1 + 2j, 3j]), torch.tensor([2 - 1j])
    torch.testing.assert_close(operator(a, b), (a + b) * b)
    torch.testing.assert_close(torch.vmap(operator)(a, b.expand(2)), (a + b) * b)
    message = f"{NAMESPACE}::simple: `a` is torch.complex64 and is differentiated"
    with pytest.raises(TypeError, match=message):
        operator(a.requires_grad_(), b)
    with pytest.raises(TypeError, match=message):
        torch.func.grad(lambda a: operator(a, b).sum().real)(a.detach())


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (2, 0)])
def test_empty_tensors_and_numbers(shape: tuple[int, ...]) -> None:
    x = torch.ones(shape, dtype=torch.float64, requires_grad=True)
    first, second = first_and_second(lambda x: operator_of(cases.chained)(x).sum(), (x,))
    assert first.shape == second.shape == shape


def test_tensors_that_are_not_contiguous() -> None:
    operator = operator_of(cases.layer_norm)
    x = torch.randn(3, 4, dtype=torch.float64).T.requires_grad_()
    assert torch.autograd.gradcheck(operator, (x,))
    torch.testing.assert_close(operator(x), operator(x.contiguous()))
    torch.library.opcheck(operator.op, (x,))


def test_autocast_lowers_products_and_keeps_decompositions() -> None:
    operands = tensors(arrays(CASES["affine"], "float32"))
    half = tensors(arrays(CASES["inverse"], "float32"))[0].to(torch.bfloat16)
    with torch.autocast("cpu"):
        found = operator_of(cases.affine)(*operands)
        assert operator_of(cases.inverse)(half).dtype == torch.float32
        assert operator_of(cases.softplus)(operands[2]).dtype == torch.float32
        lowered = torch.func.grad(lambda x: operator_of(cases.affine)(x, *operands[1:]).float().sum())
        assert lowered(operands[0]).dtype == torch.float32
    assert found.dtype == torch.bfloat16
    found.float().sum().backward()
    assert [x.grad.dtype for x in operands] == [torch.float32] * 3


def test_a_saved_tensor_that_was_written_is_an_error() -> None:
    b = torch.ones(2, requires_grad=True)
    found = operator_of(cases.simple)(b * 1, held := (b * 2))
    held += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()


def test_saved_tensor_hooks_get_the_hidden_outputs() -> None:
    packed = []
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        found = operator_of(cases.softplus)(x)
    found.sum().backward()
    torch.testing.assert_close(packed, [torch.exp(x)])


def test_a_barrier_refuses_second_derivatives() -> None:
    x = torch.tensor([0.3, 1.7], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(operator_of(cases.once)(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once has no second derivative"):
        torch.autograd.grad(first.sum(), x)


@pb.formula
def attributes(x, *, axis: int | tuple[int, ...] | None = None, p: float = 2, names: str = 'a"b', w=(1, 2)):
    y = np.sum(x * x, axis=axis) * p * w[0]
    return y, lambda grad: grad * 2 * p * w[0] * x if axis is None else np.expand_dims(grad, axis) * 2 * x


def test_schemas_have_attributes_with_their_defaults() -> None:
    (operator,) = pullback.torch.register(NAMESPACE, attributes, cases.affine)[:1]
    written = 'Tensor x, *, int[1]? axis=None, float p=2., str names="a\\"b", int[] w=[1, 2]'
    assert str(operator.op._schema) == f"{NAMESPACE}::attributes({written}) -> Tensor"
    x = torch.ones(2, 3)
    assert operator(x).item() == 12
    assert operator(x, axis=1).tolist() == [6, 6]
    assert operator(x, axis=(0, 1), p=1.0).item() == 6
    assert "Tensor? b=None" in str(operator_of(cases.affine).op._schema)
    assert "(Tensor[] arrays, *, int axis=0)" in str(operator_of(cases.joined).op._schema)
    assert str(operator_of(cases.polar).op._schema).endswith("-> (Tensor, Tensor)")


def scaled_by_two(x, scale=2.0):
    return x * scale


def test_what_no_schema_has_is_located() -> None:
    @pb.formula
    def kind(x, *, which=None):
        return x * 2, lambda grad: 2 * grad

    @pb.formula
    def endless(x, *, limit: float = 1e999):
        return x * 2, lambda grad: 2 * grad

    with pytest.raises(
        FormulaError, match=r"test_register.py:\d+:20: PB502 error: .*no type of a schema .* `which`"
    ):
        pullback.torch.register(NAMESPACE, kind)
    with pytest.raises(FormulaError, match="default of `limit`, inf, cannot be written in a schema"):
        pullback.torch.register(NAMESPACE, endless)
    scaled = pb.derive_pullback(scaled_by_two)
    with pytest.raises(FormulaError, match=r":\d+:22: PB502 error: .*operand `scale` is a number by default"):
        pullback.torch.register(NAMESPACE, scaled, name="scaled")
    with pytest.raises(FormulaError, match=r"has no default of 2\.0 for `scale`"):
        aten_module([("scaled", promoted(scaled))], LIBRARY_OF_PROCESS, NAMESPACE)
    for name in ("kind", "endless", "scaled"):
        assert not hasattr(getattr(torch.ops, NAMESPACE), name)


def test_names_that_are_taken_or_no_names_are_refused() -> None:
    operator = operator_of(cases.simple)
    assert pullback.torch.register(NAMESPACE, cases.simple) is operator
    with pytest.raises(RuntimeError, match=f"{NAMESPACE}::simple is registered already, by the formula at"):
        pullback.torch.register(NAMESPACE, cases.softplus, name="simple")
    with pytest.raises(RuntimeError, match="::softplus is given twice"):
        pullback.torch.register(f"{NAMESPACE}_other", cases.softplus, cases.softplus)
    with pytest.raises(ValueError, match="namespace 'a::b' is no identifier"):
        pullback.torch.register("a::b", cases.simple)
    with pytest.raises(ValueError, match="name 'class' is no identifier"):
        pullback.torch.register(NAMESPACE, cases.simple, name="class")
    with pytest.raises(ValueError, match="'aten' is PyTorch's own"):
        pullback.torch.register("aten", cases.simple)
    with pytest.raises(ValueError, match="names one operator, not 2"):
        pullback.torch.register(NAMESPACE, cases.simple, cases.softplus, name="x")
    with pytest.raises(TypeError, match="takes formulas, not function"):
        pullback.torch.register(NAMESPACE, lambda x: x)


def test_a_formula_that_is_defined_anew_replaces_its_operator() -> None:
    @pb.formula
    def scaled(x):
        return x * 2, lambda grad: grad * 2

    first, x = pullback.torch.register(NAMESPACE, scaled), torch.ones(2)
    assert first(x).tolist() == [2, 2]

    @pb.formula
    def scaled(x, *, by: float = 3.0):
        return x * by, lambda grad: grad * by

    second = pullback.torch.register(NAMESPACE, scaled)
    assert second(x, by=4.0).tolist() == [4, 4]
    assert getattr(torch.ops, NAMESPACE).scaled(x).tolist() == [3, 3]


def test_operands_that_would_be_computed_otherwise_are_refused() -> None:
    operator = operator_of(cases.simple)
    with pytest.raises(
        TypeError, match=f"{NAMESPACE}::simple: `a` is torch.int64: NumPy makes float64 of it"
    ):
        operator(torch.ones(2, dtype=torch.int64), torch.ones(2))
    with pytest.raises(RuntimeError, match="simple: `a` is on cpu, `b` on meta: all tensors must be on one"):
        operator(torch.ones(2), torch.ones(2, device="meta"))
    with pytest.raises(RuntimeError, match=r"simple\(\).*'Tensor' for argument 'a'"):
        operator(3.0, torch.ones(2))


@pytest.mark.parametrize("compiled", [False, True])
def test_an_operator_whose_formula_is_defined_anew_says_so(compiled):
    def defined(factor):
        @pb.formula
        def scaled_anew(x):
            return x * factor, lambda grad: grad * factor

        return scaled_anew

    x = torch.ones(2)
    first = pb.torch.register("defined_anew", defined(2.0), compiled=compiled)
    second = pb.torch.register("defined_anew", defined(3.0), compiled=compiled)
    torch.testing.assert_close(second(x), 3 * x)
    with pytest.raises(RuntimeError, match=r"call what pullback\.torch\.register returned last"):
        first(x)
    assert "scaled_anew" in repr(first)
    second.close()
