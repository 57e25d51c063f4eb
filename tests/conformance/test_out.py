"""Results that go into memory which the caller names: `out=`, and functions that write an argument."""

import operator
from typing import Any

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

W = np.array([0.5, 1.5, 2.0])


@pytest.fixture
def w(engine):
    return pb.tensor(W, requires_grad=True, name="w")


def check(program, *inputs, order=2):
    """The program's gradients are those of finite differences."""
    assert pb.gradcheck(program, *(np.array(x, float) for x in inputs), order=order, rtol=1e-4, atol=1e-5)


OUT = [
    lambda a, b, out: np.add(a, b, out=out),
    lambda a, b, out: np.multiply(a, b, out),
    lambda a, b, out: pnp.multiply(a, b, out=out),
    lambda a, b, out: np.exp(a * b, out=out),
    lambda a, b, out: pnp.sigmoid(a * b, out=out),
    lambda a, b, out: np.clip(a * b, 0.2, 2.0, out=out),
    lambda a, b, out: np.sum(np.stack([a, b]), axis=0, out=out),
    lambda a, b, out: np.add.reduce(np.stack([a, b * b]), out=out),
    lambda a, b, out: np.concatenate([a[:1], b[1:]], out=out),
    lambda a, b, out: np.multiply(out, b, out=out),
    lambda a, b, out: np.divide(b, out, out=out),
    lambda a, b, out: np.subtract(out[::-1], out, out=out),
]


@pytest.mark.parametrize("function", OUT, ids=range(len(OUT)))
@pytest.mark.parametrize("part", [False, True])
def test_out(engine, function, part):
    def program(a, b):
        memory = np.stack([a, a * b])
        out = memory[1] if part else a * 1.5
        assert function(a, b, out) is out
        return (out * out * a).sum() + (memory * memory).sum()

    check(program, [0.4, 0.9, 1.4], [0.8, 1.1, 0.5])


def test_out_where_nothing_requires_grad(engine):
    x, out = pb.tensor([1.0, 4.0]), pb.tensor(np.zeros(2))
    assert np.sqrt(x, out=out, where=[False, True]) is out
    assert out.numpy().tolist() == [0.0, 2.0]
    assert out._version == 1
    truth = pb.tensor([False, False])
    np.greater(x, 2, out=truth)
    assert truth.numpy().tolist() == [False, True]
    array = np.zeros(2)
    assert np.add(x, 1, out=array) is array
    array += x
    assert array.tolist() == [3.0, 9.0]


def test_an_array_as_out_would_lose_the_gradient(w):
    for write in (
        lambda: np.add(w, 1, out=np.zeros(3)),
        lambda: operator.iadd(np.zeros(3), w),
        lambda: np.sum(w, out=np.zeros(())),
    ):
        with pytest.raises(pb.errors.MutationError, match="lose it"):
            write()
    with pb.no_grad():
        assert np.add(w, 1, out=np.zeros(3)).tolist() == (W + 1).tolist()


def test_a_write_to_an_array_would_lose_the_gradient(w):
    for write in (
        lambda x: np.copyto(x, w),
        lambda x: np.put(x, [0], w[0]),
        lambda x: np.add.at(x, [0, 0, 1], w),
        lambda x: np.multiply.at(x, [0, 0, 1], w),
        lambda x: pnp.fill_diagonal(x[:, None], w),
    ):
        with pytest.raises(pb.errors.MutationError, match=r"an array.* x = pullback.numpy.zeros\(3\)"):
            write(np.zeros(3))
        with pb.no_grad():
            write(np.zeros(3))
    x = pnp.zeros(3)
    np.add.at(x, [0, 0, 1], w)
    gradient = pb.grad((x * x).sum(), w)[0].numpy()
    assert gradient.tolist() == [2 * (W[0] + W[1])] * 2 + [2 * W[2]]


@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 5), (3, 3, 3)])
@pytest.mark.parametrize("wrap", [False, True])
def test_a_diagonal_is_filled_as_numpy_does(engine, shape, wrap):
    def program(a, v):
        x = a * 2
        np.fill_diagonal(x, v, wrap)
        return (x * x * a).sum()

    a, v = np.random.default_rng(0).uniform(0.5, 1.5, shape), np.array([0.5, 0.7])
    filled = pb.tensor(a)
    np.fill_diagonal(filled, pb.tensor(v), wrap)
    expected = a.copy()
    np.fill_diagonal(expected, v, wrap)
    assert filled.numpy().tolist() == expected.tolist()
    check(program, a, v)


def test_what_is_not_recorded_says_what_is(w):
    x = w * 1
    with pytest.raises(pb.errors.MutationError, match=r"for i, v in .*: x\[i\] = np.maximum\(x\[i\], v\)"):
        np.maximum.at(x, [0, 0], w[1:])
    with pytest.raises(pb.errors.MutationError, match=r"for i in indices: x\[i\] = np.exp\(x\[i\]\)"):
        np.exp.at(x, [0, 0])
    for i, v in zip([0, 0], w[1:], strict=True):
        x[i] = np.maximum(x[i], v)
    expected = W.copy()
    np.maximum.at(expected, [0, 0], W[1:])
    assert x.detach().numpy().tolist() == expected.tolist()


