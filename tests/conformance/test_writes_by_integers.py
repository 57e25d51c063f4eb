"""`x[index] = v` where an array of integers lists entries or rows: recorded, with NumPy's values."""

import numpy as np
import pytest

import pullback as pb

INDICES = [[2, 0], [-1, 1], [1], [3, 3, 1], [], [0, 1, 2, 3]]


@pytest.mark.parametrize("shape", [(4,), (4, 3), (4, 2, 2)], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_values_and_gradients(engine, shape, dtype, index):
    index = np.array(index, np.int64)
    array = np.linspace(-1.0, 1.0, int(np.prod(shape)), dtype=dtype).reshape(shape)
    weights = np.arange(1.0, 1.0 + array.size, dtype=dtype).reshape(shape)
    value = np.cos(np.arange(index.size * weights[0].size, dtype=dtype)).reshape(index.size, *shape[1:])
    expected = array.copy()
    expected[index] = value
    kept = np.ones(shape, dtype)
    kept[index] = 0
    rows = [int(row) % shape[0] for row in index]
    last = [row not in rows[k + 1 :] for k, row in enumerate(rows)]
    share = np.array([w * one for w, one in zip(weights[index], last, strict=True)], dtype).reshape(
        value.shape
    )
    for given in (index, pb.tensor(index), index.tolist() or index):
        x, v = (pb.tensor(values, requires_grad=True) for values in (array, value))
        y = x * 1.0
        y[given] = v
        assert y.tolist() == expected.tolist()
        dx, dv = pb.grad((y * y * weights).sum() / 2, [x, v])
        np.testing.assert_allclose(dx.numpy(), array * weights * kept, rtol=1e-6)
        np.testing.assert_allclose(dv.numpy(), value * share, rtol=1e-6)


@pytest.mark.parametrize("number", [2, 2.5, np.float64(3.0)], ids=repr)
def test_a_number_in_several_rows(engine, number):
    x = pb.tensor(np.ones((3, 2)), requires_grad=True)
    y = x * x
    y[np.array([2, 0])] = number
    assert y.tolist() == [[number] * 2, [1.0] * 2, [number] * 2]
    assert pb.grad(y.sum(), x)[0].tolist() == [[0.0] * 2, [2.0] * 2, [0.0] * 2]


def test_a_value_that_is_part_of_what_is_written(engine):
    x = pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1.0
    y[np.array([0, 1])] = y[1:]
    assert y.tolist() == [2.0, 3.0, 3.0]
    assert pb.grad((y * [1.0, 10.0, 100.0]).sum(), x)[0].tolist() == [0.0, 1.0, 110.0]


def test_the_index_may_be_written_afterwards(engine):
    x = pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1.0
    index = np.array([0])
    y[index] = 5.0
    index[0] = 2
    assert pb.grad(y.sum(), x)[0].tolist() == [0.0, 1.0, 1.0]


def test_views_see_the_write(engine):
    x = pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = pb.tensor([7.0], requires_grad=True)
    y = x * 1.0
    view = y[1:]
    y[np.array([1])] = v
    assert view.tolist() == [7.0, 3.0]
    dx, dv = pb.grad((view * view).sum(), [x, v])
    assert dx.tolist() == [0.0, 0.0, 6.0]
    assert dv.tolist() == [14.0]
    view[np.array([-1])] = v
    assert [g.tolist() for g in pb.grad((y * y).sum(), [x, v])] == [[2.0, 0.0, 0.0], [28.0]]


def test_without_history(engine):
    x = pb.tensor([1.0, 2.0, 3.0])
    x[np.array([0, 2])] = [5.0, 6.0]
    x[np.array([1])] = pb.tensor([9.0])
    assert x.tolist() == [5.0, 9.0, 6.0]
    assert x._version == 2
    assert not x.requires_grad


def test_what_was_saved_before_is_found_changed(engine):
    x = pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1.0
    z = np.sin(y)
    y[np.array([0])] = 1.0
    with pytest.raises(pb.errors.SavedVariableError):
        z.sum().backward()


@pytest.mark.parametrize(
    ("index", "value", "error"),
    [
        ([3], 1.0, IndexError),
        ([-4], 1.0, IndexError),
        ([0, 1], [1.0, 2.0, 3.0], ValueError),
        ([0], "text", ValueError),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_written(engine, index, value, error):
    x = pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for y in (x * 1.0, pb.tensor([1.0, 2.0, 3.0])):
        with pytest.raises(error):
            y[np.array(index)] = value
        assert y.tolist() == [1.0, 2.0, 3.0]
        assert y._version == 0
    with pytest.raises(pb.errors.MutationError, match="leaf"):
        x[np.array([0])] = 1.0
