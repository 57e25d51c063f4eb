"""Values without axes in loops: variables of C++, entries that are read and written one by one."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.loops.lower.schedule import program_of
from pullback.transpile.loops.statements import For, If, Space, every
from tests.sampling import sampled


def recurrence(a, b, first):
    y = np.zeros(len(a) + 1)
    y[0] = first
    for i in range(len(a)):
        y[i + 1] = np.tanh(a[i] * y[i]) + b[i]
    return y


def tridiagonal(a, b, c):
    n = len(c)
    ratio, x = np.zeros(n), np.zeros(n)
    ratio[0] = a[0] / b[0]
    for i in range(1, n):
        ratio[i] = a[i] / (b[i] - 0.1 * c[i] * ratio[i - 1])
    x[n - 1] = ratio[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = c[i] - ratio[i] * x[i + 1]
    return x


def distances(a, b, gap):
    d = np.zeros((len(a) + 1, len(b) + 1))
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            d[i, j] = cost + np.minimum(d[i - 1, j - 1], np.minimum(d[i - 1, j], d[i, j - 1]) + gap)
    return d[-1, -1]


def branches(a, b, limit):
    total, count = 0.0, 0
    for i in range(len(a)):
        if a[i] > limit:
            total = total + a[i] * b[i]
            count = count + 1
        else:
            total = total - np.sin(b[i])
    return total * np.sqrt(total * total + 1.0)


def swapped(a, b, start):
    before, now = start, start * 2.0
    for i in range(len(a)):
        before, now = now, before * a[i] + now * b[i]
    return before / now


def collected(a, b, start):
    s, states = start, []
    for i in range(len(a)):
        s = s * a[i] + b[i]
        states.append(s)
    return np.stack(states) * states[0]


def twice_written(a, b, start):
    y = a * 1.0
    for i in range(1, len(a)):
        y[i] = y[i - 1] * b[i]
        y[i] = y[i] + start * y[0]
        y[i - 1] = y[i] * y[i - 1]
    return y


def rows_and_entries(a, b, start):
    table = np.outer(a, b)
    for i in range(1, len(a)):
        norm = np.sqrt(np.sum(table[i - 1] ** 2))
        table[i] = table[i] / norm + start
        table[i, 0] += norm
    return table


def until(a, b, start):
    s = start
    for i in range(len(a)):
        s = s + a[i] * b[i]
        if s > 2.0:
            break
    return s * s


def grown(a, b, start):
    before = [start * k for k in range(4)]
    for i in range(len(a)):
        now = [start * (i + 1)]
        for j in range(3):
            now.append(np.maximum(before[j] + a[i], np.maximum(before[j + 1], now[j]) + start))
        before = now
    return before[-1]


def stacked(a, b, start):
    y = np.zeros((len(a), 2))
    y[0, 0] = start
    for i in range(1, len(a)):
        both = np.array([y[i - 1, 0] * a[i], y[i - 1, 1] + b[i]])
        y[i, 0] = np.sum(np.exp(-both))
        y[i, 1] = np.max(both)
    return y


RNG = np.random.default_rng(0)
ARGUMENTS = RNG.uniform(0.5, 1.5, 5), RNG.uniform(1.0, 2.0, 5), np.float64(0.3)
THREE_ARRAYS = *ARGUMENTS[:2], RNG.uniform(0.5, 1.5, 5)
CASES = {
    **{f.__name__: (f, ARGUMENTS) for f in (recurrence, distances, branches, swapped, collected)},
    **{f.__name__: (f, ARGUMENTS) for f in (twice_written, rows_and_entries, until)},
    **{f.__name__: (f, ARGUMENTS) for f in (grown, stacked)},
    "tridiagonal": (tridiagonal, THREE_ARRAYS),
}


@pytest.mark.parametrize("name", sampled(sorted(CASES), 5, str))
def test_values_and_two_derivatives(name):
    function, given = CASES[name]
    compiled = pb.compile(function)
    np.testing.assert_allclose(compiled(*given), function(*(np.copy(each)[()] for each in given)), rtol=1e-13)
    assert pb.gradcheck(compiled, *given, order=2)
    assert not compiled.limits()


def loops(kernel):
    """The innermost loops of a kernel."""
    found = [each for each in every(program_of(kernel).body) if isinstance(each, For)]
    return [loop for loop in found if not any(isinstance(each, For) for each in every(loop.body))]


@pytest.mark.parametrize("name", ["recurrence", "tridiagonal", "twice_written"])
def test_no_pass_over_memory_is_made_for_an_entry(name):
    function, given = CASES[name]
    compiled = pb.compile(function, order=1)
    compiled(*(pb.tensor(each) for each in given))
    (operator,) = compiled._operators.values()
    kernels = operator.compiled.kernels()
    assert [kernel.name for kernel in kernels] == [f"{name}_forward", f"{name}_backward"]
    inside = [each for kernel in kernels for loop in loops(kernel) for each in every(loop.body)]
    assert inside
    assert not any(isinstance(each, Space) for each in inside)


@pytest.mark.parametrize("function", [branches, distances])
def test_a_primal_computes_entry_by_entry(function):
    compiled = pb.compile(function, order=1)
    compiled(*ARGUMENTS)
    (operator,) = compiled._primal._operators.values()
    inside = [each for loop in loops(operator.kernel.kernel) for each in every(loop.body)]
    assert not any(isinstance(each, Space) for each in inside)


def test_loops_over_entries_are_left_out_while_shapes_are_worked_out():
    compiled = pb.compile(recurrence, order=1)
    compiled(*(pb.tensor(each) for each in ARGUMENTS))
    (operator,) = compiled._operators.values()
    for kernel in operator.compiled.kernels():
        outside = [each for each in program_of(kernel).body if isinstance(each, For)]
        inside = [each for each in program_of(kernel).body if isinstance(each, If)]
        assert not outside
        assert any(isinstance(each.then[0], For) for each in inside)


def test_a_number_of_another_rank_has_a_kernel_of_its_own():
    compiled = pb.compile(collected)
    wide = ARGUMENTS[0][:, None] * np.ones(3)
    np.testing.assert_allclose(compiled(*ARGUMENTS), collected(*ARGUMENTS), rtol=1e-13)
    given = wide, ARGUMENTS[1], np.ones(3)
    np.testing.assert_allclose(compiled(*given), collected(*given), rtol=1e-13)
    assert pb.gradcheck(compiled, *given, order=2)


def test_float32_stays_float32():
    given = tuple(np.float32(each) for each in ARGUMENTS)
    for function in (swapped, collected):
        found, expected = pb.compile(function)(*given), function(*given)
        assert found.dtype == np.asarray(expected).dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_place_out_of_bounds_raises_as_numpy_does():
    def beyond(a):
        y = np.zeros(len(a))
        for i in range(len(a)):
            y[i] = a[i + 1]
        return y

    with pytest.raises(IndexError, match="out of bounds"):
        pb.compile(beyond)(ARGUMENTS[0])


def test_a_place_in_an_empty_array_is_out_of_bounds_too():
    def first(a):
        y = a * 1.0
        y[0] = 0.0
        for i in range(1, len(a)):
            y[i] = y[i - 1] + a[i]
        return y

    with pytest.raises(IndexError, match="out of bounds"):
        pb.compile(first)(np.zeros(0))


def test_no_iteration_at_all():
    empty = np.zeros(0), np.zeros(0), np.float64(0.3)
    np.testing.assert_array_equal(pb.compile(recurrence)(*empty), [0.3])
    np.testing.assert_array_equal(pb.compile(twice_written)(*empty), [])
