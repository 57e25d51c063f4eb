"""The constructs, for tests that derive or compile each: the costly ones are slow tests.

Loops in loops, whose derivatives are long: their kernels take the compiler seconds each. What they are
made of is in the others, in `tests/programs` and in random programs.
"""

import pytest

from .regenerate import CONSTRUCTS

COSTLY = {"triangle", "cholesky", "closures_with_writes", "gram_schmidt", "break_and_continue"}
COSTLY |= {"append_in_a_branch", "nested_comprehensions", "medians"}

BY_COST = pytest.mark.parametrize(
    "construct",
    [
        pytest.param(each, id=each.name, marks=[pytest.mark.slow] if each.name in COSTLY else [])
        for each in CONSTRUCTS
    ],
)
