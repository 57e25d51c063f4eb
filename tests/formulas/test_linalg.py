"""Products of vectors and stacks of matrices, in every combination of axes."""

import numpy as np
import pytest

import pullback as pb

SHAPES = [
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((6, 1, 2, 3), (5, 3, 4)),
    ((1, 3), (3, 1)),
]


@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_matmul(engine, first, second):
    rng = np.random.default_rng(4)
    a, b = rng.standard_normal(first), rng.standard_normal(second)
    assert pb.gradcheck(lambda x, y: x @ y, a, b, order=2)


@pytest.mark.parametrize(("first", "second"), [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((0,), (0,))])
def test_matrices_without_elements(engine, first, second):
    a, b = (pb.tensor(np.ones(shape), requires_grad=True) for shape in (first, second))
    gradients = pb.grad((a @ b).sum(), [a, b])
    assert [g.shape for g in gradients] == [first, second]
    assert all(not g.detach().numpy().any() for g in gradients)


def test_outer_reads_its_operands_as_vectors(engine):
    rng = np.random.default_rng(4)
    assert pb.gradcheck(np.outer, rng.standard_normal((2, 2)), rng.standard_normal(3), order=2)
    assert pb.gradcheck(np.outer, rng.standard_normal(()), rng.standard_normal((2, 2)), order=2)
