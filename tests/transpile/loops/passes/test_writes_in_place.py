"""Arrays that loops write to are copied once, where nothing keeps what they were."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.loops.lower.schedule import program_of
from pullback.transpile.loops.statements import Do, For, every
from tests.sampling import sampled

pytestmark = pytest.mark.compiler


def table(cost, gap=1.0):
    n, m = cost.shape
    d = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d[i, j] = np.minimum(d[i - 1, j], d[i, j - 1]) + gap * np.exp(-cost[i - 1, j - 1])
    return d[n, m]


def two_arrays(a):
    c, d = np.zeros_like(a), np.zeros_like(a)
    c[0] = a[0]
    for i in range(1, len(a)):
        c[i] = a[i] / (2 + c[i - 1])
        d[i] = a[i] - d[i - 1] * c[i - 1]
    return c + d


def read_after(a):
    b = a.copy()
    total = np.zeros(())
    for i in range(1, len(a)):
        b[i] = b[i] * b[i - 1]
        total = total + np.sum(b)
    return total + b[0]


def overlapping(a):
    for _ in range(3):
        a = np.concatenate([a[:1], a[1:]])
        a[1:] = a[:-1]
    return a


def kept_before(a):
    b, old = a.copy(), a
    for i in range(len(a)):
        old = b
        b = b * 1.0
        b[i] = 7.0 + old[0]
    return b - old


def kept_each(a):
    b, rows = a.copy(), []
    for i in range(len(a)):
        rows.append(b[0] + b)
        b[0] = b[0] * 2.0 + i
    return np.stack(rows)


A = np.random.default_rng(0).uniform(0.5, 1.5, 6)
PROGRAMS = [two_arrays, read_after, overlapping, kept_before, kept_each]


def copies(function, given):
    """The copies of whole arrays in innermost loops of the primal's kernel."""
    compiled = pb.compile(function, order=1)
    compiled(given)
    (operator,) = compiled._primal._operators.values()
    loops = [each for each in every(program_of(operator.kernel.kernel).body) if isinstance(each, For)]
    inner = [loop for loop in loops if not any(isinstance(each, For) for each in every(loop.body))]
    return sum(isinstance(each, Do) and each.call.function == "copy" for loop in inner for each in loop.body)


@pytest.mark.parametrize("function", sampled(PROGRAMS, 2))
def test_writes_give_what_numpy_gives(function):
    compiled = pb.compile(function, order=1)
    given = A.copy()
    np.testing.assert_allclose(compiled(given), function(A.copy()), rtol=1e-13)
    np.testing.assert_array_equal(given, A)
    weights = np.cos(np.arange(np.size(function(A.copy())))).reshape(np.shape(function(A.copy())))
    x = pb.tensor(A, requires_grad=True)
    (got,) = pb.grad((compiled(x) * weights).sum(), x)
    near = []
    for step in 1e-6 * np.eye(len(A)):
        above, below = function(A + step), function(A - step)
        near.append(np.sum((above - below) * weights) / 2e-6)
    np.testing.assert_allclose(got.numpy(), near, rtol=1e-6, atol=1e-7)


def test_a_table_is_written_where_it_lies():
    cost = A.reshape(2, 3)
    np.testing.assert_allclose(pb.compile(table)(cost), table(cost), rtol=1e-13)
    assert [copies(table, cost), copies(two_arrays, A)] == [0, 0]
