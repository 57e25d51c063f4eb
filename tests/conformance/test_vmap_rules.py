"""Operators inside of `vmap`: as on each example, with their gradients; and which run all at once."""

import sys

import numpy as np
import pytest

import pullback as pb

A = np.random.default_rng(1).standard_normal((4, 3, 3))
W, B = A[0] + 1, A[1, 0]
EYE = 5 * np.eye(3)


@pb.formula
def entry_by_entry(a, b):
    t = a + b
    return t * b, lambda grad: (grad * b, grad * t + grad * b)


@pb.formula
def share(a):
    s = np.sum(a)
    return a / s, lambda grad: grad / s - np.sum(grad * a) / s**2


# With one call for all examples.
AT_ONCE = {
    "cov": np.cov,
    "sum": lambda a: np.sum(a, axis=0),
    "mean": np.mean,
    "max": lambda a: np.max(a, axis=-1),
    "var": lambda a: np.var(a, axis=(0, 1)),
    "std": lambda a: np.std(a, axis=1, keepdims=True),
    "prod": np.prod,
    "any": lambda a: np.any(a > 0, axis=0),
    "all": lambda a: np.all(a > -9),
    "reshape": lambda a: a.reshape(-1),
    "transpose": lambda a: a[None].transpose(2, 0, 1),
    "swapaxes": lambda a: np.swapaxes(a, 0, 1),
    "moveaxis": lambda a: np.moveaxis(a, 0, -1),
    "expand_dims": lambda a: np.expand_dims(a, (0, 2)),
    "squeeze": lambda a: np.squeeze(a[None]),
    "flip": lambda a: np.flip(a, 0) + np.flip(a),
    "broadcast_to": lambda a: np.broadcast_to(a[0], (2, 3)),
    "an integer": lambda a: a[0],
    "slices": lambda a: a[..., 1:, None],
    "a list": lambda a: a[[0, 1]],
    "an array beside slices": lambda a: a[np.array([0, 1]), :, None],
    "an integer beside a list": lambda a: a[0, [1, 0]],
    "a mask": lambda a: a[np.array([True, False, True])],
    "concatenate": lambda a: np.concatenate([a, a * 2], axis=-1),
    "stack with a constant": lambda a: np.stack([a, np.zeros((3, 3))], axis=1),
    "matrix by matrix": lambda a: a @ a + a @ W + W @ a,
    "matrix by vector": lambda a: a @ a[0] + a[0] @ a + W @ a[0] + B @ a,
    "vector by vector": lambda a: a[0] @ a[1] + np.dot(a[0], B),
    "outer": lambda a: np.outer(a[0], B),
    "einsum": lambda a: np.einsum("ij,jk->ik", a, W),
    "solve": lambda a: np.linalg.solve(a + EYE, B),
    "solve for a matrix": lambda a: np.linalg.solve(a + EYE, W),
    "inv": lambda a: np.linalg.inv(a + EYE),
    "det": np.linalg.det,
    "cholesky": lambda a: np.linalg.cholesky(a @ a.T + EYE),
    "cumsum": lambda a: np.cumsum(a, axis=0),
    "cumsum of all": np.cumsum,
    "cumprod": lambda a: np.cumprod(a, axis=1),
    "sort": lambda a: np.sort(a, axis=0),
    "argsort": np.argsort,
    "argmax": np.argmax,
    "where": lambda a: np.where(a > 0, a, B),
    "clip": lambda a: np.clip(a, -1, 1),
    "softmax": lambda a: pb.special.softmax(a, axis=1),
    "logsumexp": pb.special.logsumexp,
    "trace": np.trace,
    "triu": lambda a: np.triu(a, 1),
    "diagonal": lambda a: np.diagonal(a, offset=1),
    "ranks": lambda a: a[0] + a[:, None] * a[0],
    "a scalar": lambda a: a[0, 0] * a,
    "dtypes": lambda a: (a > 0).astype(float) * a,
    "floor": np.floor,
    "powers": lambda a: a**2 + 2**a + a % 2,
    "a length": lambda a: a * len(a),
    "rows": lambda a: sum(row * k for k, row in enumerate(a)),
    "a formula": lambda a: entry_by_entry(a, B),
    "a library's formula": pb.gelu,
}
# Where there is no rule, or values are read: one call for each.
ONE_BY_ONE = {
    "arrays apart": lambda a: a[None][[0], :, [1]],
    "tile": lambda a: np.tile(a, (2, 1)),
    "norm": np.linalg.norm,
    "qr": lambda a: np.linalg.qr(a)[1],
    "slogdet": lambda a: np.linalg.slogdet(a)[1],
    "interp": lambda a: np.interp(a[0], np.array([-3.0, 0.0, 3.0]), B),
    "median": lambda a: np.median(a, axis=0),
    "indices of an example": lambda a: np.take_along_axis(a, np.argsort(a, axis=1), axis=1),
    "an index of an example": lambda a: a[np.argmax(a[0])],
    "a formula of rows": share,
}


def _loop(function, batch):
    return np.stack([np.asarray(function(pb.tensor(each)).numpy()) for each in batch])


@pytest.mark.parametrize("name", [*AT_ONCE, *ONE_BY_ONE])
def test_a_batch_is_its_examples(engine, name, monkeypatch):
    function = (AT_ONCE | ONE_BY_ONE)[name]
    calls = sys.modules["pullback.engine.batched.apply"]
    looped = []
    single = calls.per_example
    monkeypatch.setattr(calls, "per_example", lambda *given: (looped.append(given), single(*given))[1])
    wanted = _loop(function, A)
    found = pb.func.vmap(function)(A)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    assert bool(looped) == (name in ONE_BY_ONE)
    if wanted.dtype.kind != "f":
        return
    weights = np.random.default_rng(2).standard_normal(wanted.shape)
    slope = pb.func.grad(lambda a, c: np.sum(function(a) * c))
    one_by_one = np.stack([slope(a, c) for a, c in zip(A, weights, strict=True)])
    np.testing.assert_allclose(pb.func.vmap(slope)(A, weights), one_by_one, rtol=1e-9, atol=1e-12)
    through = pb.func.grad(lambda a: np.sum(pb.func.vmap(function)(a) * weights))(A)
    np.testing.assert_allclose(through, one_by_one, rtol=1e-9, atol=1e-12)


def test_tensors_that_a_function_closes_over(engine):
    w = pb.tensor(W, requires_grad=True)
    x = pb.tensor(A[:, 0])
    y = pb.func.vmap(lambda x: w @ x + w[0])(x)
    (slope,) = pb.grad(y.sum(), w)
    expected = np.tile(A[:, 0].sum(0), (3, 1))
    expected[0] += len(A)
    np.testing.assert_allclose(slope.numpy(), expected)


def test_compiled_formulas(engine):
    compiled = pb.compile(entry_by_entry)
    np.testing.assert_allclose(pb.func.vmap(lambda a: compiled(a, B))(A), (A + B) * B)
