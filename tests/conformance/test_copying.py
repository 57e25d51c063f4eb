"""Copies and pickles of leaves, and how tensors print."""

import copy
import pickle

import numpy as np
import pytest

import pullback as pb


def leaf(dtype=np.float64):
    x = pb.tensor(np.arange(6, dtype=dtype).reshape(2, 3), requires_grad=True, name="weights")
    (x * x).sum().backward()
    return x


def assert_equal(one, other):
    assert type(one) is type(other)
    assert (one.dtype, one.name, one.requires_grad, one.is_leaf) == (
        other.dtype,
        other.name,
        other.requires_grad,
        other.is_leaf,
    )
    np.testing.assert_array_equal(one.detach().numpy(), other.detach().numpy())
    np.testing.assert_array_equal(one.grad.numpy(), other.grad.numpy())


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_pickled_leaf_comes_back(engine, protocol, dtype):
    x = leaf(dtype)
    found = pickle.loads(pickle.dumps(x, protocol))
    assert_equal(found, x)
    (found * 3).sum().backward()
    assert x.grad.tolist() == (2 * x).detach().tolist()


def test_what_needs_no_gradient_is_pickled_whatever_computed_it(engine):
    x = leaf()
    with pb.no_grad():
        y = x * 2
    assert pickle.loads(pickle.dumps(y)).tolist() == y.tolist()
    whole = pb.tensor([1, 2])
    assert pickle.loads(pickle.dumps({"steps": whole}))["steps"].dtype == whole.dtype


def test_a_deep_copy_has_memory_of_its_own(engine):
    x = leaf()
    model = copy.deepcopy({"first": x, "again": x})
    assert model["first"] is model["again"]
    assert_equal(model["first"], x)
    with pb.no_grad():
        x += 1
        x.grad[0] = 100.0
    assert model["first"].detach().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert model["first"].grad.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


def test_a_copy_shares_memory(engine):
    x = leaf()
    y = copy.copy(x)
    assert y is not x
    assert_equal(y, x)
    with pb.no_grad():
        x += 1
    assert y.detach().tolist() == x.detach().tolist()
    y.backward(np.ones((2, 3)))
    assert x.grad.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


def test_a_write_through_a_copy_is_noticed(engine):
    x = leaf()
    y = x * x
    with pb.no_grad():
        other = copy.copy(x)
        other += 1
    with pytest.raises(pb.errors.SavedVariableError):
        y.sum().backward()


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_history_is_refused(engine, take):
    with pytest.raises(pb.errors.NotDifferentiableError, match=r"history \(grad_fn=<multiply>\).*detach"):
        take(leaf() * 2)


def test_what_prints(engine):
    x = pb.tensor(np.array([1.5, 2.0], np.float32), requires_grad=True, name="x")
    assert repr(x) == "tensor([1.5, 2. ], dtype=float32, name='x', requires_grad=True)"
    assert repr(np.tanh(x * 0)).endswith("dtype=float32, grad_fn=<tanh>)")
    assert repr(pb.tensor([True, False])) == "tensor([ True, False], dtype=bool)"
    assert repr(pb.tensor(np.arange(3))) == "tensor([0, 1, 2], dtype=int64)"
