"""Threads of kernels: every range is done once, and results do not depend on how many threads there are."""

import ast
import ctypes
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

pytestmark = pytest.mark.native

_BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

APART = """
import ctypes, os
import numpy as np
from pullback.engine.native._native import parallel_for_address

processor = ctypes.CDLL(None).sched_getcpu
body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, body, ctypes.c_void_p)
before = set(os.listdir("/proc/self/task"))
caller = None
while caller != processor():  # until the system leaves this thread where it is
    caller = processor()
    kind(parallel_for_address())(None, 64, 1, body(lambda *_: None), None)
print(caller)
for task in set(os.listdir("/proc/self/task")) - before:
    print(sorted(os.sched_getaffinity(int(task))))
"""

PROGRAM = """
import hashlib
import numpy as np
import pullback as pb

def normalized(x):
    c = x - np.mean(x, axis=-1, keepdims=True)
    return c / np.sqrt(np.mean(c * c, axis=-1, keepdims=True) + 1e-3), np.sum(x * x, axis=0), np.sum(x)

with pb.use_engine("native"):
    x = pb.tensor(np.random.default_rng(0).standard_normal((3000, 200)), requires_grad=True)
    results = pb.compile(normalized, order=1)(x)
    gradient = pb.grad(sum((r * r).sum() for r in results), [x])
    for array in (*results, *gradient):
        print(hashlib.sha256(array.detach().numpy().tobytes()).hexdigest())
"""


@pytest.fixture
def parallel_for():
    native = pytest.importorskip("pullback.engine.native._native")
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, _BODY, ctypes.c_void_p)
    return kind(native.parallel_for_address())


@pytest.mark.parametrize(("count", "grain"), [(1, 1), (16, 1), (1000, 7), (5, 100)])
def test_ranges_cover_the_count_once(parallel_for, count, grain):
    seen = []
    body = _BODY(lambda _, begin, end: seen.extend(range(begin, end)))
    for _ in range(4):  # every other job goes through memory backwards
        parallel_for(None, count, grain, body, None)
        assert sorted(seen) == list(range(count))
        seen.clear()


def test_calls_from_within_and_from_several_threads_do_their_own_work(parallel_for):
    done = []

    def nested(_, begin, end):
        parallel_for(None, 4, 1, _BODY(lambda _, b, e: done.append((e - b) * (end - begin))), None)

    body = _BODY(nested)
    threads = [threading.Thread(target=parallel_for, args=(None, 8, 1, body, None)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sum(done) == 3 * 8 * 4


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two processors"
)
def test_the_threads_keep_away_from_the_processor_of_the_caller():
    everything = os.sched_getaffinity(0)
    run = subprocess.run([sys.executable, "-c", APART], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    caller, *others = map(ast.literal_eval, run.stdout.splitlines())
    assert others
    for other in others:
        assert set(other) == everything - {caller}


@pytest.mark.compiler
def test_the_number_of_threads_changes_no_bit(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    said = []
    for threads in ("1", "3"):
        run = subprocess.run(
            [sys.executable, str(program)],
            env=os.environ | {"PULLBACK_NUM_THREADS": threads},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said[0] == said[1]
    assert len(said[0].split()) == 4


def test_memory_that_waits_is_given_back(parallel_for):
    import pullback as pb
    from pullback.engine.native._native import empty_cache

    with pb.use_engine("native"):
        x = pb.tensor(np.ones(1 << 20))
        for _ in range(3):
            y = x + x
        assert float(y.detach().numpy()[-1]) == 2.0
        empty_cache()
        assert float((x + x).detach().numpy()[0]) == 2.0
