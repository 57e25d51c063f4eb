"""The fast path of in-place operators gives what the general path gives."""

import operator

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native

UPDATES = [operator.iadd, operator.isub, operator.imul, operator.itruediv]
update = pytest.mark.parametrize("update", UPDATES, ids=lambda f: f.__name__)


@update
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_are_those_of_numpy(update, dtype):
    array = np.arange(1, 7, dtype=dtype).reshape(2, 3)
    for other in (array + 2, np.float64(2.5), 3, 0.5, array[0], array.T.copy().T, np.ones((2, 3))):
        x, expected = pb.tensor(array), array.copy()
        before = x
        x = update(x, pb.tensor(other) if isinstance(other, np.ndarray) else other)
        assert x is before
        np.testing.assert_array_equal(x.numpy(), update(expected, other))
        assert x.dtype == dtype
        assert x._version == 1


@update
def test_operands_that_overlap(update):
    array = np.arange(1.0, 9.0)
    for left, right in ((slice(1, None), slice(-1)), (slice(-1), slice(1, None)), (slice(None), slice(None))):
        x, expected = pb.tensor(array), array.copy()
        part, expected_part = x[left], expected[left]
        part = update(part, x[right])
        expected_part = update(expected_part, expected[right])
        np.testing.assert_array_equal(x.numpy(), expected)


@update
def test_what_is_recorded_is_what_the_general_way_records(update):
    w = pb.tensor([1.0, 2.0], requires_grad=True)

    def gradients(x, other):
        x = update(x, other(x))
        (first,) = pb.grad((x * x * w).sum(), w, create_graph=True)
        return [value.detach().numpy() for value in (x, first, *pb.grad(first.sum(), w))]

    others = [lambda x: 1.5, lambda x: w, lambda x: x, lambda x: x.detach(), lambda x: pb.tensor([3.0, 4.0])]
    for other in others:
        short = gradients(w * 2, other)
        view = gradients(np.stack([w * 2, w * 2])[0], other)
        general = gradients(np.stack([w * 2, w * 2], axis=1)[:, 0], other)  # never the fast path
        for one, two, three in zip(short, view, general, strict=True):
            np.testing.assert_allclose(one, three)
            np.testing.assert_allclose(two, three)


@update
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_base_has_the_history_of_what_was_written_into_its_view(update, order):
    # In C order the view is a row without gaps, which takes the fast path; in F order it never does.
    x = pb.tensor(np.arange(1.0, 7.0).reshape(2, 3), requires_grad=True)
    w = pb.tensor([2.0, 3.0, 5.0], requires_grad=True)

    def written(x, w):
        y = x * 1.0 if order == "C" else (x.T * 1.0).T
        other = y[1:]
        row = y[0]
        update(row, w)
        update(other, 2.0)
        update(row, row)
        return y, row, other

    def expected(x, w):
        row = [x[0] + w, x[0] - w, x[0] * w, x[0] / w][UPDATES.index(update)]
        row = [row + row, row - row, row * row, row / row][UPDATES.index(update)]
        other = [x[1:] + 2.0, x[1:] - 2.0, x[1:] * 2.0, x[1:] / 2.0][UPDATES.index(update)]
        return np.concatenate([row[None], other]), row, other

    for got, right in zip(written(x, w), expected(x, w), strict=True):
        np.testing.assert_allclose(got.detach().numpy(), right.detach().numpy())
        mine, theirs = (
            pb.grad((y * y).sum(), [x, w], create_graph=True, materialize_grads=True) for y in (got, right)
        )
        for one, two in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(one.detach().numpy(), two.detach().numpy(), atol=1e-12)
        if mine[0].requires_grad:
            again = [
                pb.grad(g[0].sum(), x, retain_graph=True, materialize_grads=True) for g in (mine, theirs)
            ]
            np.testing.assert_allclose(*(found.numpy() for (found,) in again), atol=1e-12)


def test_what_is_refused_is_refused():
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    for write in (lambda: operator.iadd(w, 1.0), lambda: operator.iadd(w[:1], w[1:])):
        with pytest.raises(pb.errors.MutationError):
            write()
    array = np.ones(2)
    array.flags.writeable = False
    with pytest.raises(pb.errors.MutationError, match="read-only"):
        operator.imul(pb.from_numpy(array), 2.0)
    assert w._version == 0