def test_functions_that_write_an_argument(engine):
    def program(a, b):
        x = a * 2
        np.copyto(x, b[0], where=np.array([[True, False, True], [False, True, False]]))
        np.add.at(x, ([0, 0, 1], [1, 1, 2]), b[1])
        np.subtract.at(x, 0, b[1] * b[0])
        np.fill_diagonal(x, b[0, :2])
        return (x * x * a).sum()

    check(program, np.arange(1.0, 7.0).reshape(2, 3) / 4, np.arange(1.0, 7.0).reshape(2, 3) / 5)


def test_functions_that_write_picked_entries(engine):
    mask = np.array([[True, False, True], [False, True, True]])

    def program(a, b):
        x = a * 2
        np.put(x, [0, 4], b[1] * b[0])
        np.put(x, [-1, 7], b[0, :1], mode="wrap")
        np.place(x, mask, b[0, :2])
        y = a * b
        np.putmask(y, mask, b[1, :2] * 3)
        np.put_along_axis(y, np.array([[1], [0]]), a[:, :1] * a[:, 1:2], axis=1)
        np.put_along_axis(y, np.array([5]), b[0, 0] * 7, axis=None)
        return (x * x * a).sum() + (y * y * b).sum()

    check(program, np.arange(1.0, 7.0).reshape(2, 3) / 4, np.arange(1.0, 7.0).reshape(2, 3) / 5)


def test_picked_entries_are_those_that_numpy_writes(engine):
    for write in (
        lambda x: np.put(x, [[0, 3], [5, -2]], [1.0, 2.0, 3.0]),
        lambda x: np.put(x, [9, -9], [1.0, 2.0], mode="clip"),
        lambda x: np.place(x, np.arange(6).reshape(2, 3) % 2 == 0, [7.0, 8.0]),
        lambda x: np.putmask(x, np.arange(6).reshape(2, 3) % 2 == 1, [1.0, 2.0, 3.0, 4.0]),
        lambda x: np.put_along_axis(x, np.array([[2, 0], [1, 1]]), np.array([[5.0, 6.0]]), 1),
    ):
        array = np.zeros((2, 3))
        write(array)
        recorded = pb.tensor(np.ones((2, 3)), requires_grad=True) * 0
        write(recorded)
        assert recorded.detach().numpy().tolist() == array.tolist()


def test_picked_entries_that_are_not_there(w):
    with pytest.raises(IndexError):
        np.put(w * 1, [3], 0.0)
    with pytest.raises(ValueError, match="mask has 2 entries"):
        np.putmask(w * 1, [True, False], 0.0)
    with pytest.raises(ValueError, match="vals is empty"):
        np.place(w * 1, [True, False, True], [])


def test_out_where(engine):
    def program(a, b):
        x = a * b
        mask = np.array([True, False, True])
        assert np.multiply(a, b[:1], out=x, where=mask) is x
        np.power(x, 3.0, out=x, where=~mask)
        total = a[0] * 1
        np.sum(x * b, out=total, where=mask)
        return (x * x * a).sum() * total

    check(program, [0.4, 0.9, 1.4], [0.8, 1.1, 0.5])


def test_what_where_leaves_out_is_not_computed(engine):
    x = pb.tensor([-1.0, 4.0], requires_grad=True)
    y = x * 1
    np.sqrt(x, out=y, where=[False, True])
    assert y.detach().numpy().tolist() == [-1.0, 2.0]
    assert pb.grad(y.sum(), x)[0].numpy().tolist() == [1.0, 0.25]


def test_functions_that_write_and_are_not_recorded(engine):
    x = pb.tensor(np.zeros(3))
    np.put(x, [0], 5.0)
    np.multiply.at(x, [0, 0], 2.0)
    np.putmask(x, [False, True, False], 3.0)
    assert x.numpy().tolist() == [20.0, 3.0, 0.0]
    assert x._version == 3


STRETCHES = [np.s_[0:2], np.s_[1:3], np.s_[::2], np.s_[1::-1], np.s_[2:0:-1]]


