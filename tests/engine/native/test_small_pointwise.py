"""The fast path of small tensors gives what the general path gives, in every case that leaves it."""

import operator

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

pytestmark = pytest.mark.native

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
UNARY = [operator.neg, operator.pos, abs]


def arrays(dtype, shape=(2, 3)):
    generator = np.random.default_rng(0)
    return [generator.uniform(0.5, 2.0, shape).astype(dtype) for _ in range(2)]


def on(engine, function, values, seed):
    """The result of a function of tensors, and its gradients."""
    with pb.use_engine(engine):
        tensors = [pb.tensor(v, requires_grad=True) if isinstance(v, np.ndarray) else v for v in values]
        leaves = [tensor for tensor in tensors if isinstance(tensor, pb.Tensor)]
        result = function(*tensors)
        gradients = pb.grad(result, leaves, grad_outputs=pb.tensor(seed(result)))
        return [result.detach().numpy(), *(gradient.numpy() for gradient in gradients)]


def agree(function, values):
    def seed(result):
        return np.linspace(1.0, 2.0, result.size).reshape(result.shape).astype(result.dtype)

    ours, reference = on("native", function, values, seed), on("reference", function, values, seed)
    for mine, theirs in zip(ours, reference, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("function", BINARY)
def test_two_arrays(function, dtype):
    agree(function, arrays(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("number", [2.0, 3, True, 2**60])
def test_an_array_and_a_number_from_either_side(function, dtype, number):
    x, _ = arrays(dtype)
    if function is not operator.pow or number != 2**60:
        agree(lambda x: function(x, number), [x])
        agree(lambda x: function(number, x), [x])


@pytest.mark.parametrize("function", UNARY)
def test_one_array(function):
    agree(function, arrays(np.float32)[:1])


@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((), (4,)), ((0, 3), (0, 3)), ((1, 1), (1, 1)), ((), ())])
def test_broadcasting_and_empty_shapes(shapes):
    x, y = (np.full(shape, 1.5, np.float32) for shape in shapes)
    agree(operator.mul, [x, y])


def test_mixed_dtypes():
    agree(operator.mul, [arrays(np.float32)[0], arrays(np.float64)[1]])


def test_strided_memory():
    x, y = arrays(np.float32, (3, 3))
    agree(lambda x, y: x.T * y, [x, y])


@pytest.mark.parametrize("size", [1 << 10, (1 << 10) + 1, 1 << 14, (1 << 14) + 1])
def test_sizes_around_the_bounds(size):
    x, y = arrays(np.float32, (size,))
    agree(lambda x, y: (x * 2.0 + y) * x, [x, y])


def test_only_one_operand_wants_a_gradient():
    x, y = (pb.tensor(a, requires_grad=k == 0) for k, a in enumerate(arrays(np.float64)))
    (gradient,) = pb.grad(x * y, x, grad_outputs=np.ones((2, 3)))
    np.testing.assert_array_equal(gradient.numpy(), y.numpy())
    (gradient,) = pb.grad(y / x, x, grad_outputs=np.ones((2, 3)))
    np.testing.assert_allclose(gradient.numpy(), -y.numpy() / x.detach().numpy() ** 2)


def test_a_gradient_that_somebody_holds_is_not_written_over():
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    seed = pb.tensor([3.0, 4.0])
    held = []
    y = -x
    y.register_hook(lambda grad: held.append(grad.numpy().copy()) or held.append(grad))
    z = -y
    z.backward(seed)
    np.testing.assert_array_equal(seed.numpy(), [3.0, 4.0])
    np.testing.assert_array_equal(held[1].numpy(), held[0])
    before = x.grad
    (-x).backward(seed)
    np.testing.assert_array_equal(before.numpy(), [3.0, 4.0])
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.0])


def test_a_saved_value_that_changed_is_an_error():
    x, y = (pb.tensor([1.0, 2.0], requires_grad=k == 0) for k in range(2))
    z = x * y
    y += 1.0
    with pytest.raises(pb.errors.SavedVariableError, match="multiply saved its input 'y'"):
        z.backward(pb.tensor([1.0, 1.0]))


def test_nothing_is_recorded_without_grad_mode():
    x = pb.tensor([1.0], requires_grad=True)
    with pb.no_grad():
        assert not (x * x).requires_grad
        with pb.enable_grad():
            assert (x * x).requires_grad


def test_the_tape_sees_every_call(capsys):
    x = pb.tensor([2.0], requires_grad=True, name="x")
    with pb.tape():
        x * x
    assert "x * x" in capsys.readouterr().out


def test_the_line_of_the_call_is_known():
    x = pb.tensor([1.0], requires_grad=True)
    y = x * 2.0
    assert y.grad_fn.called_at.startswith(__file__)


def test_second_derivatives():
    x = pb.tensor([3.0], requires_grad=True)
    (first,) = pb.grad(x * x * x, x, create_graph=True)
    assert pb.grad(first, x)[0].item() == 18.0


@pytest.mark.usefixtures("library_restored")
def test_a_formula_of_the_user_takes_the_place_of_the_librarys():
    x = pb.tensor([1.0], requires_grad=True)
    assert pb.grad(-x, x)[0].item() == -1.0

    @pb.formula(np.negative, surrogate=True)
    def negative(x):
        def negative_pullback(grad):
            return 7.0 * grad

        return -x, negative_pullback

    assert pb.grad(-x, x)[0].item() == 7.0
    assert pb.grad(pnp.negative(x), x)[0].item() == 7.0


def test_the_next_test_finds_the_librarys():
    x = pb.tensor([1.0], requires_grad=True)
    assert pb.grad(-x, x)[0].item() == -1.0
