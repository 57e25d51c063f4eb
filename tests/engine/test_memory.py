"""The allocator of the native engine, its limit, and its threads, as users see them."""

import os
import subprocess
import sys

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp


@pytest.fixture
def stats():
    pb.memory.empty_cache()
    pb.memory.reset_peak()
    yield pb.memory.stats
    pb.memory.set_limit(None)


@pytest.fixture
def tensor():
    with pb.use_engine("native"):
        yield pb.tensor(np.ones(100_000), requires_grad=True)


@pytest.mark.native
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_large_leaf_is_a_copy_in_the_memory_of_the_engine(stats, dtype):
    values = np.arange(1 << 20, dtype=dtype).reshape(1024, 1024)
    before = stats()
    with pb.use_engine("native"):
        leaf = pb.tensor(values, requires_grad=True)
        transposed = pb.tensor(values.T)
    assert stats().in_use - before.in_use == values.nbytes
    expected = values.copy()
    values[:] = 0
    np.testing.assert_array_equal(leaf.detach().numpy(), expected)
    np.testing.assert_array_equal(transposed.numpy(), expected.T)
    (gradient,) = pb.grad((leaf * leaf).sum(), leaf)
    np.testing.assert_array_equal(gradient.numpy(), 2 * expected)
    del leaf, gradient
    assert stats().in_use == before.in_use


@pytest.mark.native
def test_results_are_counted_and_wait_for_the_next(stats, tensor):
    before = stats()
    y = pnp.exp(tensor)
    assert stats().in_use - before.in_use >= 800_000
    assert stats().peak >= stats().in_use
    del y
    assert stats().in_use == before.in_use
    assert stats().cached - before.cached >= 800_000
    y = pnp.exp(tensor)
    assert stats().reused > before.reused
    assert stats().cached == before.cached
    np.testing.assert_allclose(y.detach().numpy(), np.e)


@pytest.mark.native
def test_waiting_memory_is_given_back(stats, tensor):
    pnp.exp(tensor)
    assert pb.memory.empty_cache() >= 800_000
    assert stats().cached == 0
    assert pb.memory.empty_cache() == 0


@pytest.mark.native
def test_beyond_the_limit_there_is_an_error_that_says_so(stats, tensor):
    pb.memory.set_limit(stats().in_use + 1_000_000)
    y = pnp.exp(tensor)
    with pytest.raises(MemoryError, match=r"the limit of \d+ \(pb.memory.set_limit\)"):
        pnp.exp(tensor)
    del y
    assert pnp.exp(tensor).size == 100_000
    pb.memory.set_limit(None)
    assert stats().limit is None


@pytest.mark.native
def test_a_loop_of_steps_takes_no_more_memory(stats, tensor):
    def step():
        (pnp.exp(tensor) * tensor + 1.0).sum().backward()
        tensor.grad = None

    step()
    peak = stats().peak
    for _ in range(20):
        step()
    assert stats().peak == peak


@pytest.mark.native
def test_sizes_that_change_leave_no_trail(stats):
    with pb.use_engine("native"):
        for size in range(1 << 20, 1 << 23, 1 << 20):
            x = pb.tensor(np.ones(size))
            pnp.exp(x)
            assert stats().in_use + stats().cached <= stats().peak + (64 << 20)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_positive(limit):
    with pytest.raises(ValueError, match="must be positive"):
        pb.memory.set_limit(limit)


def test_there_is_at_least_one_thread():
    with pytest.raises(ValueError, match="at least one"):
        pb.set_num_threads(0)
    assert pb.get_num_threads() >= 1


@pytest.mark.native
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_results(threads):
    before = pb.get_num_threads()
    with pb.use_engine("native"):
        x = pb.tensor(np.linspace(0.0, 1.0, 300_001), requires_grad=True)
        try:
            pb.set_num_threads(threads)
            assert pb.get_num_threads() == threads
            y = pnp.sin(x) * x
            (gradient,) = pb.grad(y, x, grad_outputs=np.ones(x.shape))
        finally:
            pb.set_num_threads(before)
    values = np.linspace(0.0, 1.0, 300_001)
    np.testing.assert_allclose(y.detach().numpy(), np.sin(values) * values)
    np.testing.assert_allclose(gradient.numpy(), np.sin(values) + np.cos(values) * values)


@pytest.mark.native
def test_the_environment_sets_the_number_of_threads():
    program = "import pullback as pb; print(pb.get_num_threads())"
    environment = {**os.environ, "PULLBACK_NUM_THREADS": "3"}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert found.stdout.strip() == "3"


@pytest.mark.native
def test_a_forked_process_has_threads_of_its_own():
    program = """
import os, numpy as np, pullback as pb, pullback.numpy as pnp
pb.set_num_threads(2)
x = pb.tensor(np.ones(300_000))
pnp.exp(x)
pid = os.fork()
if pid == 0:
    os._exit(0 if np.allclose(pnp.exp(x).numpy(), np.e) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert found.stdout.strip() == "0", found.stderr