@pytest.mark.parametrize("seed", range(20))
def test_outputs_that_overlap_their_operands(engine, seed):
    rng = np.random.default_rng(seed)
    array, weights = rng.uniform(0.5, 1.5, (2, 3, 4))
    first, second, third = (STRETCHES[k] for k in rng.integers(len(STRETCHES), size=3))
    binary = [np.add, np.multiply, np.subtract, np.divide, np.hypot, np.power][rng.integers(6)]
    unary = [np.exp, np.sin, np.sqrt, np.tanh][rng.integers(4)]
    mask: Any = rng.random((2, 4)) < 0.5 if seed % 3 == 0 else True

    def in_place(y):
        binary(y[first], y[second], out=y[third], where=mask)
        unary(y[second], out=y[first])
        np.add(y.T[1], y.T[0], out=y.T[1])
        return y

    def with_copies(y):
        z = y.copy()
        z[third] = np.where(mask, binary(y[first].copy(), y[second].copy()), y[third].copy())
        u = z.copy()
        u[first] = unary(z[second].copy())
        v = u.copy()
        v[:, 1] = u[:, 1].copy() + u[:, 0].copy()
        return v

    found = []
    for function in (in_place, with_copies):
        x = pb.tensor(array, requires_grad=True)
        y = function(x * 1.0)
        (gradient,) = pb.grad((y * y * weights).sum(), x, create_graph=True)
        (second_gradient,) = pb.grad((gradient * gradient).sum(), x)
        found.append([value.detach().numpy() for value in (y, gradient, second_gradient)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


BY_POSITION = {
    "take": lambda x, out: np.take(x, [0, 2, 1], 0, out),
    "take with a mode": lambda x, out: np.take(x, [0, 5, 1], 0, out, "clip"),
    "take of pullback.numpy": lambda x, out: pnp.take(x, [0, 2, 1], 0, out),
    "compress": lambda x, out: np.compress([True] * 3, x, 0, out),
    "choose": lambda x, out: np.choose([0, 1, 0], [x, x * x], out),
    "cumsum": lambda x, out: np.cumsum(x, 0, None, out),
    "concatenate": lambda x, out: np.concatenate([x[:1], x[1:]], 0, out),
    "median": lambda x, out: np.median(np.stack([x, x * x]), 0, out),
    "ptp": lambda x, out: np.ptp(np.stack([x, x * x]), 0, out),
    "quantile": lambda x, out: np.quantile(np.stack([x, x * x]), 0.3, 0, out),
    "round": lambda x, out: np.round(x, 1, out),
    "the method take": lambda x, out: x.take([0, 2, 1], 0, out),
}


@pytest.mark.parametrize("name", BY_POSITION)
def test_out_by_position(engine, name):
    leaf = pb.tensor([0.52, -1.31, 2.47], requires_grad=True)
    x, out = leaf * 1.0, pb.tensor(np.zeros(3))
    saved = out * x  # the gradient needs what is in out
    assert BY_POSITION[name](x, out) is out
    plain = BY_POSITION[name](x, None)
    np.testing.assert_array_equal(out.detach().numpy(), plain.detach().numpy())
    assert out.requires_grad == plain.requires_grad
    if out.requires_grad:
        weights = np.array([1.0, 10.0, 100.0])
        gradients = [pb.grad((y * weights).sum(), leaf, retain_graph=True)[0].numpy() for y in (out, plain)]
        np.testing.assert_array_equal(*gradients)
    with pytest.raises(pb.errors.SavedVariableError):
        pb.grad(saved.sum(), leaf)


def test_out_of_a_method_that_takes_none(engine):
    x, out = pb.tensor([3.0, 1.0]), pb.tensor(np.zeros(()))
    for call in (lambda: x.sum(0, None, out), lambda: x.argmax(0, out=out), lambda: pnp.argmax(x, 0, out)):
        with pytest.raises(
            pb.errors.MutationError, match=r"np\.\w+\(\.\.\., out=\.\.\.\), not into a method"
        ):
            call()
    assert (out.item(), out._version) == (0.0, 0)


@pytest.mark.parametrize("name", ["ceil", "isnan", "logical_not", "sign", "exp"])
def test_an_out_by_position_is_one(name, engine):
    leaf = pb.tensor([0.5, 1.5], requires_grad=True)
    with pytest.raises(pb.errors.MutationError):
        getattr(pnp, name)(pb.tensor([1.5, 2.5]), leaf)
    assert leaf.tolist() == [0.5, 1.5]


@pytest.mark.parametrize(
    "call", [lambda x, out: np.sum(x, 0, out=out), lambda x, out: np.concatenate([x], out=out)]
)
def test_a_recorded_result_is_not_repeated_to_fill_its_out(call, engine):
    x, out = pb.tensor([[0.5, 1.5]], requires_grad=True), pb.tensor(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"shape"):
        call(x, out)
    assert out.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("function", [np.sum, np.mean, np.cumsum])
def test_sums_are_in_the_dtype_of_their_out(function, engine):
    values = np.random.default_rng(0).standard_normal(300).astype(np.float32)
    x, shape = pb.tensor(values, requires_grad=True), np.shape(function(values))
    out = function(x, out=pb.tensor(np.zeros(shape)))
    np.testing.assert_allclose(out.detach().numpy(), function(values, out=np.zeros(shape)), rtol=1e-14)
    assert pb.grad(out.sum(), x)[0].dtype == np.float32