def test_a_tape_sees_the_step(capsys):
    x = pb.tensor([1.0, 2.0], requires_grad=True, name="x") * 1
    with pb.tape() as tape:
        x *= 3.0
    assert tape.lines == ["v1 = v0 * 3.0", "v0 = v1"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [7, 5000, 100_003])
@pytest.mark.parametrize("name", ["add_", "sub_"])
def test_a_scaled_write_of_any_size_is_what_two_operators_compute(name, size, dtype):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=size).astype(dtype), rng.normal(size=size).astype(dtype)
    tensor = pb.tensor(x)
    version = tensor._version
    assert getattr(tensor, name)(pb.tensor(y), alpha=0.3) is tensor
    scaled = dtype(0.3) * y
    np.testing.assert_array_equal(tensor.numpy(), x + scaled if name == "add_" else x - scaled)
    assert tensor._version == version + 1


@pytest.mark.parametrize("size", [7, 100_003])
@pytest.mark.parametrize("value", [2.5, "array"])
def test_a_write_to_a_large_array_is_what_numpy_computes(value, size):
    x, y = np.random.default_rng(0).normal(size=(2, size))
    number = y if value == "array" else value
    tensor = pb.tensor(x)
    tensor *= pb.tensor(y) if value == "array" else value
    np.testing.assert_array_equal(tensor.numpy(), x * number)


def test_a_scaled_write_of_itself_and_of_a_recorded_leaf_go_the_general_way():
    x = pb.tensor(np.arange(5.0))
    x.add_(x, alpha=2)
    np.testing.assert_array_equal(x.numpy(), 3 * np.arange(5.0))
    leaf = pb.tensor(np.ones(5), requires_grad=True)
    with pytest.raises(pb.errors.MutationError):
        leaf.sub_(x, alpha=0.5)
    with pb.no_grad():
        leaf.sub_(x, alpha=0.5)
    with pytest.raises(TypeError):
        x.add_(x, beta=2)


INDEXES = [
    1,
    -1,
    (0, 2),
    slice(1, None),
    (slice(None), 1),
    (Ellipsis, 0),
    None,
    Ellipsis,
    (1, slice(0, 0)),
    slice(None, None, -1),
]


@pytest.mark.parametrize("index", INDEXES, ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_parts_are_set_as_in_numpy(index, dtype):
    array = np.arange(6, dtype=dtype).reshape(2, 3)
    part = array[index].copy() + 7
    for value in (0.5, 3, -(2**53) - 1, True, np.float32(2.5), part, part.astype(np.float64)):
        x, expected = pb.tensor(array), array.copy()
        expected[index] = value
        x[index] = pb.tensor(value) if isinstance(value, np.ndarray) else value
        np.testing.assert_array_equal(x.numpy(), expected)
        assert (x.dtype, x._version) == (dtype, 1)


@pytest.mark.parametrize("index", INDEXES, ids=repr)
def test_what_is_set_has_a_gradient_as_on_the_reference_engine(index):
    found = []
    for name in ("native", "reference"):
        with pb.use_engine(name):
            w = pb.tensor(np.arange(1.0, 7.0).reshape(2, 3), requires_grad=True)
            v = pb.tensor(np.asarray(w.detach().numpy()[index] + 1), requires_grad=True)
            row = (w * w)[1]
            y = w * w
            y[index] = v * v
            view = y[0]
            view[1:] = 4
            z = pb.tensor(np.zeros((2, 3)))
            z[1] = row
            gradients = pb.grad((y * y * y).sum() + (z * z).sum(), [w, v], create_graph=True)
            again = pb.grad(sum(g.sum() for g in gradients), [w, v], materialize_grads=True)
            found.append([t.detach().numpy() for t in (y, view, z, *gradients, *again)])
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-13)


def test_what_can_not_be_set_says_so():
    x = pb.tensor(np.zeros((2, 3), np.float32))
    with pytest.warns(RuntimeWarning, match="overflow"):
        x[0] = 1e300
    with pytest.raises(OverflowError):
        x[0] = 10**400
    with pytest.raises(ValueError, match="broadcast"):
        x[0] = pb.tensor([1.0, 2.0])
    with pytest.raises(IndexError):
        x[2] = 1.0
    leaf = pb.tensor([1.0, 2.0], requires_grad=True)
    for target in (leaf, leaf[:1]):
        with pytest.raises(pb.errors.MutationError, match="leaf"):
            target[0] = 1.0
    with pb.no_grad():
        leaf[0] = 3.0
    np.testing.assert_array_equal(leaf.detach().numpy(), [3.0, 2.0])
