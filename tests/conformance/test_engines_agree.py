"""Random programs, differentiated three times: both engines give the same values to rounding."""

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp
from pullback.engine.core import dispatch

UNARY = [
    np.sin,
    np.tanh,
    np.exp,
    np.square,
    np.arctan,
    np.negative,
    pb.sigmoid,
    pb.softplus,
    pb.gelu,
    lambda x: np.log1p(x * x),
    lambda x: np.sqrt(1 + x * x),
    lambda x: np.cumsum(x, axis=0),
    lambda x: pnp.softmax(x, axis=-1),
    lambda x: x - np.mean(x, axis=0, keepdims=True),
    lambda x: np.where(x > 0, x, 0.5 * x),
    lambda x: np.concatenate([x[1:], x[:1]]),
    lambda x: np.flip(x, axis=0).T.T,
]
BINARY = [
    np.add,
    np.multiply,
    np.subtract,
    np.maximum,
    np.arctan2,
    lambda a, b: a / (2 + b * b),
    lambda a, b: a @ (b.T @ a) * 0.1,
    lambda a, b: a * b[:1],
    lambda a, b: a * b.sum(axis=1, keepdims=True),
]


def program(seed):
    rng = np.random.default_rng(seed)
    steps = rng.integers(0, 1000, (8, 4)).tolist()

    def run(*inputs):
        values = list(inputs)
        for arity, which, first, second in steps:
            a, b = values[-1 - first % min(3, len(values))], values[second % len(values)]
            values.append(UNARY[which % len(UNARY)](a) if arity % 2 else BINARY[which % len(BINARY)](a, b))
        return np.tanh(values[-1]).sum()

    return run


def derivatives(seed, engine):
    """The value and the gradients of three orders, each of the one before."""
    rng = np.random.default_rng(seed)
    with pb.use_engine(engine):
        leaves = [pb.tensor(rng.standard_normal((3, 4)), requires_grad=True) for _ in range(2)]
        total = program(seed)(*leaves)
        found = [total.detach().numpy()]
        for _ in range(3):
            if not total.requires_grad:
                break
            gradients = pb.grad(total, leaves, create_graph=True, materialize_grads=True)
            found += [gradient.detach().numpy() for gradient in gradients]
            total = (gradients[0] * 0.3).sum() + (gradients[1] * gradients[1]).sum()
        return found


@pytest.mark.native
@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed):
    if "native" not in dispatch.available():
        pytest.skip("the native engine is not built here")
    pairs = zip(derivatives(seed, "reference"), derivatives(seed, "native"), strict=True)
    for reference, native in pairs:
        # Kernels round exp and the like differently than NumPy; what cancels then is not exactly zero.
        scale = max(1.0, np.max(np.abs(reference)))
        np.testing.assert_allclose(native, reference, rtol=1e-9, atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_against_differences(engine, seed):
    rng = np.random.default_rng(seed)
    inputs = [rng.uniform(0.2, 1.0, (2, 3)) for _ in range(2)]
    assert pb.gradcheck(program(seed), *inputs, order=2, rtol=1e-4, atol=1e-5)
