"""Several Python threads: forward, and backward on graphs that share parts."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pullback as pb

N = 8


def together(function, count=N):
    """Run function(index) in so many threads that start at once; what they return, in order."""
    start = threading.Barrier(count)

    def run(index):
        start.wait()
        return function(index)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@pb.formula
def product(a, b):
    t = a + b
    r = t * np.exp(b)

    def product_pullback(grad):
        return grad * np.exp(b), grad * t * np.exp(b) + grad * np.exp(b)

    return r, product_pullback


def chain(x, y):
    for _ in range(20):
        y = np.sin(product(y, x * 0.1)) + x
    return y.sum()


@pytest.fixture(params=[3, 20_000], ids=["small", "large"])
def x(request, engine):
    with pb.use_engine(engine):
        yield pb.tensor(np.linspace(-1, 1, request.param), requires_grad=True)


def test_forward_and_backward_in_several_threads(engine, x):
    expected = pb.grad(chain(x, x), x)[0].numpy()

    def run(_):
        with pb.use_engine(engine):
            leaf = pb.tensor(x, requires_grad=True)
            return pb.grad(chain(leaf, leaf), leaf)[0].numpy()

    for found in together(run):
        np.testing.assert_array_equal(found, expected)


def test_backwards_at_once_through_one_graph(engine, x):
    y = chain(x, x)
    expected = pb.grad(y, x, retain_graph=True)[0].numpy()
    for found in together(lambda _: pb.grad(y, x, retain_graph=True)[0].numpy()):
        np.testing.assert_array_equal(found, expected)


def test_backwards_at_once_through_a_shared_part(engine, x):
    shared = chain(x, x) * np.exp(x)
    tops = [(shared * (i + 1.0)).sum() for i in range(N)]
    expected = [pb.grad(top, x, retain_graph=True)[0].numpy() for top in tops]
    found = together(lambda i: pb.grad(tops[i], x, retain_graph=True)[0].numpy())
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_recorded_backwards_at_once(engine, x):
    y = chain(x, x)

    def second(_):
        (slope,) = pb.grad(y, x, create_graph=True)
        return pb.grad((slope * slope).sum(), x, retain_graph=True)[0].numpy()

    expected = second(0)
    for found in together(second, 4):
        np.testing.assert_array_equal(found, expected)


def test_all_accumulate_into_one_leaf(engine, x):
    """Sums of whole numbers are the same in any order: none may be lost."""

    def run(i):
        for _ in range(5):
            (x * float(i + 1)).sum().backward()

    together(run)
    np.testing.assert_array_equal(x.grad.numpy(), np.full(x.shape, 5.0 * N * (N + 1) / 2))


def test_a_leaf_that_several_threads_meet_first(engine):
    for _ in range(20):
        leaf = pb.tensor([1.0, 2.0], requires_grad=True)
        parts = together(lambda i, leaf=leaf: leaf * float(i + 1))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        assert pb.grad(total.sum(), leaf)[0].tolist() == [36.0, 36.0]


def test_only_one_of_several_backwards_frees(engine, x):
    for _ in range(10):
        y = np.exp(np.sin(x) * x).sum()

        def run(_, y=y):
            try:
                return pb.grad(y, x)[0].numpy()
            except pb.errors.GraphFreedError:
                return None

        expected = pb.grad(np.exp(np.sin(x) * x).sum(), x)[0].numpy()
        found = [array for array in together(run, 4) if array is not None]
        assert found
        for array in found:
            np.testing.assert_array_equal(array, expected)


def test_checkpoints_at_once(engine, x):
    y = pb.checkpoint(chain, x, x)
    expected = pb.grad(y, x, retain_graph=True)[0].numpy()
    for found in together(lambda _: pb.grad(y, x, retain_graph=True)[0].numpy(), 4):
        np.testing.assert_array_equal(found, expected)


def test_modes_are_those_of_the_caller(engine):
    seen = []
    x = pb.tensor(1.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda grad: seen.append(pb.is_grad_enabled()))
    together(lambda i: pb.grad(y, x, retain_graph=True, create_graph=i % 2 == 0), 2)
    assert sorted(seen) == [False, True]


BRANCHES = """
import hashlib
import numpy as np
import pullback as pb

