import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from pullback.transpile.analysis.min_cut import min_cut


# Drawing a dictionary is slow on a machine that does other work: that says nothing about the cut.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.tuples(st.integers(0, 7), st.integers(0, 7)), st.integers(1, 9)))
def test_the_cut_is_as_large_as_the_maximum_flow(capacities):
    capacities = {edge: size for edge, size in capacities.items() if edge[0] != edge[1]}
    side = min_cut({edge: float(size) for edge, size in capacities.items()}, 0, 7)
    cut = sum(size for (start, end), size in capacities.items() if start in side and end not in side)
    matrix = np.zeros((8, 8), dtype=np.int32)
    for (start, end), size in capacities.items():
        matrix[start, end] = size
    assert 0 in side
    assert 7 not in side
    assert cut == maximum_flow(csr_array(matrix), 0, 7).flow_value


def test_of_two_cuts_of_one_size_it_is_the_nearer_to_the_source():
    assert min_cut({("s", "a"): 1.0, ("a", "t"): 1.0}, "s", "t") == {"s"}


def test_infinite_edges_are_not_cut():
    assert min_cut({("s", "a"): math.inf, ("a", "t"): 2.0}, "s", "t") == {"s", "a"}
    with pytest.raises(ValueError, match="infinite capacity"):
        min_cut({("s", "t"): math.inf}, "s", "t")
