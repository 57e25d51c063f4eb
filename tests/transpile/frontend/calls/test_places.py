"""Functions that give places of entries, computed from shapes: the same everywhere."""

import itertools

import numpy as np
import pytest

from pullback.formulas import places
from tests.transpile.frontend.on_every_target import (
    assert_compiled,
    assert_derived,
    assert_in_jax,
    assert_in_pytorch,
)

M = np.sin(np.arange(12.0)).reshape(3, 4)


def of_shapes(m, *, k: int = 1):
    rows, columns = np.indices(m.shape)
    square = m[:, :3] * 1.0
    square[np.diag_indices_from(square)] += 2.0
    down, right = np.mgrid[: m.shape[0], -1:1:4j]
    across, along = np.ogrid[0:6:2, :4]
    return (
        m[np.triu_indices(m.shape[0], k)] * 2.0,
        m[np.tril_indices(3, -k, 4)],
        m[np.triu_indices_from(m, -k)] ** 2,
        m[np.tril_indices_from(m)],
        m[np.ix_([0, 2], np.arange(m.shape[1])[::2])],
        m * rows + columns / 2 + np.mgrid[:4],
        m * down + right + across * along,
        square,
    )


GIVEN = [{}, {"k": -2}]


@pytest.mark.parametrize("given", GIVEN, ids=["defaults", "others"])
def test_it_is_what_numpy_computes(given):
    assert_derived(of_shapes, M, given)


@pytest.mark.compiler
def test_it_is_compiled():
    assert_compiled(of_shapes, M, GIVEN)


@pytest.mark.torch
def test_it_is_computed_in_pytorch():
    assert_in_pytorch(of_shapes, M, GIVEN)


@pytest.mark.jax
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")  # of float64, which JAX has when asked for
def test_it_is_computed_in_jax():
    assert_in_jax(of_shapes, M, GIVEN)


@pytest.mark.parametrize("which", [places.triu_indices, places.tril_indices])
def test_triangles_of_all_forms_are_numpys(which):
    for n, columns, k in itertools.product(range(4), range(4), range(-5, 6)):
        expected = getattr(np, which.__name__)(n, k, columns)
        np.testing.assert_array_equal(which(n, k, columns), expected, f"{n=} {columns=} {k=}")
