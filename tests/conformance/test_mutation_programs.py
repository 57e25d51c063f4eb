"""Random programs of views and in-place writes: values, first and second derivatives, against two oracles.

A program is a list of steps on a growing list of tensors. It runs on tensors of
either engine, and on PyTorch's. Differences of its values are the first oracle,
PyTorch's gradients the second. Where a saved value was changed, both refuse.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pullback as pb

START = np.array([[0.3, -0.8, 1.1, 0.6], [1.4, 0.2, -0.5, 0.9], [-0.7, 0.4, 0.1, -1.2]])
MASK = np.array([[True, False, True, False], [False, False, True, True], [True, False, False, True]])


def ranges(x, k, axis=0):
    """A slice of an axis that is at least one long."""
    return slice(k % x.shape[axis], None, 1 + k % 2) if len(x.shape) else ...


# Views: what they look at is shared.
LOOKS = [
    lambda x, k: x[ranges(x, k)],
    lambda x, k: x[..., ranges(x, k, -1)] if len(x.shape) else x,
    lambda x, k: x.T if len(x.shape) == 2 else x,
    lambda x, k: x.reshape(-1),
    lambda x, k: x.reshape(*x.shape[:-1], -1, 1) if len(x.shape) else x,
    lambda x, k: x[None],
    lambda x, k: x[k % x.shape[0], ...] if len(x.shape) > 1 else x,
    lambda x, k: x.diagonal(k % 2) if len(x.shape) == 2 and min(x.shape) > 1 else x,
    lambda x, k: x.swapaxes(0, -1) if len(x.shape) else x,
]
# New tensors of the latest one and another.
MAKES = [
    lambda x, y, f: f.tanh(x) * y.mean(),
    lambda x, y, f: x + y.sum() * 0.1,
    lambda x, y, f: x * x * 0.5,
    lambda x, y, f: f.sin(x),
    lambda x, y, f: f.exp(x * 0.3),
]


def write_items(x, y, k):
    x[ranges(x, k)] = y.mean()


def write_mask(x, y, k):
    if tuple(x.shape) == MASK.shape:
        x[MASK] = y.sum() * 0.2


def write_listed(x, y, k):
    if len(x.shape):
        x[[k % x.shape[0], 0]] = x[-1:] * y.mean()


def write_part(x, y, k):
    x[ranges(x, k)] *= y.mean()


def add(x, y, k):
    x += y.mean()


def scale(x, y, k):
    x *= y.sum() * 0.3


def square(x, y, k):
    x *= x.mean()


def subtract_itself(x, y, k):
    x -= x * 0.5


def method(x, y, k):
    x.tanh_().mul_(1.5).add_(y.mean(), alpha=0.5)


def copy(x, y, k):
    x.copy_(y.mean() * 2)


def clear(x, y, k):
    x[ranges(x, k)] = 0.25


WRITES = [
    write_items, write_mask, write_listed, write_part,
    add, scale, square, subtract_itself, method, copy, clear,
]  # fmt: skip

STEP = st.tuples(
    st.sampled_from(["look", "look", "make", "write", "write"]),
    *[st.integers(0, 99)] * 4,
)
PROGRAM = st.lists(STEP, min_size=2, max_size=9)


def run(steps, start, f):
    """The program's value: all that it made, weighed."""
    values = [start * 1.0]
    for kind, which, first, second, k in steps:
        x, y = values[-1 - first % len(values)], values[second % len(values)]
        if kind == "look":
            values.append(LOOKS[which % len(LOOKS)](x, k))
        elif kind == "make":
            values.append(MAKES[which % len(MAKES)](x, y, f))
        else:
            WRITES[which % len(WRITES)](x, y, k)
    total = start.sum() * 0.01
    for weight, value in enumerate(values, start=1):
        total = total + (value * value).mean() * (0.1 * weight) + value.sum() * 0.05
    return total


def differentiated(steps, start, f, grad):
    """Value, gradient, and the gradient of the gradient's square; None where a saved value was changed."""
    total = run(steps, start, f)
    try:
        (first,) = grad(total, start, create_graph=True)
        square = (first * first).sum()
        second = grad(square, start)[0] if square.requires_grad else start * 0
    except pb.errors.SavedVariableError:
        return None
    except RuntimeError as error:  # PyTorch's
        if "modified by an inplace" not in str(error):
            raise
        return None
    return [np.asarray(value.detach()) for value in (total, first, second)]


def of_pullback(steps, start, engine):
    with pb.use_engine(engine):
        return differentiated(steps, pb.tensor(start, requires_grad=True), np, pb.grad)


def of_torch(steps, start):
    import torch

    tensor = torch.tensor(start, requires_grad=True)
    return differentiated(steps, tensor, torch, torch.autograd.grad)


def difference(function, start, direction, step=1e-5):
    return (function(start + step * direction) - function(start - step * direction)) / (2 * step)


ENGINES = ["reference", pytest.param("native", marks=pytest.mark.native)]


@pytest.mark.parametrize("engine", ENGINES)
@given(steps=PROGRAM)
@settings(max_examples=60, deadline=None)
def test_against_differences(engine, steps):
    with pb.use_engine(engine):
        found = of_pullback(steps, START, engine)
        if found is None:
            return
        direction = np.cos(np.arange(START.size)).reshape(START.shape)

        def value(x):
            return run(steps, pb.from_numpy(x), np).item()

        def slope(x):
            return float((of_pullback(steps, x, engine)[1] ** 2).sum())

        total, first, second = found
        assert value(START) == pytest.approx(total)
        scale = 1 + np.abs(first).max() + np.abs(second).max()
        assert (first * direction).sum() == pytest.approx(
            difference(value, START, direction), rel=1e-4, abs=1e-5 * scale
        )
        assert (second * direction).sum() == pytest.approx(
            difference(slope, START, direction), rel=1e-4, abs=1e-5 * scale
        )


@pytest.mark.torch
@pytest.mark.parametrize("engine", ENGINES)
@given(steps=PROGRAM)
@settings(max_examples=100, deadline=None)
def test_against_torch(engine, steps):
    ours, theirs = of_pullback(steps, START, engine), of_torch(steps, START)
    if ours is None or theirs is None:
        return
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-9 * (1 + np.abs(other).max()))


@pytest.mark.native
@given(steps=PROGRAM)
@settings(max_examples=60, deadline=None)
def test_engines_agree(steps):
    reference, native = (of_pullback(steps, START, engine) for engine in ("reference", "native"))
    assert (reference is None) == (native is None)
    for one, other in zip(reference or (), native or (), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * (1 + np.abs(other).max()))
