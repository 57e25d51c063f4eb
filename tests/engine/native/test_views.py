"""The fast path of views gives what the general path gives."""

import itertools

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

pytestmark = pytest.mark.native

A = np.arange(24.0).reshape(2, 3, 4)
PARTS = [0, -1, slice(None), slice(1, None), slice(None, None, -1), slice(5, 1), slice(-9, 2, 2), None, ...]
INDEXES = [*PARTS, *itertools.product(PARTS, repeat=2), *itertools.product(PARTS[1:4] + PARTS[-2:], repeat=3)]
VALID = [index for index in INDEXES if not (isinstance(index, tuple) and index.count(...) > 1)]


def general(function, x):
    """The same by the general path: a tape watches every call."""
    import io

    with pb.tape(io.StringIO()):
        return function(x)


def same(function, array):
    w = pb.tensor(array, requires_grad=True)
    for x in (w, (w * 2).T, (w * 2)[::-1]):
        short, long = function(x), general(function, x)
        assert short.shape == long.shape
        assert short.dtype == long.dtype
        assert (short._base is None) == (long._base is None)
        assert short._made == long._made
        assert short.grad_fn.name == long.grad_fn.name
        if short._base is not None and short.size:
            assert np.shares_memory(short.detach().numpy(), long.detach().numpy())
        np.testing.assert_array_equal(short.detach().numpy(), long.detach().numpy())
        seed = np.cos(np.arange(short.size)).reshape(short.shape)
        pairs = (pb.grad(y, w, seed, retain_graph=True)[0].numpy() for y in (short, long))
        np.testing.assert_array_equal(*pairs)


def test_indexes():
    for index in VALID:
        same(lambda x, index=index: x[index], A)


def test_other_orders():
    for function in (
        lambda x: x.T,
        lambda x: x.transpose(),
        lambda x: x.transpose(1, 2, 0),
        lambda x: x.transpose((-1, 0, 1)),
        lambda x: x.transpose([2, 1, 0]),
        lambda x: x.swapaxes(0, -1),
        lambda x: x.swapaxes(axis1=1, axis2=2),
        lambda x: x.reshape(-1),
        lambda x: x.reshape(4, -1, 2),
        lambda x: x.reshape((24,)),
        lambda x: x.reshape([1, 24, 1]),
        lambda x: x.reshape(6, 4, order="C"),
        lambda x: pnp.transpose(x),
        lambda x: pnp.transpose(x, (1, 2, 0)),
        lambda x: pnp.transpose(x, axes=[-1, 0, 1]),
        lambda x: pnp.swapaxes(x, 0, -1),
        lambda x: pnp.reshape(x, -1),
        lambda x: pnp.reshape(x, (4, -1, 2)),
        lambda x: pnp.reshape(x, shape=[6, 4]),
        lambda x: pnp.reshape(x[:, :1], (x.shape[0], -1)),
        lambda x: pnp.reshape(x[:, None, :1], -1),
        lambda x: pnp.reshape(x[..., :0], (0, 3)),
        lambda x: pnp.broadcast_to(x, (5, *x.shape)),
        lambda x: pnp.broadcast_to(x[:, :1], x.shape),
        lambda x: pnp.broadcast_to(x, (1, *x.shape)),
        lambda x: pnp.broadcast_to(x[:1, :0], (2, 0, x.shape[2])),
        lambda x: pnp.broadcast_to(x[0, 0, 0, ...], 3),
    ):
        same(function, A)


def test_an_order_given_as_a_list_is_kept_as_it_was():
    order = [1, 0]
    x = pb.tensor(A[0], requires_grad=True)
    y = pnp.transpose(x, order)
    order.reverse()
    np.testing.assert_array_equal(pb.grad(y, x, A[0].T)[0], A[0])


