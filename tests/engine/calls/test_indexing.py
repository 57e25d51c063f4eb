"""What an index picks."""

import numpy as np
import pytest

from pullback.engine.calls.indexing import is_basic, owned, part_of


@pytest.mark.parametrize(
    "index", [0, slice(1, None), None, ..., (0, ..., None, slice(None)), np.int64(1), ()]
)
def test_basic_indexes_pick_views(index):
    array = np.zeros((2, 3))
    assert is_basic(index)
    assert np.shares_memory(part_of(array, index), array)


@pytest.mark.parametrize(
    "index", [True, [0], np.array(1), (0, [1]), (slice(None), np.array([True, False, True]))]
)
def test_others_pick_copies(index):
    assert not is_basic(index)


def test_an_owned_index_stays_as_it_is():
    rows, columns = np.array([0, 1]), [1, 2]
    index = owned((rows, columns, slice(1)))
    rows[0] = 1
    assert index[0].tolist() == [0, 1]
    assert index[1:] == ([1, 2], slice(1))
