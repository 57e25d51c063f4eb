"""The constructs, for tests that derive or compile each: the costly ones are slow tests.

Loops in loops, whose derivatives are long: their kernels take the compiler seconds each. What they are
made of is in the others, in `tests/programs` and in random programs.
"""

import pytest

from tests.sampling import sampled

from .regenerate import CONSTRUCTS

COSTLY = {"triangle", "cholesky", "closures_with_writes", "gram_schmidt", "break_and_continue"}
COSTLY |= {"append_in_a_branch", "nested_comprehensions", "medians"}
# A second and a half each; other constructs have what they are made of.
COSTLY |= {"append_in_an_inner_loop", "broadcast_in_a_loop", "chosen_positions", "fill_rows"}
COSTLY |= {"growing_slices", "over_a_list", "parts_of_a_list", "positions_in_a_loop", "read_while_it_grows"}
COSTLY |= {"rearranging_functions", "return_in_a_loop", "slice_of_an_iteration", "split_in_parts"}

BY_COST = pytest.mark.parametrize(
    "construct",
    sampled(CONSTRUCTS, 8, lambda construct: construct.name, lambda construct: construct.name in COSTLY),
)