def test_nobody_writes_into_an_entry_that_stands_in_several_places():
    x = pb.tensor(A[0])
    repeated, once = pnp.broadcast_to(x, (2, 3, 4)), pnp.broadcast_to(x, (1, 3, 4))
    with pytest.raises(pb.errors.MutationError, match="read-only"):
        repeated[0] = 1.0
    once[0] = 1.0
    assert x.tolist() == np.ones((3, 4)).tolist()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x[2],
        lambda x: x[0, 0, 0, 0],
        lambda x: x[..., ...],
        lambda x: x["a"],
        lambda x: x[1.0],
        lambda x: x[::0],
        lambda x: x.reshape(5),
        lambda x: x.reshape(-1, -1),
        lambda x: x.reshape(7, -1),
        lambda x: x.transpose(0, 1),
        lambda x: x.transpose(0, 0, 1),
        lambda x: x.swapaxes(0, 3),
        lambda x: x.swapaxes(0),
        lambda x: pnp.transpose(x, 0, 1, 2),
        lambda x: pnp.transpose(x, (0, 1)),
        lambda x: pnp.swapaxes(x, 0),
        lambda x: pnp.swapaxes(x, 0, 3),
        lambda x: pnp.swapaxes(x, (0,), 1),
        lambda x: pnp.reshape(x, 5),
        lambda x: pnp.reshape(x, 4, 6),
        lambda x: pnp.broadcast_to(x, (2, 3)),
        lambda x: pnp.broadcast_to(x, (2, 3, 5)),
        lambda x: pnp.broadcast_to(x, (-1, 2, 3, 4)),
    ],
)
def test_what_numpy_refuses(wrong):
    with pytest.raises((IndexError, ValueError, TypeError)):
        wrong(pb.tensor(A))


def test_functions_are_methods_without_python(monkeypatch):
    from pullback.engine.calls import call

    def refuse(*args, **kwargs):
        raise AssertionError("the general path")

    monkeypatch.setattr(call, "function_of", refuse)
    x = pb.tensor(A, requires_grad=True)
    pnp.transpose(x, (1, 2, 0)), pnp.swapaxes(x, 0, 1), pnp.reshape(x, (4, 6))
    with pytest.raises(AssertionError, match="the general path"):
        pnp.reshape(x, (4, 6), "F")


def test_small_and_odd_tensors():
    assert pb.tensor(3.0)[...].shape == ()
    assert pb.tensor(3.0)[None].tolist() == [3.0]
    assert pb.tensor(3.0).reshape(1, 1).tolist() == [[3.0]]
    assert pb.tensor(3.0).reshape(()).shape == ()
    assert pb.tensor(np.zeros((0, 3)))[:, 1:].shape == (0, 2)
    assert pb.tensor(np.zeros((0, 3))).reshape(3, 0).shape == (3, 0)
    assert pb.tensor(np.zeros((0, 3))).T.shape == (3, 0)
    assert pb.tensor([1, 2, 3])[1:].dtype == np.int64
    many = pb.tensor(np.zeros((1,) * 9 + (2,)))
    assert many[0, ..., 1:].shape == (1,) * 8 + (1,)
    assert many.T.shape == (2,) + (1,) * 9
    swapped = pb.from_numpy(np.arange(3.0).astype(">f8"))
    assert swapped[1:].tolist() == [1.0, 2.0]


def test_read_only_memory_stays_read_only():
    array = np.ones((2, 2))
    array.flags.writeable = False
    for part in (
        pb.from_numpy(array)[0],
        pb.from_numpy(array).T,
        np.broadcast_to(pb.tensor([1.0, 2.0]), (2, 2))[0],
    ):
        with pytest.raises(pb.errors.MutationError):
            part += 1


def test_a_single_entry_is_a_copy_with_a_gradient():
    for array, index in (
        (np.arange(4.0), 1),
        (np.arange(4.0, dtype=np.float32), np.int64(-1)),
        (np.array([3.0]), 0),
        (A, (1, 2, -1)),
        (A[0], (0, 1)),
    ):
        same(lambda x, index=index: x[index], array)
    x = pb.tensor([1.0, 2.0, 3.0])
    entry = x[1]
    x[1] = 7.0
    assert entry.item() == 2.0
    assert x[1].item() == 7.0
    w = pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (first,) = pb.grad(w[1] ** 3 * w[0], w, create_graph=True)
    np.testing.assert_array_equal(first.detach().numpy(), [8.0, 12.0, 0.0])
    (second,) = pb.grad(first[1], w)
    np.testing.assert_array_equal(second.numpy(), [12.0, 12.0, 0.0])
    with pb.no_grad():
        assert not w[1].requires_grad
    for values in ([1, 2, 3], [True, False, True], [1j, 2.0, 3.0]):
        array = np.array(values)
        one = pb.tensor(array)[1]
        assert (one.dtype, one.shape, one.item()) == (array.dtype, (), array[1])
    with pytest.raises(IndexError):
        x[3]


def test_a_single_entry_takes_the_fast_path(monkeypatch):
    def refuse(*_):
        raise AssertionError("the general path")

    from pullback.engine.tensor.methods import TensorMethods

    monkeypatch.setattr(TensorMethods, "__getitem__", refuse)
    x = pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (gradient,) = pb.grad(x[1] * 2.0, x)
    np.testing.assert_array_equal(gradient.numpy(), [0.0, 2.0, 0.0])
