"""NumPy's whole signatures on tensors: positions, `dtype=`, `where=`, `initial=`, `order=`."""

import numpy as np
import pytest

import pullback as pb

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
    ],
)
def test_what_they_refuse(engine, call, error, text):
    with pytest.raises(error, match=text):
        call(pb.tensor(X, requires_grad=True))
