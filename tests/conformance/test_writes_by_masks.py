"""Writes where a mask is true, which the native engine makes without Python: values and gradients."""

import numpy as np
import pytest

import pullback as pb

X = np.arange(24.0).reshape(2, 3, 4)
MASKS = {
    "all axes": X % 5 < 2,
    "the first": np.array([False, True]),
    "the first two": np.array([[True, False, True], [False, False, True]]),
    "none": np.zeros((2, 3, 4), np.bool_),
    "every one": np.ones((2, 3), np.bool_),
    "strided": (np.arange(48).reshape(2, 3, 8) % 5 < 2)[..., ::2],
}
VALUES = {
    "a number": lambda w, shape: 2.5,
    "a single tensor": lambda w, shape: w.sum(),
    "a tensor for each": lambda w, shape: w.sum() * pb.tensor(np.ones(shape)),
    "an array": lambda w, shape: np.full(shape, 3.0),
}


@pytest.mark.parametrize("as_tensor", [False, True])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", MASKS)
def test_values_and_gradients(engine, name, value, as_tensor):
    mask = MASKS[name]
    x, w = (pb.tensor(v, requires_grad=True) for v in (X, [1.0, 2.0]))
    y = np.sin(x)
    written = VALUES[value](w, X[mask].shape)
    expected = np.sin(X)
    expected[mask] = written.detach().numpy() if isinstance(written, pb.Tensor) else written
    y[pb.tensor(mask) if as_tensor else mask] = written
    np.testing.assert_allclose(y.detach().numpy(), expected, rtol=1e-14)
    by_x, by_w = pb.grad((y * y).sum(), [x, w], create_graph=True, materialize_grads=True)
    other = np.zeros(X.shape, np.bool_)
    other[mask] = True
    np.testing.assert_allclose(by_x.detach().numpy(), np.where(other, 0.0, np.sin(2 * X)), atol=1e-12)
    through = 2 * 3.0 * np.count_nonzero(other) if "tensor" in value else 0.0
    np.testing.assert_allclose(by_w.detach().numpy(), [through] * 2)
    (second,) = pb.grad(by_x.sum(), x)
    np.testing.assert_allclose(second.numpy(), np.where(other, 0.0, 2 * np.cos(2 * X)), atol=1e-12)


def test_the_mask_may_change_afterwards(engine):
    x, mask = pb.tensor(X, requires_grad=True), MASKS["the first"].copy()
    y = x * 2.0
    y[mask] = 0.0
    mask[:] = True
    assert pb.grad(y.sum(), x)[0].numpy().sum() == 24.0


@pytest.mark.parametrize("shape", [(3,), (2, 2), (2, 3, 4, 1)])
def test_a_mask_of_other_lengths_is_refused(engine, shape):
    y = pb.tensor(X, requires_grad=True) * 2.0
    with pytest.raises(IndexError, match=r"boolean index|too many indices"):
        y[np.ones(shape, np.bool_)] = 0.0
    np.testing.assert_array_equal(y.detach().numpy(), X * 2)
