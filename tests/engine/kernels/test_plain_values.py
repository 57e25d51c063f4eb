"""Shapes and numbers that a backward reads come from the forward's kernel, which has them anyway."""

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core.operator import Operator

pytestmark = pytest.mark.compiler

RNG = np.random.default_rng(0)


def attention(x, w):
    rows, length, width = x.shape
    qkv = np.reshape(x @ w, (rows, length, 3, width // 3))
    q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
    scores = q @ np.transpose(k, (0, 2, 1)) / (width // 3) ** 0.5
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return (weights / np.sum(weights, axis=-1, keepdims=True)) @ v


def by_sizes(x, w):
    hidden = np.tanh(x @ w)
    scale = hidden.shape[-1] / np.size(hidden)
    wide = hidden.ndim > 2
    return np.reshape(hidden * scale, (-1,)) if wide else hidden * scale


def by_columns(x, w):
    total = np.zeros_like(x[0] @ w)
    for row in range(x.shape[0]):
        total = total + np.sin(x[row] @ w) / (row + 1)
    return np.mean(total * total, axis=0)


PROGRAMS = {
    "attention": (attention, (RNG.standard_normal((2, 5, 6)), RNG.standard_normal((6, 6)))),
    "sizes": (by_sizes, (RNG.standard_normal((2, 5, 6)), RNG.standard_normal((6, 4)))),
    "a loop": (by_columns, (RNG.standard_normal((3, 5, 6)), RNG.standard_normal((6, 4)))),
}


@pytest.mark.parametrize(("function", "inputs"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_a_kernel_tells_is_what_python_works_out(function, inputs):
    compiled = pb.compile(function, order=1)
    compiled(*map(pb.tensor, inputs))
    (operator,) = compiled._operators.values()
    by_python = Operator.forward(operator, inputs, {})
    by_kernel = operator.forward(inputs, {})
    assert operator.kernel.kernel.plain_results
    for one in operator.kernel.kernel.plain_results:
        assert by_kernel[one.position] == by_python[one.position]
        assert type(by_kernel[one.position]) is type(by_python[one.position])


def test_a_kernel_of_several_passes_tells_them_where_its_arrays_are_of_one_shape(engine):
    @pb.derive_pullback
    def with_an_input(xs: list[pb.Tensor], w):
        y = np.exp(xs[0]) * w
        return xs[0], y * xs[1]

    x, y, w = (pb.tensor(value, requires_grad=True) for value in RNG.uniform(0.5, 1.0, (3, 4)))
    rows = []
    for function in (with_an_input, pb.compile(with_an_input, order=2)):
        values = function([x, y], w)
        for _ in range(3):
            values = pb.grad(sum((v * v).sum() for v in values), (x, y, w), create_graph=True)
        rows.append([v.detach().numpy() for v in values])
    np.testing.assert_allclose(*rows, rtol=1e-12)


def test_lengths_that_depend_on_a_mask_are_worked_out_after_the_kernel(engine):
    def picked(x, w):
        chosen = x[x > 0] @ w
        return np.reshape(chosen * chosen.size, (-1,))

    x, w = np.array([0.5, -1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
    tensor = pb.tensor(x, requires_grad=True)
    got = pb.compile(picked, order=1)(tensor, w)
    np.testing.assert_allclose(got.detach().numpy(), 2 * x[x > 0] @ w)
    got.backward(np.array([1.0, 10.0]))
    np.testing.assert_allclose(tensor.grad.numpy(), [2 * 21.0, 0.0, 2 * 43.0])


@pytest.mark.native
def test_a_recorded_forward_computes_nothing_twice(monkeypatch):
    x, w = (pb.tensor(value, requires_grad=True) for value in PROGRAMS["attention"][1])
    compiled = pb.compile(attention, order=1)
    calls = []
    reshape = np.reshape
    monkeypatch.setattr(np, "reshape", lambda *args: calls.append(args) or reshape(*args))
    with pb.use_engine("native"):
        result = compiled(x, w)
        gradients = pb.grad(result, (x, w), np.ones(result.shape))
    assert not calls
    monkeypatch.undo()
    with pb.use_engine("reference"):
        again = [pb.tensor(value, requires_grad=True) for value in PROGRAMS["attention"][1]]
        expected = pb.grad(pb.derive_pullback(attention)(*again), again, np.ones(result.shape))
    for one, other in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy())
