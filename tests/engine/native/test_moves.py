"""Arrays joined, rolled, repeated and picked from in C++ are what their formulas' Python makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp
from pullback import primitives
from pullback.engine.native import _native

pytestmark = pytest.mark.native

A = np.arange(24.0).reshape(2, 3, 4) + 0.25
MOVES: dict[str, Callable[[Any], Any]] = {
    "concatenate": lambda x: pnp.concatenate([x, x * 2]),
    "concatenate along the last": lambda x: pnp.concatenate((x, x[..., :1], x[..., :0]), axis=-1),
    "with an array": lambda x: pnp.concatenate([x, np.ones_like(x.detach().numpy()), x], 1),
    "stack": lambda x: pnp.stack([x, x * 3], axis=1),
    "stack behind": lambda x: pnp.stack([x, x], -1),
    "stack of single ones": lambda x: pnp.stack([x[0, 0, 0, ...], x[1, 1, 0, ...]]),
    "vstack": lambda x: pnp.vstack([x[0, 0], x[0, 1]]),
    "vstack of matrices": lambda x: pnp.vstack([x[0], x[0, 1], x[1, ::-1]]),
    "hstack": lambda x: pnp.hstack([x[0, 0], x[0, 1, 1:], x[0, 0, 0, ...]]),
    "hstack of matrices": lambda x: pnp.hstack([x[0], x[0, :, :1]]),
    "roll": lambda x: pnp.roll(x, 5),
    "roll backwards": lambda x: pnp.roll(x, -29),
    "roll along one": lambda x: pnp.roll(x, 1, axis=-1),
    "roll along several": lambda x: pnp.roll(x, (1, -1), axis=(0, 2)),
    "roll by nothing": lambda x: pnp.roll(x, 0, axis=0),
    "roll along all": lambda x: pnp.roll(x, 1, axis=(0, 1, 2)),
    "repeat": lambda x: pnp.repeat(x, 3),
    "repeat along one": lambda x: pnp.repeat(x, 2, axis=1),
    "repeat never": lambda x: pnp.repeat(x, 0, axis=1),
    "tile": lambda x: pnp.tile(x, 2),
    "tile along all": lambda x: pnp.tile(x, (2, 1, 3)),
    "tile more axes": lambda x: pnp.tile(x, (2, 1, 1, 2)),
    "tile never": lambda x: pnp.tile(x, (0, 1)),
    "pad": lambda x: pnp.pad(x, 2),
    "pad some": lambda x: pnp.pad(x, ((0, 1), (2, 0), (0, 0))),
    "integers": lambda x: x[np.array([1, 0, -1, 1])],
    "integers in two axes": lambda x: x[np.array([[1, 0], [-2, 1]])],
    "no integers": lambda x: x[np.zeros(0, np.int64)],
    "integers in a tensor": lambda x: x[pb.tensor([1, 1])],
    "mask": lambda x: x[np.arange(24).reshape(x.shape) % 3 == 0],
    "mask of rows": lambda x: x[np.arange(x.shape[0]) > 0],
    "nothing of a mask": lambda x: x[np.zeros(x.shape, bool)],
    "diag": lambda x: pnp.diag(x[0, 0], 1),
    "diag below": lambda x: pnp.diag(x[0, 0], -2),
    "another precision": lambda x: x.astype(np.complex128 if x.dtype.kind == "c" else np.float32),
    "the same dtype": lambda x: x.astype(x.dtype),
    "sort": lambda x: pnp.sort(x),
    "sort of ties": lambda x: pnp.sort(pnp.where(x > 9, 3, x)),
    "sort along the first": lambda x: pnp.sort(x[::-1], axis=0),
    "sort of many": lambda x: pnp.sort(pnp.tile(pnp.sin(x), 60)),
}


@contextmanager
def without() -> Iterator[None]:
    _native.set_fast_path("moves", False)
    try:
        yield
    finally:
        _native.set_fast_path("moves", True)


LAYOUTS = {
    "C order": lambda x: x * 1,
    "transposed": lambda x: (x * 1).T,
    "backwards": lambda x: (x * 1)[::-1, :, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", MOVES)
def test_values_and_gradients_are_those_of_the_formula(name, layout):
    def run() -> tuple[Any, ...]:
        w = pb.tensor(A, requires_grad=True)
        x = LAYOUTS[layout](w)
        y = MOVES[name](x)
        (first,) = pb.grad(pnp.sum(y * y * y), w, create_graph=True)
        (second,) = pb.grad(pnp.sum(first * np.cos(A)), w)
        return y.grad_fn.name, y.detach().numpy(), first.detach().numpy(), second.numpy(), y._base is None

    fast = run()
    with without():
        slow = run()
    assert fast[0] == slow[0]
    assert fast[-1] == slow[-1]
    for mine, other in zip(fast[1:4], slow[1:4], strict=True):
        np.testing.assert_array_equal(mine, other)
        assert mine.dtype == other.dtype


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*MOVES, "sort of a vector", "a vector backwards"])
def test_a_plain_backward_gives_the_same_bits(name, dtype):
    moves = MOVES | {
        "sort of a vector": lambda x: pnp.sort(pnp.ravel(pnp.sin(x))),
        "a vector backwards": lambda x: pnp.roll(pnp.ravel(x), -7),
    }

    def run() -> Any:
        x = pb.tensor(A.astype(dtype), requires_grad=True)
        y = moves[name](x)
        seed = np.where(np.arange(y.size) % 3 == 0, -0.0, np.cos(np.arange(y.size))).reshape(y.shape)
        return pb.grad(y, x, seed.astype(y.dtype))[0].numpy()

    fast = run()
    with without():
        slow = run()
    assert fast.dtype == slow.dtype
    assert fast.tobytes() == slow.tobytes()


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float16", "float32", "complex64", "complex128"])
@pytest.mark.parametrize("name", MOVES)
def test_dtypes(name, dtype):
    x = pb.tensor((A % 7).astype(dtype))
    fast = MOVES[name](x)
    with without():
        slow = MOVES[name](x)
    assert fast.dtype == slow.dtype
    np.testing.assert_array_equal(fast.numpy(), slow.numpy())


def test_along_one_axis_twice():
    x = pb.tensor(A)
    np.testing.assert_array_equal(pnp.roll(x, (1, 1), axis=(1, 1)).numpy(), np.roll(A, (1, 1), (1, 1)))


def test_dtypes_that_differ_and_empty_arrays_go_the_general_path():
    x, y = pb.tensor(A, requires_grad=True), pb.tensor(A.astype(np.float32))
    assert pnp.concatenate([x, y]).dtype == np.float64
    empty = pb.tensor(np.zeros((0, 3)))
    for function in (
        lambda: pnp.roll(empty, 1, 0),
        lambda: pnp.tile(empty, 2),
        lambda: pnp.repeat(empty, 2, 1),
    ):
        with without():
            expected = function()
        assert function().shape == expected.shape


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: pnp.concatenate([x, x[0]]),
        lambda x: pnp.concatenate([x, x[:, :2]]),
        lambda x: pnp.concatenate([x, x], axis=3),
        lambda x: pnp.concatenate([]),
        lambda x: pnp.stack([x, x[:1]]),
        lambda x: pnp.hstack([x[0, 0], x[0]]),
        lambda x: pnp.roll(x, 1, axis=3),
        lambda x: pnp.roll(x, (1, 2, 3), axis=(0, 1)),
        lambda x: pnp.repeat(x, -1),
        lambda x: pnp.tile(x, (-1, 2)),
        lambda x: x[np.array([2])],
        lambda x: x[np.array([-3])],
        lambda x: x[np.ones(3, bool)],
        lambda x: x[np.ones(2)],
    ],
)
def test_what_numpy_refuses(wrong):
    with pytest.raises((ValueError, IndexError, TypeError)):
        wrong(pb.tensor(A, requires_grad=True))


def test_an_index_is_kept_as_it_was():
    x = pb.tensor(A[0], requires_grad=True)
    index, mask = np.array([1, 1]), np.array([True, False, True])
    first, second = x[index], x[mask]
    index[:], mask[:] = 0, False
    np.testing.assert_array_equal(pb.grad(first, x, np.ones((2, 4)))[0][:, 0], [0, 2, 0])
    np.testing.assert_array_equal(pb.grad(second, x, np.ones((2, 4)))[0][:, 0], [1, 0, 1])


def test_what_is_put_among_zeros_may_not_fit():
    with pytest.raises(ValueError, match="broadcast"):
        pb.formulas()["unslice"](pb.tensor([1.0, 2.0]), index=slice(0, 1), shape=(3,))
    spread = pb.formulas()["unslice"](pb.tensor([1.0]), index=slice(0, 2), shape=(3,))
    np.testing.assert_array_equal(spread, primitives.unslice(np.ones(1), index=slice(0, 2), shape=(3,)))
