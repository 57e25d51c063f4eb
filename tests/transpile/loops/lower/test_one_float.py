"""Values that are float32 here and float64 there, where the kernel's float type is float64 and where not."""

import numpy as np
import pytest

import pullback as pb
from tests.constructs.columns import _no_python_forward
from tests.random_programs.sweep import _interpreted

X = np.array([0.5, -1.25, 2.0])


def widened(x):
    for _ in range(3):
        x = np.eye(3) @ x * 0.5
    return x


def narrowed(x):
    total = np.zeros(3)
    for k in range(2):
        total = x * 2 + k
    return total


def exchanged(x):
    a, b = x, np.zeros(3)
    for _ in range(3):
        a, b = b + x, a * x
    return a, b


def of_either_side(x):
    y = x * 2 if x[0] > 0 else np.ones(3)
    return y * x


def in_a_list(x):
    rows = [x]
    for _ in range(3):
        rows.append(np.eye(3) @ rows[-1])
    return np.stack(rows)


FUNCTIONS = [widened, narrowed, exchanged, of_either_side, in_a_list]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_kernel_computes_them_in_float64(function):
    with _interpreted(), _no_python_forward():
        found = pb.compile(function)(X)
    np.testing.assert_allclose(found, function(X), rtol=1e-15)


@pytest.mark.compiler
@pytest.mark.parametrize("function", [widened, exchanged])
def test_float32_gets_the_dtypes_of_numpy(function):
    compiled, given = pb.compile(function), X.astype(np.float32)
    for found, expected in zip(compiled(given), function(given), strict=True):
        assert np.asarray(found).dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
