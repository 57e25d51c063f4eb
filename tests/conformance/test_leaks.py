"""Everything is freed by reference counts alone; long chains are built, differentiated and freed."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import pullback as pb


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pb.formula
def product(a, b):
    t = a + b
    r = t * np.exp(b)

    def product_pullback(grad):
        return grad * np.exp(b), grad * t * np.exp(b) + grad * np.exp(b)

    return r, product_pullback


def build():
    a = pb.tensor([1.0, 2.0], requires_grad=True)
    b = pb.tensor([3.0, 4.0], requires_grad=True)
    return a, b, np.exp(product(a, b) * a)


def test_a_graph_goes_with_its_last_tensor(engine, no_collector):
    a, _, y = build()
    seen = [weakref.ref(a), weakref.ref(y), weakref.ref(y.grad_fn)]
    del a, _, y
    assert [ref() for ref in seen] == [None] * 3


def test_a_graph_goes_after_backward(engine, no_collector):
    a, b, y = build()
    y.sum().backward()
    seen = [weakref.ref(a), weakref.ref(y), weakref.ref(y.grad_fn)]
    del a, b, y
    assert [ref() for ref in seen] == [None] * 3


def test_a_recorded_backward_goes_too(engine, no_collector):
    a, b, y = build()
    da, _ = pb.grad(y.sum(), [a, b], create_graph=True)
    (second,) = pb.grad(da.sum(), a)
    seen = [weakref.ref(a), weakref.ref(y), weakref.ref(da), weakref.ref(da.grad_fn), weakref.ref(second)]
    del a, b, y, da, second, _
    assert [ref() for ref in seen] == [None] * 5


def test_saved_values_are_let_go_by_backward(engine, no_collector):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    t = np.exp(x)
    y = (t * t).sum()
    seen = weakref.ref(t)
    del t
    y.backward()
    assert seen() is None


def chain(x, length):
    one = pb.tensor(1.0)
    for _ in range(length):
        x = x + one
    return x


def test_a_long_chain_needs_no_recursion(engine, no_collector):
    x = pb.tensor(0.0, requires_grad=True)
    y = chain(x, 5_000)
    y.backward()
    assert x.grad.item() == 1.0
    seen = weakref.ref(y.grad_fn)
    del y
    assert seen() is None


MILLION = """
import gc, weakref
import pullback as pb

gc.disable()
pb.use_engine({engine!r})
x = pb.tensor(0.0, requires_grad=True)
one = pb.tensor(1.0)
y = x
for _ in range(1_000_000):
    y = y + one
(dx,) = pb.grad(y, x, retain_graph=True)
assert dx.item() == 1.0
node = weakref.ref(y.grad_fn)
del y
assert node() is None
"""


@pytest.mark.slow
def test_a_chain_of_a_million(engine):
    # In a process of its own: checking types at run time would make it ten times slower.
    done = subprocess.run(
        [sys.executable, "-c", MILLION.format(engine=engine)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_long_chain_that_saves_is_freed_without_a_backward(engine, no_collector):
    x = pb.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(5_000):
        y = y * y
    seen = weakref.ref(y.grad_fn)
    del y
    assert seen() is None
