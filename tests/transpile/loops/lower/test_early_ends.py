"""Loops that elements end, as kernels: with what they save, and with room that is not without bounds."""

import numpy as np
import pytest

import pullback as pb
from tests.constructs.columns import RunsOnPython, _no_python_forward
from tests.sampling import sampled

pytestmark = pytest.mark.compiler

X = np.array([1.3, 0.4, 0.8])


def by_break(x, *, n: int = 100):
    for _ in range(n):
        x = np.sin(x) * 1.1
        if np.max(x) < 0.9:
            break
    return x


def by_return(x, *, n: int = 100):
    total = x * 0.0
    for k in range(n):
        total = total + np.exp(-k * x)
        if np.exp(-k * np.min(x)) < 1e-2:
            return total * k
    return total


def unless_it_goes_on(x, *, n: int = 100):
    for _ in range(n):
        if np.max(x) > 0.3:
            x = x * 0.5
        else:
            break
    return x**2


def with_a_list(x, *, n: int = 100):
    path = []
    for _ in range(n):
        path.append(x)
        x = 0.5 * x**2
        if np.sum(x) < 0.1:
            break
    return np.stack(path).sum(axis=0)


def in_another_loop(x, *, n: int = 3):
    for k in range(n):
        for _ in range(50):
            x = x * 0.7
            if np.max(x) < 1.0 / (k + 1):
                break
    return x**3


@pytest.mark.parametrize(
    "function",
    sampled([by_break, by_return, unless_it_goes_on, with_a_list, in_another_loop], 2),
)
def test_it_runs_by_a_kernel_and_has_two_derivatives(engine, function):
    fast = pb.compile(function, order=2)
    with _no_python_forward():
        np.testing.assert_allclose(fast(X), function(X.copy()), rtol=1e-14)
        fast(pb.tensor(X, requires_grad=True))
    assert pb.gradcheck(fast, X, order=2)


@pytest.mark.parametrize("n", [1 << 16, 10**9, 10**18])
def test_a_range_may_be_of_any_length(engine, n):
    fast = pb.compile(by_break)
    with _no_python_forward():
        np.testing.assert_allclose(fast(X, n=n), by_break(X.copy(), n=n), rtol=1e-14)
    x = pb.tensor(X, requires_grad=True)
    fast(x, n=n).sum().backward()
    other = pb.tensor(X, requires_grad=True)
    pb.derive_pullback(by_break)(other, n=n).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), other.grad.numpy(), rtol=1e-14)


def halved_until(x, *, n: int, least: float):
    for _ in range(n):
        x = x * 0.99
        if np.max(x) < least:
            break
    return x


@pytest.mark.parametrize(
    ("n", "size"), [(10**9, 3), (60_000, 10**6)], ids=["many iterations", "large arrays"]
)
def test_what_there_is_no_room_for_runs_in_python(engine, n, size):
    fast, x = pb.compile(halved_until), np.linspace(0.1, 1.0, size)
    least = 1e-3 if size == 3 else 0.95
    np.testing.assert_allclose(fast(x, n=n, least=least), halved_until(x, n=n, least=least), rtol=1e-13)
    with pytest.raises(RunsOnPython), _no_python_forward():
        fast(x, n=n, least=least)
