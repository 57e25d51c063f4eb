"""Elements of arrays in kernels without loops over them: variables of C++, and arrays written of such."""

import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels.library import LIBRARY
from pullback.transpile.emit.cpp import emit_cpp
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.passes.kernel.arguments import Argument

QUATERNION = np.array([0.1, 0.2, -0.3, 0.9])


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y**2 + z**2), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x**2 + z**2), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)],
        ]
    )


def field(s, rate):
    new = rate * s[0] * s[1]
    return np.array([-new, new - 0.2 * s[-1], 0.5, s[2]]) + s


def corners(m):
    return np.stack([m[0, 0], m[-1, -1] * 2, m[0, 1]]) * m[1, 0]


def rows(m):
    return np.stack([m[0], m[1] * m[0, 0]])


def pairs(s):
    return np.stack([s[0] * s[1], s[-1] - 2, s[2]])


CALLS = {
    rotation: (QUATERNION,),
    field: (QUATERNION, np.array(0.7)),
    corners: (np.outer(QUATERNION, QUATERNION),),
    rows: (np.outer(QUATERNION, QUATERNION),),
}


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_they_are_computed_to_second_order(function):
    compiled = pb.compile(function, order=2)
    np.testing.assert_allclose(compiled(*CALLS[function]), function(*CALLS[function]))
    assert pb.gradcheck(compiled, *CALLS[function], order=2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_other_numbers_of_axes_have_kernels_of_their_own(dtype):
    compiled = pb.compile(pairs, order=1)
    for shape in ((4,), (4, 3), (4, 1, 2)):
        s = np.arange(1.0, 1 + np.prod(shape)).reshape(shape).astype(dtype)
        made = np.asarray(compiled(s))
        assert made.dtype == dtype
        np.testing.assert_allclose(made, pairs(s))


def test_an_array_of_elements_is_written_entry_by_entry():
    formula = pb.derive_pullback(field).ir
    given = {"s": Argument(rank=1), "rate": Argument(rank=0)}
    made = formula_kernels(formula, LIBRARY, {}, 0, given)
    text = emit_cpp("field", made.kernels(), formula.source)
    assert text.count("set_entry") == 4
    assert text.count("passes.space") == 1  # the sum with `s`


def test_an_index_out_of_bounds_is_pythons_error():
    with pytest.raises(IndexError):
        pb.compile(field, order=0)(np.ones(2), np.array(1.0))
