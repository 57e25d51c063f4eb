"""Loops in loops: each is lowered about as often as there are loops around it."""

from unittest import mock

import pytest

from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.loops.lower.plan import Plan


def nest(depth, first, inside):
    """A formula of nested loops over `n` numbers, each with the statement `inside`."""
    lines = ["def nest(x, *, n: int):", f"    t = {first}"]
    for level in range(depth):
        lines.append("    " * (level + 1) + f"for i{level} in range(n):")
        lines.append("    " * (level + 2) + inside)
    return formula_in("\n".join([*lines, "    return t * x", ""]))


@pytest.mark.parametrize("first", ["x * 1.0", "0.0"])
def test_blocks_that_are_lowered_grow_with_the_square_of_the_depth(first):
    library = standard_library()
    made = []
    for depth in (4, 8):
        formula = nest(depth, first, "t = np.sin(t) * x + i0")
        with mock.patch.object(Plan, "inside", autospec=True, side_effect=Plan.inside) as inside:
            formula_kernels(formula, library, {"n": 3}, 0)
        made.append(inside.call_count)
    assert made[1] <= 5 * made[0]