pb.use_engine({engine!r})
rng = np.random.default_rng(0)
leaf = pb.tensor(np.linspace(0, 1, 150_000), requires_grad=True)

def branch(middle, depth):
    y = middle * pb.tensor(rng.standard_normal(150_000))
    for _ in range(depth):
        y = np.sin(y * leaf) + y
    return (y * y).sum()

for _ in range(3):
    middle = np.tanh(leaf * 0.5)
    total = sum(branch(middle, depth) for depth in (1, 4, 2, 3, 1))
    seen = []
    middle.register_hook(lambda grad: seen.append(grad.shape))
    found = pb.grad(total, [leaf, middle], retain_graph=True)
    print(hashlib.sha256(b"".join(g.numpy().tobytes() for g in found)).hexdigest(), len(seen))
    (leaf * 1.0).sum().backward()
    total.backward()
    print(hashlib.sha256(leaf.grad.numpy().tobytes()).hexdigest())
    leaf.grad = None
"""


def test_branches_are_summed_in_one_order_on_any_number_of_threads(engine):
    outputs = set()
    for threads in ("1", "4"):
        done = subprocess.run(
            [sys.executable, "-c", BRANCHES.format(engine=engine)],
            env={**os.environ, "PULLBACK_NUM_THREADS": threads},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 6


def test_an_error_on_one_of_several_branches_comes_out(engine):
    def fail(gradient):
        raise KeyError("on this branch")

    leaf = pb.tensor(np.linspace(0, 1, 150_000), requires_grad=True)
    for place in range(4):
        branches = [np.sin(np.exp(leaf * float(k))) for k in range(4)]
        branches[place].register_hook(fail)
        total = sum((branch * branch).sum() for branch in branches)
        with pytest.raises(KeyError, match="on this branch"):
            total.backward()
    assert pb.grad((leaf * leaf).sum(), leaf)[0].shape == leaf.shape


FIRST_AT_ONCE = """
import sys, threading
import numpy as np, pullback as pb
with pb.use_engine(sys.argv[1]):
    x = pb.tensor(np.ones(50), requires_grad=True)
    z = np.sin(x) * x
    sums = [(z * k).sum() for k in range(8)]
threads = [threading.Thread(target=y.backward, args=(None, True)) for y in sums]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
np.testing.assert_allclose(x.grad.numpy(), 28 * (np.cos(1) + np.sin(1)))
"""


def test_the_first_backwards_of_a_process_may_be_at_once(engine):
    subprocess.run([sys.executable, "-c", FIRST_AT_ONCE, engine], check=True, timeout=120)


FIRST_CALLS_AT_ONCE = """
import sys, threading
import numpy as np, pullback as pb
sys.setswitchinterval(1e-5)

def run():
    with pb.use_engine(sys.argv[1]):
        a = pb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        (first,) = pb.grad(np.sum(np.sin(a) * np.cos(a) + np.tanh(a) / np.exp(a)), a, create_graph=True)
        (second,) = pb.grad(np.sum(np.sin(first)), a)
        found.append((first.detach().numpy().tobytes(), second.numpy().tobytes()))

found = []
threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 4 and len(set(found)) == 1
"""


def test_the_first_calls_of_a_process_may_be_at_once(engine):
    subprocess.run([sys.executable, "-c", FIRST_CALLS_AT_ONCE, engine], check=True, timeout=120)


@pytest.mark.parametrize("columns", [5, 33, 188, 1000])
def test_what_another_thread_observes_changes_no_bit(engine, columns):
    whole = pb.tensor(np.random.default_rng(0).normal(size=(7, columns)), requires_grad=True)
    rows = (whole * 1.0)[1:, 2:]

    def sums():
        values = [f(x) for x in (whole, rows, rows * rows) for f in (np.sum, np.mean, np.var)]
        values += [np.sum(whole, 0), np.mean(rows, axis=-1), whole.sum(1), whole.mean(), rows.sum()]
        return [value.detach().numpy().tobytes() for value in values]

    expected = sums()
    with pb.forward_ad.dual_level():  # both engines tell of each call then, in all threads
        assert together(lambda _: sums(), 1) == [expected]
        assert sums() == expected
