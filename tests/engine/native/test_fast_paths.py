"""Without a fast path the general path gives the same result, to the last bit."""

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp
from pullback.engine.core.dispatch import available

pytestmark = pytest.mark.native


def program(dtype):
    """All that has a fast path, values and gradients."""
    values = np.linspace(0.5, 2.0, 12).astype(dtype).reshape(3, 4)
    x = pb.tensor(values, requires_grad=True)
    b = pb.tensor(values[::-1].copy())
    y = x * b + 2.0
    y = y * y - x
    for _ in range(5):
        y = y * 0.5
    z = y.T[1:3].reshape(6).swapaxes(0, 0) * 3.0
    z[1:3] = 1.5
    z += 0.25
    written = pb.tensor(values)
    written[0, 1:3] = 4.0
    written[np.array([0, 2])] = 5.0
    written *= 0.5
    written.sub_(b, alpha=0.125)
    sample, weights = pb.tensor(values[:1]), pb.tensor(np.ones((4, 3), dtype), requires_grad=True)
    joined = pnp.concatenate([pnp.tile(y, (2, 1))[np.array([0, 2, 1])], pnp.roll(z, 1)[None, :4] * 2.0])
    loss = joined.sum() + z.sum() + (sample @ weights).sum() + (y * written).sum()
    gradients = pb.grad(loss, (x, weights))
    return [one.detach().numpy().copy() for one in (loss, written, *gradients)]


def paths():
    if "native" not in available():
        return []
    from pullback.engine.native import _native

    return _native.fast_paths()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("path", paths())
def test_the_general_path_gives_the_same(path, dtype):
    from pullback.engine.native import _native

    with pb.use_engine("native"):
        expected = program(dtype)
        _native.set_fast_path(path, False)
        try:
            found = program(dtype)
        finally:
            _native.set_fast_path(path, True)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
