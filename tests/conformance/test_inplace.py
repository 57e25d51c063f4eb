"""Recorded in-place writes: operators, items, methods; and those that are refused."""

import operator

import numpy as np
import pytest

import pullback as pb

W = np.array([0.5, 1.5, 2.0])


@pytest.fixture
def w(engine):
    return pb.tensor(W, requires_grad=True, name="w")


def check(program, *inputs, order=2):
    """The program's gradients are those of finite differences."""
    assert pb.gradcheck(program, *(np.array(x, float) for x in inputs), order=order, rtol=1e-4, atol=1e-5)


OPERATORS = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ipow,
    operator.imod,
]


@pytest.mark.parametrize("update", OPERATORS, ids=lambda f: f.__name__)
def test_operators(engine, update):
    def program(a, b):
        x = a * 1.5
        before = x
        x = update(x, b)
        assert x is before
        return (x * x * a).sum()

    check(program, [2.5, 1.2, 0.7], [0.6, 0.8, 1.1])
    check(program, [[2.5, 1.2, 0.7], [1.3, 1.7, 2.1]], [0.6, 0.8, 1.1])


@pytest.mark.parametrize("update", OPERATORS, ids=lambda f: f.__name__)
def test_operators_on_a_view(engine, update):
    def program(a, b):
        x = a * 1.5
        part = x.T[1:, ::-1]
        part = update(part, b)
        return (x * x).sum() + (part * a.T[1:]).sum()

    check(program, [[2.5, 1.2, 0.7], [1.3, 1.7, 2.1]], [0.6, 0.8])


def test_a_matrix_product_in_place(engine):
    def program(a, b):
        x = a * 1.0
        x @= b
        return (x * x).sum()

    check(program, np.arange(4.0).reshape(2, 2), [[0.5, 1.0], [2.0, 0.3]])


def test_a_zero_derivative_ends_the_history(w):
    x = w * 3
    x //= 2
    assert x.numpy().tolist() == [0.0, 2.0, 3.0]
    assert not x.requires_grad


@pytest.mark.parametrize("update", [operator.imul, operator.iadd, operator.itruediv])
def test_a_tensor_with_itself(engine, update):
    def program(a):
        x = a * 2
        x = update(x, x)
        x = update(x, x[0])
        return (x * a).sum()

    check(program, W)


INDEXES = [
    1,
    -1,
    (0, 2),
    slice(1, None),
    (slice(None), 1),
    (..., slice(None, None, -2)),
    (None, 1, slice(0, 2)),
    np.array([True, False]),
    np.array([[True, False, True], [False, False, True]]),
    [1, 0],
    [0, 0],
    ([0, 1, 0], [2, 2, 2]),
    (slice(None), [0, 2]),
    (np.array([[0], [1]]), np.array([0, 2])),
    (1, [0, 0, 1]),
]


@pytest.mark.parametrize("index", INDEXES, ids=str)
@pytest.mark.parametrize("of", ["a result", "a view"])
def test_items(engine, index, of):
    target = np.zeros((2, 3))[index]

    def program(a, v):
        x = a * 2 if of == "a result" else np.concatenate([a, a]).reshape(2, 2, 3)[:, 1] * 1.0
        x = x if of == "a result" else np.stack([x, x], axis=-1)[..., 0]
        x[index] = v
        return (x * x * a).sum()

    a = np.arange(1.0, 7.0).reshape(2, 3) / 4
    value = np.linspace(0.3, 1.2, max(target.size, 1)).reshape(target.shape)
    check(program, a, value)
    check(program, a, 0.7)


def test_the_last_of_several_values_for_one_entry_counts(w):
    x = pb.tensor([0.0, 0.0])
    x[[0, 0, 1]] = w
    assert x.detach().numpy().tolist() == [1.5, 2.0]
    assert pb.grad(x.sum(), w)[0].numpy().tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("value", [2, 2.5, np.array([7.0, 8.0]), [7, 8], np.float32(1.5)], ids=str)
def test_constants_as_values(w, value):
    x = w * 2
    expected = x.detach().copy().numpy()
    x[1:] = value
    expected[1:] = value
    np.testing.assert_array_equal(x.detach().numpy(), expected)
    assert pb.grad(x.sum(), w)[0].numpy().tolist() == [2.0, 0.0, 0.0]


def test_tensors_in_a_list_as_value(w):
    x = pb.tensor(np.zeros((2, 2)))
    x[0] = [w[0], w[1] * 2]
    assert pb.grad(x.sum(), w)[0].numpy().tolist() == [1.0, 2.0, 0.0]


