"""Operators with numbers, NumPy's scalars, lists and arrays on either side; indexing."""

import operator

import numpy as np
import pytest

import pullback as pb

OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
]
COMPARISONS = [operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
VALUES = np.array([[1, 2, 3], [4, 5, 6]])
OTHERS = {
    "bool": True,
    "int": 2,
    "float": 2.5,
    "float64": np.float64(2.5),
    "float32": np.float32(2.5),
    "int64": np.int64(2),
    "uint8": np.uint8(2),
    "list": [1, 2, 3],
    "nested list": [[1.5], [2.5]],
    "float array": np.array([1.0, 2.0, 3.0]),
    "float32 array": np.array([1.0, 2.0, 3.0], np.float32),
    "int8 array": np.array([1, 2, 3], np.int8),
    "0-d array": np.array(2.5),
    "bool array": np.array([True, False, True]),
}
DTYPES = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool"]


def same(function, x, other, reflected):
    """The result, or the error, is that of NumPy's array."""
    array = x.numpy()
    given, plain = ((other, x), (other, array)) if reflected else ((x, other), (array, other))
    with np.errstate(all="ignore"):
        try:
            expected = function(*plain)
        except (TypeError, OverflowError, ValueError) as error:
            with pytest.raises(type(error)):
                function(*given)
            return
        found = function(*given)
    assert isinstance(found, pb.Tensor)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-15 if found.dtype == np.float64 else 1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("other", OTHERS)
def test_results_have_numpys_dtype(engine, dtype, other):
    x = pb.from_numpy(VALUES.astype(dtype))
    for function in (*OPERATORS, *COMPARISONS, *BITS):
        for reflected in (False, True):
            if not (reflected and dtype == "bool" and function is operator.sub):
                same(function, x, OTHERS[other], reflected)


def test_numbers_that_do_not_fit_are_refused_as_by_numpy(engine):
    x = pb.tensor(np.array([1], np.int8))
    with pytest.raises(OverflowError):
        x + 300
    with pytest.raises(TypeError):
        x + "a"


@pytest.mark.parametrize("other", ["list", "float32 array", "float64", "int"])
def test_gradients_come_back_in_the_dtype_of_the_operand(engine, other):
    x = pb.tensor(np.array([1.0, 2.0, 3.0], np.float32), requires_grad=True)
    for function in (operator.add, operator.mul, operator.truediv, operator.pow):
        for result in (function(x, OTHERS[other]), function(OTHERS[other], x)):
            (gradient,) = pb.grad(result.sum(), x)
            assert gradient.dtype == np.float32


INDEXES = {
    "integer": 1,
    "negative integer": (-1, -2),
    "slices": (slice(None), slice(1, None)),
    "negative steps": (slice(None, None, -1), slice(2, 0, -1)),
    "ellipsis": (..., 0),
    "newaxis": (None, slice(None), None, 1),
    "integers": [1, 0, 1],
    "integer arrays": (np.array([[0], [1]]), np.array([2, 0])),
    "a mask": VALUES > 2,
    "a mask of rows": np.array([False, True]),
    "a mask and a slice": (np.array([True, False]), slice(None, None, 2)),
    "an array and an integer": (np.array([1, 0]), 2),
    "an array between slices": (slice(None), np.array([2, 2, 0])),
    "no rows": [],
    "nothing": (),
    "a NumPy integer": np.int64(1),
}


@pytest.mark.parametrize("name", INDEXES)
def test_indexing_selects_as_numpy_does_and_is_recorded(engine, name):
    array = VALUES / 2.0
    index = np.array([], int) if name == "no rows" else INDEXES[name]
    x = pb.tensor(array, requires_grad=True)
    np.testing.assert_array_equal(x[index].detach().numpy(), array[index])
    assert x[index].shape == np.shape(array[index])
    assert pb.gradcheck(lambda a: a[index] ** 2, array, order=2)


def test_tensors_index_too(engine):
    x = pb.tensor(VALUES / 2.0, requires_grad=True)
    rows, mask = pb.tensor([1, 0]), pb.tensor(VALUES > 2)
    np.testing.assert_array_equal(x[rows].detach().numpy(), x.detach().numpy()[[1, 0]])
    assert x[mask].shape == (4,)
    assert x[x > 1.0].requires_grad
    assert VALUES[rows].shape == (2, 3)


def test_a_tensor_is_a_container_and_a_number(engine):
    x = pb.tensor([1, 2, 3])
    assert 2 in x
    assert 5 not in x
    assert [int(v) for v in x] == [1, 2, 3]
    assert list(range(5))[pb.tensor(3)] == 3
    assert complex(pb.tensor(2.0)) == 2
    assert hex(pb.tensor(255)) == "0xff"
    assert divmod(pb.tensor(7), 2)[1].item() == 1
    assert bool(pb.tensor(True) & pb.tensor(True))
    with pytest.raises(TypeError):
        pb.tensor(1.5).__index__()
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises((TypeError, ValueError)):
        int(x)
    with pytest.raises(TypeError, match="0-d"):
        iter(pb.tensor(1.0))


def test_what_has_no_entries_may_be_written_whatever_its_strides(engine):
    nothing = np.lib.stride_tricks.as_strided(np.zeros(1), shape=(3, 0), strides=(0, 8))
    x = pb.from_numpy(nothing)
    x += 1
    assert x.shape == (3, 0)


def test_numbers_are_formatted(engine):
    x = pb.tensor(2.0, requires_grad=True)
    assert f"{x:.2f}" == "2.00"
    assert f"{x}" == "tensor(2., requires_grad=True)"
    with pytest.raises(TypeError):
        format(pb.tensor([1.0]), ".2f")
