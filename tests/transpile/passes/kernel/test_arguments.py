"""Formulas for certain arguments: names of what is saved element by element."""

import numpy as np
import pytest

import pullback as pb
from tests.kernel_formulas import verify_formulas


@pb.formula
def bordered(d):
    """A table with a border, as of alignments: its shape is a tuple that the closure reads again."""
    n, m = d.shape
    r = np.zeros((n + 2, m + 2))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            r[i, j] = d[i - 1, j - 1] + np.exp(-r[i - 1, j])

    def pullback(g):
        e = np.zeros((n + 2, m + 2))
        for i in range(n, 0, -1):
            for j in range(m, 0, -1):
                e[i, j] = np.exp(r[i, j]) * g
        return e[1 : n + 1, 1 : m + 1]

    return r[n, m], pullback


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (1, 2)])
def test_second_derivatives_of_a_table_with_a_border(shape):
    x = pb.tensor(np.random.default_rng(0).standard_normal(shape), requires_grad=True)
    found = []
    for function in (bordered, pb.compile(bordered)):
        (gradient,) = pb.grad(function(x), x, create_graph=True)
        found.append(pb.grad((gradient * gradient).sum(), x)[0].numpy())
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_the_formulas_of_kernels_are_valid():
    compiled = pb.compile(bordered)
    compiled(pb.tensor(np.ones((2, 3))))
    verify_formulas(compiled)
