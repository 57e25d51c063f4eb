"""NumPy's whole signatures on tensors: positions, `dtype=`, `where=`, `initial=`, `order=`."""

import operator

import numpy
import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

X = np.array([[0.5, 1.5, -1.0], [2.0, -0.3, 0.7]])
MASK = np.array([[True, False, True], [True, True, False]])

CALLS = {
    "sum": lambda x: np.sum(x, 0, np.float32),
    "sum method": lambda x: x.sum(1, None, None, True),
    "sum where": lambda x: np.sum(x, where=MASK, initial=2.0),
    "sum of a boolean mask by row": lambda x: np.sum(x, axis=1, where=[True, False, True]),
    "prod where": lambda x: np.prod(x, 1, where=MASK, initial=2.0),
    "mean": lambda x: np.mean(x, 0, None, None, True),
    "mean where": lambda x: np.mean(x, axis=0, where=MASK),
    "var": lambda x: np.var(x, 1, np.float64, None, 1, True),
    "var where": lambda x: x.var(where=MASK, ddof=1),
    "var with a mean": lambda x: np.var(x, 1, mean=X.mean(1, keepdims=True)),
    "std": lambda x: np.std(x, axis=0, correction=1),
    "std where": lambda x: np.std(x, axis=1, where=MASK, keepdims=True),
    "max": lambda x: np.max(x, 1, None, True),
    "max with an initial value": lambda x: np.max(x, axis=1, initial=0.6),
    "min where": lambda x: x.min(axis=0, where=MASK, initial=1.0),
    "cumsum": lambda x: np.cumsum(x, 0, np.float32),
    "cumprod": lambda x: x.cumprod(1, np.float64),
    "add in float32": lambda x: np.add(x, 1, dtype=np.float32),
    "exp in the usual order": lambda x: np.exp(x, order="K", casting="same_kind"),
    "clip by keywords": lambda x: np.clip(x, min=-0.5, max=1.0),
    "clip by a name of NumPy's": lambda x: np.clip(a=x, a_min=-0.5, a_max=1.0),
    "clip in float32": lambda x: np.clip(x, -0.5, 1.0, dtype=np.float32),
    "reshape in column order": lambda x: np.reshape(x, (3, 2), order="F"),
    "reshape with a copy": lambda x: x.reshape((3, 2), copy=True),
    "flatten in column order": lambda x: x.flatten("F"),
    "concatenate in float32": lambda x: np.concatenate([x, X], 1, dtype=np.float32),
    "concatenate at a position": lambda x: np.concatenate([x, X], 1),
    "stack in float32": lambda x: np.stack([x, X], dtype=np.float32),
    "vstack in float32": lambda x: np.vstack([x, X], dtype=np.float32),
    "hstack": lambda x: np.hstack([x, X], dtype=np.float32),
    "astype": lambda x: x.astype(np.float64, copy=False),
    "trace": lambda x: np.trace(x, 0, 0, 1, np.float32),
    "outer": lambda x: np.outer(x, x, None),
    "add.reduce": lambda x: np.add.reduce(x, axis=1),
    "add.reduce over all": lambda x: np.add.reduce(x, axis=None, keepdims=True),
    "multiply.reduce": lambda x: np.multiply.reduce(x),
    "maximum.reduce": lambda x: np.maximum.reduce(x, axis=1),
    "add.accumulate": lambda x: np.add.accumulate(x),
    "multiply.accumulate": lambda x: np.multiply.accumulate(x, axis=1),
    "multiply.outer": lambda x: np.multiply.outer(x, x[0]),
    "subtract.outer": lambda x: np.subtract.outer(x, X[0]),
    "maximum.reduce in float32": lambda x: np.maximum.reduce(x, 1, np.float32, None, True),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_dtypes_are_numpys_and_gradients_flow(engine, name):
    call = CALLS[name]
    found, expected = call(pb.tensor(X, requires_grad=True)), np.asarray(call(X))
    assert found.requires_grad
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-6)
    if found.dtype == np.float64:
        assert pb.gradcheck(call, X, order=2)


