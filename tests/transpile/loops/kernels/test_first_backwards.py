"""First backwards that kernels take over, on both engines: nothing of the closure is left to Python."""

import numpy as np
import pytest

import pullback as pb
from tests.constructs.catalog import Call
from tests.constructs.columns import first_order, no_python_backward
from tests.sampling import sampled

pytestmark = pytest.mark.compiler
X, Y, W = np.arange(6.0).reshape(3, 2) + np.eye(3, 2), np.array([1.0, -1.0, 1.0]), np.array([0.2, -0.4])


@pb.formula
def of_a_dtype(x):
    u = np.exp(x)

    def backward(grad):
        return grad * u + np.zeros(np.shape(grad), dtype=u.dtype)

    return u * 1.0, backward


def spectral_norm(x):
    return np.linalg.norm(x, 2) ** 2


def logistic_loss(w, x, y):
    loss = 0.0
    for i in range(len(y)):
        loss += np.log1p(np.exp(-y[i] * np.dot(w, x[i])))
    return loss / len(y)


def filtered(start, step):
    alpha, scale = np.zeros((4, 2)), np.zeros(4)
    alpha[0], scale[0] = start, np.sum(start)
    for t in range(1, 4):
        alpha[t] = step @ alpha[t - 1]
        scale[t] = np.sum(alpha[t])
        alpha[t] /= scale[t]
    return np.sum(np.log(scale))


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    ("function", "inputs"),
    sampled(
        [
            (of_a_dtype, (X,)),
            (spectral_norm, (X,)),
            (logistic_loss, (W, X, Y)),
            (filtered, (W + 1, X[:2] + 0.5)),
        ],
        2,
        spread=True,
    ),
)
def test_the_closure_does_not_run(function, inputs, engine):
    compiled = pb.compile(function)
    with pb.use_engine(engine), no_python_backward():
        first_order(compiled, Call(inputs, {}))
    assert pb.gradcheck(compiled, *inputs, order=2)
