"""Regions of arrays: which entries a view or a write picks, and the three linear maps of them."""

import numpy as np
import pytest

from pullback import primitives
from pullback.engine.primitives.regions import inside

A = np.arange(24.0).reshape(2, 3, 4)
VIEWS = [
    A[1],
    A[:, ::-1, 1:3].T,
    A[1, 2, 3, ...],
    A.reshape(6, 4)[::-2],
    A[:, None, :, 2],
    A.diagonal(0, 1, 2),
    np.broadcast_to(A[0, 0], (3, 4)),
    A[:0],
    A[:, 1:1],
]
INDEXES = [[0, 1, 0], (0, [2, 2, 1]), A > 7, (slice(None), [0, 2], slice(1, 3)), np.zeros((0,), int)]
REGIONS = [primitives.region_of(A, view) for view in VIEWS] + [
    primitives.region_at(A, index) for index in INDEXES
]


@pytest.mark.parametrize("view", VIEWS, ids=range(len(VIEWS)))
def test_a_view_is_found_again(view):
    region = primitives.region_of(A, view)
    np.testing.assert_array_equal(primitives.take_region(A, region), view)
    np.testing.assert_array_equal(region.all_places(), view)
    np.testing.assert_array_equal(primitives.take_region(np.asfortranarray(A), region), view)


@pytest.mark.parametrize(
    "base",
    [
        np.asfortranarray(A),
        A[:, ::-1],
        np.arange(99.0)[::3].reshape(3, 11)[:, ::2],
        np.zeros((2, 3), [("a", "i2"), ("b", "f8")])["b"],
    ],
    ids=["columns", "reversed", "gaps", "record"],
)
def test_a_view_of_a_base_in_another_order(base):
    values = np.arange(base.size).reshape(base.shape)
    for view, expected in ((base[1:], values[1:]), (base.T[::-1], values.T[::-1]), (base[0, ...], values[0])):
        np.testing.assert_array_equal(primitives.region_of(base, view).all_places(), expected)


@pytest.mark.parametrize("index", INDEXES, ids=range(len(INDEXES)))
def test_what_an_index_writes(index):
    region = primitives.region_at(A, index)
    written = A.copy()
    values = np.linspace(1, 2, int(np.prod(region.shape))).reshape(region.shape)
    written[index] = values
    by_region = primitives.clear_region(A, region) + primitives.spread_region(values, region)
    np.testing.assert_array_equal(by_region, written)


def test_a_region_of_a_region():
    outer = primitives.region_of(A, A[1].T)
    inner = primitives.region_at(A[1].T, ([0, 3, 0], [1, 2, 1]))
    both = inside(outer, inner)
    assert both.base == A.shape
    assert both.unwritten.tolist() == [True, False, False]
    np.testing.assert_array_equal(both.all_places(), A[1].T[[0, 3, 0], [1, 2, 1]])


@pytest.mark.parametrize("region", REGIONS, ids=range(len(REGIONS)))
def test_the_maps_are_adjoints(region):
    rng = np.random.default_rng(0)
    x, y, z = rng.standard_normal(A.shape), rng.standard_normal(A.shape), rng.standard_normal(region.shape)
    np.testing.assert_allclose(
        (primitives.take_region(x, region) * z).sum(), (x * primitives.spread_region(z, region)).sum()
    )
    np.testing.assert_allclose(
        (primitives.clear_region(x, region) * y).sum(), (x * primitives.clear_region(y, region)).sum()
    )
    assert primitives.take_region(primitives.clear_region(x, region), region).any() == np.False_