def test_an_extremum_of_nothing_is_the_initial_value(engine):
    empty = pb.tensor(np.zeros((2, 0)))
    assert np.max(empty, axis=1, initial=-1.0).tolist() == [-1.0, -1.0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: np.reshape(x, (3, 2), order="A"), ValueError, "'A'"),
        (lambda x: np.reshape(x.T, (6,), copy=False), ValueError, "copy"),
        (lambda x: np.var(x, ddof=1, correction=1), ValueError, "simultaneously"),
        (lambda x: np.clip(x, 0.0, min=0.0), ValueError, "once"),
        (lambda x: np.exp(x, order="F"), TypeError, "order='K'"),
        (lambda x: x.astype(np.int64, casting="safe"), TypeError, "Cannot cast"),
        (lambda x: x.astype(x), TypeError, "dtype from a tensor"),
        (lambda x: pnp.astype(x, x), TypeError, "dtype from a tensor"),
        (lambda x: np.sum(x, dtype=x), TypeError, "dtype from a tensor"),
        (lambda x: pnp.zeros(3, dtype=x), TypeError, "dtype from a tensor"),
        (lambda x: np.sum(x, where=[[0, 1, 1]]), TypeError, "to dtype.'bool'"),
        (lambda x: np.nanmean(x, where=X), TypeError, "to dtype.'bool'"),
        (lambda x: np.hypot(x, x, dtype=np.int64), TypeError, "No loop"),
        (lambda x: np.less(x, x, dtype=np.float64), TypeError, "No loop"),
        (lambda x: np.add.accumulate(x[0, 0]), TypeError, "scalar"),
        (lambda x: np.maximum.accumulate(x[0, 0]), TypeError, "scalar"),
        (lambda x: np.median(x[0, 0], axis=0), ValueError, "no axis"),
        (lambda x: np.cross(x[0, 0], x), ValueError, "zero dimension"),
        (lambda x: np.vander(x), ValueError, "one-dimensional"),
        (lambda x: np.correlate(x[0, 0], x[0]), ValueError, "small depth"),
        (lambda x: np.interp(x * 1j, [0, 1], [0, 1]), TypeError, "real places"),
        (lambda x: np.linalg.pinv(x, 0.1, rtol=0.1), ValueError, "both"),
        (lambda x: np.unwrap(x, period=x[0, 0] + 4), pb.errors.NotDifferentiableError, "period"),
        (lambda x: operator.imatmul(x[:2, :2] * 1, x[0, :2]), ValueError, "at least two dimensions"),
    ],
)
def test_what_they_refuse(engine, call, error, text):
    with pytest.raises(error, match=text):
        call(pb.tensor(X, requires_grad=True))


OF_TENSORS = {
    "resize": lambda x, k: np.resize(x, k[:2]),
    "unwrap": lambda x, k: np.unwrap(x * 5, k[0] + 1, k[0] - 1, period=k[1] + 3),
    "bincount": lambda x, k: np.bincount(k, x[0], k[1] + 5),
    "unique": lambda x, k: np.unique(x, axis=k[0] - 1, equal_nan=k[0] > 0),
    "lstsq": lambda x, k: np.linalg.lstsq(x.T, x[0], k[0] / 10)[0],
    "tensordot": lambda x, k: np.tensordot(x, x, k[1]),
}


@pytest.mark.parametrize("name", OF_TENSORS)
@pytest.mark.parametrize("module", [np, pnp])
def test_counts_and_axes_may_be_tensors_of_whole_numbers(engine, name, module, monkeypatch):
    monkeypatch.setitem(globals(), "np", module)
    call, counts = OF_TENSORS[name], numpy.array([1, 2, 1])
    found = call(pb.tensor(X, requires_grad=True), pb.tensor(counts))
    assert found.requires_grad
    numpy.testing.assert_allclose(found.detach().numpy(), call(X, counts), atol=1e-15)


@pytest.mark.parametrize(
    "call", [lambda x: np.multiply.outer(x, 2), lambda x: np.polyval([1, 2], x), lambda x: np.polyval(x, 2)]
)
def test_whole_numbers_of_arrays_take_float32_to_float64(engine, call):
    found, expected = call(pb.tensor(X[0].astype(np.float32))), call(X[0].astype(np.float32))
    assert found.dtype == expected.dtype == np.float64
    np.testing.assert_array_equal(found.numpy(), expected)


def test_a_mask_of_places_is_where_it_holds(engine):
    mask = np.array([True, False, True])
    for given in (mask, pb.tensor(mask)):
        found = np.insert(pb.tensor(X), given, 9.0, axis=1)
        np.testing.assert_array_equal(found.numpy(), np.insert(X, mask, 9.0, axis=1))


def test_a_value_at_a_place_as_a_number(engine):
    x = pb.tensor(X)
    assert (x.item(4), x.item(1, 2), x.item((0, -1))) == (-0.3, 0.7, -1.0)
