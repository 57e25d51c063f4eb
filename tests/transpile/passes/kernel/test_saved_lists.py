"""What kernels of a loop save of each iteration: nothing that is the same in each, no shapes of slices."""

from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.passes.differentiate.derive import derive

NESTED = """
def nested(x, y, *, n: int):
    for i in range(n):
        for j in range(i):
            y = y + np.mean(x[i])
    return y
"""
ONE_SHAPE = """
def recurrence(x, *, n: int):
    y = x
    for k in range(n):
        y = np.sin(y) + k * x
    return y
"""
GROWS = """
def grows(x, y, *, n: int):
    for k in range(n):
        y = np.sin(y) * x
    return y
"""


def saved(text):
    """The names of the shapes and numbers saved of each iteration, and the operators of the pullback."""
    formula = derive(formula_in(text), standard_library())
    compiled = formula_kernels(formula, standard_library(), {"n": 3}, order=1).formula
    assert compiled.pullback is not None
    names = [var.name for var in compiled.plain if "iterations" in var.name]
    return names, {eqn.op for eqn in compiled.pullback.every()}


def test_slices_of_one_shape_need_no_shapes_of_each_iteration():
    names, operators = saved(ONE_SHAPE)
    assert not names
    assert "unstack_like" not in operators


def test_shapes_that_differ_are_saved():
    names, _ = saved(GROWS)
    assert names


def test_a_size_that_no_iteration_changes_is_not_saved_by_nested_loops():
    names, _ = saved(NESTED)
    assert names
    assert not [name for name in names if "size" in name]