def test_an_index_may_be_a_tensor_and_may_change_later(w):
    index = pb.tensor([2, 0])
    x = w * 1
    taken = x[index]
    x[index] = w[:2] * 10
    index[0] = 1
    assert x.detach().numpy().tolist() == [15.0, 1.5, 5.0]
    assert pb.grad(taken.sum() + x.sum(), w)[0].numpy().tolist() == [11.0, 11.0, 1.0]


def test_augmented_items_write_once(w):
    x = w * 1
    x[1:] *= w[:2]
    assert x._version == 1
    np.testing.assert_allclose(pb.grad(x.sum(), w)[0].numpy(), [1 + 1.5, 0.5 + 2.0, 1.5])


def test_the_part_itself_detached_is_another_value(w):
    x = w * 2
    x[1:] = x[1:].detach()
    assert pb.grad(x.sum(), w)[0].numpy().tolist() == [2.0, 0.0, 0.0]


def test_parts_that_overlap(engine):
    def program(a):
        x = a * 2
        x[1:] = x[:-1]
        x += x[::-1]
        return (x * x * a).sum()

    check(program, W)


def test_a_tensor_without_grad_becomes_part_of_the_graph(w):
    x = pb.tensor(np.zeros((2, 3)))
    x[1] = w * w
    assert x.requires_grad
    assert not x.is_leaf
    np.testing.assert_allclose(pb.grad((x * x).sum(), w)[0].numpy(), 4 * W**3)


def test_dtypes(w):
    single = pb.tensor(np.zeros(3, np.float32))
    single[...] = w * w
    single += w
    assert single.dtype == np.float32
    gradient = pb.grad(single.sum(), w)[0]
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient.numpy(), 2 * W + 1)
    whole = pb.tensor([1, 2, 3])
    whole[0] = w[1] * 4
    assert whole.numpy().tolist() == [6, 2, 3]
    assert not whole.requires_grad
    with pytest.raises(TypeError):
        whole += w


def test_what_does_not_fit_is_refused_and_changes_nothing(w):
    x = w * 2
    for write in (
        lambda: operator.iadd(x, np.ones((2, 3))),
        lambda: x.__setitem__(slice(0, 2), w),
        lambda: np.add(w, np.ones((2, 3)), out=x),
    ):
        with pytest.raises(ValueError, match=r"fit|broadcast|shape"):
            write()
    with pytest.raises(IndexError):
        x[5] = w[0]
    assert x._version == 0
    assert x.grad_fn.name == "multiply"


# methods

METHODS = [
    lambda x, y: x.add_(y),
    lambda x, y: x.add_(y, alpha=-0.5),
    lambda x, y: x.sub_(y, alpha=2),
    lambda x, y: x.mul_(y).div_(1.5),
    lambda x, y: x.pow_(2).neg_(),
    lambda x, y: x.exp_().log_().sqrt_(),
    lambda x, y: x.tanh_().sigmoid_(),
    lambda x, y: x.sub_(1).abs_(),
    lambda x, y: x.sub_(1).relu_(),
    lambda x, y: x.clamp_(0.9, y * 2).clamp_(max=3),
    lambda x, y: x.copy_(y * y),
    lambda x, y: x.copy_(y[0]),
    lambda x, y: x.fill_(y[1]),
    lambda x, y: x[:2].fill_(y[1]).mul_(y[:2]),
    lambda x, y: x.masked_fill_(np.array([True, False, True]), y[0]),
    lambda x, y: x.addcmul_(y, y, value=0.3),
    lambda x, y: x.addcdiv_(y, x + y, value=0.3),
    lambda x, y: x.lerp_(y, y),
]


@pytest.mark.parametrize("method", METHODS, ids=range(len(METHODS)))
def test_methods(engine, method):
    def program(a, b):
        x = a * 1.5
        returned = method(x, b)
        assert returned._storage is x._storage
        return (x * x * a).sum()

    check(program, [0.4, 0.9, 1.4], [0.8, 1.1, 0.6])


def test_zeroing_ends_the_history(w):
    x = w * 2
    assert x.zero_() is x
    assert not x.requires_grad
    x[0] = w[0]
    assert pb.grad(x.sum(), w)[0].numpy().tolist() == [1.0, 0.0, 0.0]


# what is refused


@pytest.mark.parametrize(
    "write",
    [
        lambda w: operator.iadd(w, 1.0),
        lambda w: w.__setitem__(0, 1.0),
        lambda w: np.add(w, 1.0, out=w),
        lambda w: w.zero_(),
        lambda w: operator.iadd(w[1:], 1.0),
        lambda w: w[1:].T.__setitem__(0, 1.0),
        lambda w: np.add.at(w, [0], 1.0),
    ],
)
def test_a_leaf_that_requires_grad_is_refused(w, write):
    with pytest.raises(pb.errors.MutationError, match=r"'w' of shape \(3,\).*pb\.no_grad\(\)"):
        write(w)
    with pb.no_grad():
        write(w)
    assert w.is_leaf
    assert w.requires_grad
    assert w._version == 1


