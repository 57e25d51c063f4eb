"""Everything is freed by reference counts alone; long chains are built, differentiated and freed."""

import gc
import os
import subprocess
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

import pullback as pb


@pytest.fixture
def no_collector():
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


def views_and_writes(x):
    y = x * 2.0
    z = y[1:]
    z *= x[1:]
    y[0] = x[1]
    return np.exp(y) * y


def with_hooks(x):
    y = np.exp(x)
    values = y.detach()
    y.register_hook(lambda grad: grad * values)
    y.grad_fn.register_prehook(lambda grads: None)
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    pb.register_multi_grad_hook([x, y], lambda grads: None)
    return y * y


def packed(x):
    with pb.saved_tensors_hooks(lambda t: t.tolist(), np.array):
        return np.exp(x) * np.sin(x)


def checkpointed(x):
    return pb.checkpoint(lambda x: pb.checkpoint(np.exp, x * 2.0) * x, x)


def with_anomaly(x):
    with pb.detect_anomaly():
        return np.exp(x) * x


def dual(x):
    with pb.forward_ad.dual_level():
        y = np.exp(pb.forward_ad.make_dual(x, np.ones(x.shape))) * x
        return y + pb.forward_ad.unpack_dual(y).tangent


PROGRAMS = [views_and_writes, with_hooks, packed, checkpointed, with_anomaly, dual]


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_is_left(engine, no_collector, program, order):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = program(x)
    seen = [weakref.ref(x), weakref.ref(y), weakref.ref(y.grad_fn)]
    for _ in range(order):
        (y,) = pb.grad(y.sum(), x, create_graph=True)
        seen += [weakref.ref(y), weakref.ref(y.grad_fn)]
    y.sum().backward()
    seen.append(weakref.ref(x.grad))
    del x, y
    assert [ref() for ref in seen] == [None] * len(seen)


def failing_hook(gradient):
    raise KeyError("on purpose")


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_is_left_after_an_error(engine, no_collector, program):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = program(x * 1.0) * 2.0
    handle = x.register_hook(failing_hook)
    seen = [weakref.ref(x), weakref.ref(y), weakref.ref(y.grad_fn)]
    try:
        y.sum().backward()
    except KeyError as error:
        error.__traceback__ = None
    else:
        raise AssertionError("the hook ran")
    handle.remove()
    del x, y
    assert [ref() for ref in seen] == [None] * len(seen)


def holding(tensor):
    return lambda grads: tensor


def test_a_tensor_in_its_own_hook_needs_the_collector_only(engine):
    x = pb.tensor([1.0], requires_grad=True)
    y = x * 2.0
    y.register_hook(holding(y))
    y.grad_fn.register_prehook(holding(y))
    x.register_post_accumulate_grad_hook(holding(x))
    seen = [weakref.ref(x), weakref.ref(y.grad_fn)]
    del x, y
    gc.collect()
    assert [ref() for ref in seen] == [None, None]


def test_gradients_are_let_go_as_soon_as_they_are_used(engine):
    """A long chain holds a few gradients at a time, not all of them."""
    if engine == "native":
        pytest.skip("its memory is its own allocator's; the training loop below sees it")
    x = pb.tensor(np.ones(100_000), requires_grad=True)
    y = x
    for _ in range(30):
        y = y * 1.5
    y = y.sum()
    tracemalloc.start()
    (dx,) = pb.grad(y, x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * dx.numpy().nbytes


TRAINING = """
import gc, os
import numpy as np
import pullback as pb

pb.use_engine({engine!r})
gc.disable()

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

w = pb.tensor(np.full((4, 4), 0.1), requires_grad=True)
w.register_post_accumulate_grad_hook(lambda tensor: None)
data = pb.tensor(np.linspace(-1, 1, 32).reshape(8, 4))
before = None
for step in range({steps}):
    hidden = np.tanh(data @ w)
    if step % 10 == 0:
        hidden = pb.checkpoint(lambda h: np.sin(h) * h, hidden)
    hidden = hidden * 1.0
    hidden[:, 0] = 0.5
    loss = (hidden * hidden).mean()
    if step % 7 == 0:
        (slope,) = pb.grad(loss, w, create_graph=True)
        loss = loss + (slope * slope).sum()
    loss.backward()
    with pb.no_grad():
        w[...] = w.detach() - 0.01 * w.grad
    w.grad = None
    if step == {steps} // 10:
        gc.collect()
        before = resident()
grown = resident() - before
del hidden, loss, slope
assert gc.collect() == 0, "something in the loop needs the cycle collector"
assert grown < 4 << 20, f"{{grown}} bytes in {{0.9 * {steps}:.0f}} steps"
"""


@pytest.mark.parametrize("steps", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_training_loop_keeps_its_size(engine, steps):
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the size of the process is read from /proc")
    done = subprocess.run(
        [sys.executable, "-c", TRAINING.format(engine=engine, steps=steps)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
