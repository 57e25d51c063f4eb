"""`np.vstack` and `np.hstack` of lists that loops fill are compiled, along the axis that NumPy chooses."""

import numpy as np
import pytest

import pullback as pb

MATRIX = np.arange(12.0).reshape(4, 3) / 7 + 0.2


def vectors_as_rows(a):
    rows = []
    for k, row in enumerate(a):
        rows.append(row * k + row.mean())
    return np.vstack(rows)


def vectors_in_a_row(a):
    return np.hstack([row * row for row in a]) * 2


def matrices(a):
    found = []
    for k in range(len(a)):
        found.append(a * k)
    return np.hstack(found) * np.vstack(found).sum()


@pytest.mark.parametrize("function", [vectors_as_rows, vectors_in_a_row, matrices])
def test_kernels_join_as_numpy(function):
    compiled = pb.compile(function, order=1)
    np.testing.assert_allclose(compiled(MATRIX), function(MATRIX))
    assert pb.gradcheck(compiled, MATRIX)


def test_a_list_without_arrays_is_numpys_error():
    with pytest.raises(ValueError, match="need at least one array"):
        pb.compile(vectors_as_rows, order=0)(MATRIX[:0])