def test_memory_that_several_entries_share_is_refused(w):
    for x in (np.broadcast_to(w * 1, (2, 3)), np.broadcast_to(pb.tensor([1.0]), (3,))):
        for write in (lambda x: operator.iadd(x, 1.0), lambda x: x.__setitem__(0, 1.0)):
            with pytest.raises(pb.errors.MutationError, match="broadcast array"):
                write(x)


def test_tensors_of_two_engines_are_refused(engine):
    from pullback.engine.core.dispatch import available

    other = next((name for name in available() if name != engine), None)
    if other is None:
        pytest.skip("mixing engines needs two, and one is not built here")
    with pb.use_engine(other):
        y = pb.tensor([1.0])
    x = pb.tensor([1.0])
    for write in (lambda: operator.iadd(x, y), lambda: x.__setitem__(0, y), lambda: np.add(y, 1, out=x)):
        with pytest.raises(pb.errors.EngineMismatchError):
            write()


def test_a_write_under_no_grad_keeps_the_history(w):
    x = w * 2
    with pb.no_grad():
        x += 1
        x[0] = 5.0
    assert x.detach().numpy().tolist() == [5.0, 4.0, 5.0]
    assert pb.grad(x.sum(), w)[0].numpy().tolist() == [2.0, 2.0, 2.0]


# with what else there is


def test_hooks_see_the_value_they_were_registered_on(w):
    seen = []
    x = w * 1
    x.register_hook(lambda g: seen.append(("before", g.numpy().copy())))
    x *= 3
    x.register_hook(lambda g: seen.append(("after", g.numpy().copy())))
    x.sum().backward()
    assert [(when, g.tolist()) for when, g in seen] == [("after", [1.0] * 3), ("before", [3.0] * 3)]


def test_a_retained_gradient_is_that_of_the_last_value(w):
    x = w * 1
    x.retain_grad()
    x *= 3
    x[0] = w[1]
    (x * 2).sum().backward()
    assert x.grad.numpy().tolist() == [2.0, 2.0, 2.0]


def test_in_a_checkpoint(w):
    def body(a):
        x = a * 2
        x[1:] *= a[:2]
        x += a
        return (x * x).sum()

    plain = pb.grad(body(w), w, create_graph=True)[0]
    rerun = pb.grad(pb.checkpoint(body, w), w, create_graph=True)[0]
    np.testing.assert_allclose(rerun.detach().numpy(), plain.detach().numpy())
    np.testing.assert_allclose(pb.grad(rerun.sum(), w)[0].numpy(), pb.grad(plain.sum(), w)[0].numpy())


def test_gradients_may_be_written(w):
    (w * w).sum().backward()
    w.grad *= 0.5
    w.grad[0] = 0.0
    np.add(w.grad, 1.0, out=w.grad)
    assert w.grad.numpy().tolist() == [1.0, 2.5, 3.0]
    (first,) = pb.grad((w**3).sum(), w, create_graph=True)
    first[1:] *= w[1:]
    np.testing.assert_allclose(pb.grad(first.sum(), w)[0].numpy(), [6 * W[0], *(9 * W[1:] ** 2)])


@pytest.mark.parametrize(
    "write",
    [
        lambda x, w, s: operator.setitem(x, slice(1, 3), s),
        lambda x, w, s: operator.setitem(x, slice(None, None, 2), s),
        lambda x, w, s: operator.setitem(x, slice(1, 3), s.reshape(1, 1)),
        lambda x, w, s: operator.setitem(x, [0, 2, 0], s),
        lambda x, w, s: operator.setitem(x, [0, 2], w[:1]),
        lambda x, w, s: operator.iadd(x[1:], s),
        lambda x, w, s: operator.imul(x, s),
        lambda x, w, s: operator.itruediv(x, s * 2),
        lambda x, w, s: operator.iadd(x, w[:1]),
    ],
)
def test_a_value_that_is_broadcast_gets_the_sum_of_its_gradients(engine, write):
    def loss(w, s):
        x = w * w
        write(x, w, s)
        return (np.sin(x) * x).sum()

    check(loss, W, 1.7)
    w, s = pb.tensor(W, requires_grad=True), pb.tensor(1.7, requires_grad=True)
    with pb.forward_ad.dual_level():
        dual = loss(pb.forward_ad.make_dual(w, np.ones(3)), pb.forward_ad.make_dual(s, 2.0))
        tangent = pb.forward_ad.unpack_dual(dual).tangent.item()
    by_w, by_s = pb.grad(loss(w, s), [w, s], materialize_grads=True)
    assert tangent == pytest.approx(by_w.numpy().sum() + 2 * by_s.item())
