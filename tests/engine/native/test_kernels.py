"""Kernels called by address: the library's, linked into the module, and those of `pb.compile`."""

from unittest import mock

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core.operator import Operator

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)


@pytest.fixture
def kernels():
    from pullback.engine.native import kernels

    return kernels


def operator_of(name):
    return pb.formulas()[name].operator


def test_pointwise_formulas_of_the_library_have_kernels(kernels):
    from pullback.engine.native._native import builtin_kernels

    found = builtin_kernels()
    assert {"add", "multiply", "divide", "exp", "log", "tanh", "gelu", "where"} <= set(found)
    for name in ("add", "exp", "tanh"):
        assert kernels.forward_layout(kernels.compiled_form(operator_of(name))) is not None


def test_a_kernel_of_another_text_is_not_used(kernels, monkeypatch):
    from pullback.engine.native import _native

    _, addresses = _native.builtin_kernels()["exp"]
    monkeypatch.setattr(kernels, "builtin_kernels", lambda: {"exp": ("another digest", addresses)})
    operator = operator_of("exp")
    assert kernels.compiled_form(operator) is operator


def test_a_formula_of_the_users_own_with_a_library_name_keeps_its_meaning():
    @pb.formula
    def tanh(x):
        def tanh_pullback(grad):
            return grad * 3.0

        return x * 3.0, tanh_pullback

    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = tanh(x)
    np.testing.assert_array_equal(y.detach().numpy(), [3.0, 6.0])
    np.testing.assert_array_equal(pb.grad(y.sum(), x)[0].numpy(), [3.0, 3.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_that_kernels_take_never_reach_python(python_forwards, dtype):
    x = pb.tensor(np.array([[0.5], [1.0]], dtype), requires_grad=True)
    y = pb.tensor(np.array([2.0, 3.0, 4.0], dtype), requires_grad=True)
    z = np.exp(x * y + 1.0) / y
    assert (z.shape, z.dtype) == ((2, 3), dtype)
    assert python_forwards == []


@pytest.mark.parametrize(
    "x",
    [
        pytest.param(np.array([1, 2, 3]), id="integers"),
        pytest.param(np.array([0.5, 1.0], np.float16), id="float16"),
        pytest.param(np.array([0.5, 1.0], ">f8"), id="swapped bytes"),
        pytest.param(np.array([0.5 + 1j]), id="complex"),
        pytest.param(np.zeros(0), id="empty"),
        pytest.param(np.float64(0.5), id="no axes"),
        pytest.param(np.linspace(0, 1, 24).reshape(4, 6)[::2, ::-3].T, id="strides"),
        pytest.param(np.broadcast_to(np.array([0.5, 1.0]), (3, 2)), id="zero strides"),
    ],
)
def test_values_are_numpys_whoever_computes_them(x):
    tensor = pb.from_numpy(np.asarray(x))
    for function in (np.exp, np.tanh, lambda v: v * v - 2, lambda v: v / np.float32(3)):
        got, expected = function(tensor), function(np.asarray(x))
        assert got.dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-2 if got.dtype == np.float16 else 1e-6)


def test_mixed_dtypes_promote_as_numpys():
    x = pb.tensor(np.ones(3, np.float32), requires_grad=True)
    y = pb.tensor(np.ones(3, np.float64), requires_grad=True)
    z = x * y
    assert z.dtype == np.float64
    dx, dy = pb.grad(z.sum(), [x, y])
    assert (dx.dtype, dy.dtype) == (np.float32, np.float64)


def test_a_plain_array_beside_a_tensor_needs_no_gradient():
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    (dx,) = pb.grad((np.array([[3.0], [4.0]]) * x).sum(), x)
    np.testing.assert_array_equal(dx.numpy(), [7.0, 7.0])


def test_gradients_of_broadcast_operands_have_their_shapes():
    x = pb.tensor(RNG.standard_normal((3, 1)), requires_grad=True)
    y = pb.tensor(RNG.standard_normal(4), requires_grad=True)
    assert pb.gradcheck(lambda x, y: np.arctan2(x, y) * x, x, y, order=3)


@pytest.mark.parametrize("shape", [(3, 4), (4,), (3, 1), ()])
def test_a_choice_between_an_array_and_a_number_needs_no_python_backwards(kernels, shape):
    operator = kernels.compiled_form(operator_of("where"))
    layout = kernels.backward_layout(operator, operator.backward((True,), (False, True, False)))
    assert [argument.used for argument in layout.arguments] == [True, True, False, True]
    mask = RNG.random((3, 4)) > 0.5
    x = pb.tensor(RNG.standard_normal(shape).astype(np.float32), requires_grad=True)
    with mock.patch.object(type(operator.backward((True,), (False, True, False)).call), "__call__"):
        left = pb.grad(np.where(mask, x, 0.0).sum(), x)[0].numpy()
        right = pb.grad(np.where(mask, 2.0, x).sum(), x)[0].numpy()
    axes = tuple(k for k in range(2) if k < 2 - len(shape) or shape[k - 2] == 1)
    np.testing.assert_array_equal(left, mask.sum(axes).reshape(shape))
    np.testing.assert_array_equal(right, (~mask).sum(axes).reshape(shape))


def test_large_arrays_run_without_the_lock_and_agree():
    values = RNG.standard_normal(100_000)
    x = pb.tensor(values, requires_grad=True)
    (dx,) = pb.grad(np.tanh(x).sum(), x)
    np.testing.assert_allclose(dx.numpy(), 1 - np.tanh(values) ** 2, rtol=1e-10, atol=1e-12)


def test_memory_of_a_result_outlives_its_tensor():
    array = np.exp(pb.tensor([0.0, 1.0])).numpy()
    others = [np.exp(pb.tensor([float(i), 2.0])) for i in range(100)]
    np.testing.assert_allclose(array, [1.0, np.e])
    assert len(others) == 100


def test_a_saved_result_that_changed_is_an_error():
    x = pb.tensor([0.5, 1.0], requires_grad=True)
    y = np.exp(x)
    y._bump_version()
    with pytest.raises(pb.errors.SavedVariableError, match="exp saved its output"):
        pb.grad(y.sum(), x)


@pytest.mark.compiler
def test_a_compiled_formula_runs_its_kernels_from_the_engine(python_forwards):
    @pb.formula
    def scaled_product(a, b, *, scale: float = 2.0):
        t = a * b * scale
        r = t * b

        def scaled_product_pullback(grad):
            return grad * b * b * scale, grad * t + grad * a * b * scale

        return r, scaled_product_pullback

    compiled = pb.compile(scaled_product)
    a = pb.tensor(RNG.standard_normal(5), requires_grad=True)
    b = pb.tensor(RNG.standard_normal(5), requires_grad=True)
    result = compiled(a, b, scale=3.0)
    assert "scaled_product" not in python_forwards
    np.testing.assert_allclose(result.detach().numpy(), 3.0 * a.detach().numpy() * b.detach().numpy() ** 2)
    assert pb.gradcheck(lambda a, b: compiled(a, b, scale=3.0), a, b, order=3)


def steps(x, a, *, n: int = 5):
    for _ in range(n):
        x = x - (x * x - a) / (2 * x)
    return x


def steps_until(x, a, *, n: int = 50):
    for _ in range(n):
        d = (x * x - a) / (2 * x)
        x = x - d
        if np.max(np.abs(d)) < 1e-9:
            break
    return x


@pytest.mark.compiler
@pytest.mark.parametrize("function", [steps, steps_until])
def test_a_loop_runs_backwards_by_its_kernel(kernels, function):
    fast = pb.compile(function)
    x, a = (pb.tensor(RNG.uniform(1, 2, 3), requires_grad=True) for _ in range(2))
    y = fast(x, a)
    (operator,) = fast._operators.values()
    outputs = operator.n_results + operator.n_hidden
    variant = operator.backward((True, *[False] * (outputs - 1)), (True, True))
    assert kernels.backward_layout(operator, variant) is not None
    # What elements decide the size of is cut to the iterations that there were, not computed by Python.
    with mock.patch.object(Operator, "forward", side_effect=AssertionError):
        np.testing.assert_array_equal(fast(x, a).detach().numpy(), y.detach().numpy())
    own = pb.grad(y.sum(), [x, a])
    other = pb.grad(pb.derive_pullback(function)(x, a).sum(), [x, a])
    for one, two in zip(own, other, strict=True):
        np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-9, atol=1e-12)
