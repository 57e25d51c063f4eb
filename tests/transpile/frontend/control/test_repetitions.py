"""Loops of a known number of iterations that never ask which one it is: long ones stay loops."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

VECTOR = np.array([0.9, 0.3, 0.2])
MATRIX = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])


def runge_kutta(start, rate):
    def slope(s):
        new = rate * s[0] * s[1]
        return np.array([-new, new - 0.2 * s[1], 0.2 * s[1]])

    s = start
    for _ in range(10):
        k = slope(s + 0.05 * slope(s))
        s = s + 0.1 * k
    return s


def power_iteration(m):
    v = np.ones(len(m))
    for _ in reversed(range(20)):
        v = m @ v
        v /= np.linalg.norm(v)
    return v @ m @ v


def trajectory(start, rate):
    s, states = start, [start]
    for _ in range(2, 26, 2):
        s = s - 0.1 * rate * s[::-1]
        states.append(s)
    return np.stack(states) * states[-1]


def grown_before(start, rate):
    states = [start, start * rate]
    for _ in range(12):
        states.append(states[-1] - 0.1 * states[-2][::-1])
    return states[-1] * len(states)


def newton(x):
    y = x
    for _ in range(12):
        y = 0.5 * (y + x / y)
    return y


def short(m):
    for _ in range(3):
        m = m @ m / np.trace(m)
    return m


def numbered(m):
    v = np.ones(3)
    for k in range(20):
        v = m @ v / (k + 2.0)
    return v


LOOPS = {
    runge_kutta: (VECTOR, np.array(0.7)),
    power_iteration: (MATRIX,),
    trajectory: (VECTOR, np.array(0.7)),
    grown_before: (VECTOR, np.array(0.7)),
}
WRITTEN_OUT = {newton: (VECTOR,), short: (MATRIX,), numbered: (MATRIX,)}
EVERY = LOOPS | WRITTEN_OUT


def loops_in(function):
    """The number of loops of its forward."""
    return sum(eqn.op == "for" for eqn in pb.derive_pullback(function).ir.forward.every())


@pytest.mark.parametrize("function", LOOPS, ids=lambda function: function.__name__)
def test_long_repetitions_stay_loops(function):
    assert loops_in(function) == 1


@pytest.mark.parametrize("function", WRITTEN_OUT, ids=lambda function: function.__name__)
def test_short_pointwise_and_numbered_loops_are_written_out(function):
    assert loops_in(function) == 0


@pytest.mark.parametrize("function", EVERY, ids=lambda function: function.__name__)
def test_they_compute_what_python_does_and_their_derivatives(function):
    made = pb.derive_pullback(function)
    np.testing.assert_allclose(made(*EVERY[function]), function(*EVERY[function]))
    assert pb.gradcheck(made, *EVERY[function], order=2)


@pytest.mark.parametrize("function", sampled(LOOPS, 2))
def test_kernels_compute_them(function):
    made = pb.compile(function, order=1)
    np.testing.assert_allclose(made(*LOOPS[function]), function(*LOOPS[function]))
    assert pb.gradcheck(made, *LOOPS[function])
