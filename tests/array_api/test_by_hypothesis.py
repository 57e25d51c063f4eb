"""Arrays that hypothesis makes through the standard's own functions; results beside NumPy's."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import pullback as pb
import pullback.numpy as xp

arrays = make_strategies_namespace(xp, api_version="2024.12")
NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

OF_ONE = [
    "abs",
    "negative",
    "square",
    "sign",
    "isfinite",
    "signbit",
    "trunc",
    "expm1",
    "sqrt",
    "tanh",
    "log1p",
]
OF_TWO = ["add", "multiply", "subtract", "maximum", "less_equal", "atan2", "logaddexp", "copysign", "hypot"]
REDUCTIONS = [
    "sum",
    "prod",
    "max",
    "min",
    "all",
    "any",
    "argmax",
    "mean",
    "std",
    "cumulative_sum",
    "sort",
    "argsort",
]


def same(ours, expected):
    assert isinstance(ours, pb.Tensor)
    assert ours.__array_namespace__() is xp
    expected = np.asarray(expected)
    assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
    ulp = np.finfo(expected.dtype).eps if expected.dtype.kind == "f" else 0
    np.testing.assert_allclose(ours.numpy(), expected, rtol=4 * ulp)


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@FEW
@given(
    x=st.sampled_from(NUMBERS).flatmap(
        lambda n: arrays.arrays(getattr(xp, n), arrays.array_shapes(min_dims=0))
    )
)
def test_functions_of_one_operand(engine, x):
    for name in OF_ONE:
        if not (x.dtype.kind == "u" and name == "negative"):
            same(getattr(xp, name)(x), getattr(np, name)(x.numpy()))


@FEW
@given(data=st.data(), dtypes=st.tuples(st.sampled_from(NUMBERS), st.sampled_from(NUMBERS)))
def test_functions_of_two_operands_broadcast_and_promote(engine, data, dtypes):
    shapes = data.draw(arrays.mutually_broadcastable_shapes(2)).input_shapes
    x, y = (data.draw(arrays.arrays(getattr(xp, n), shape)) for n, shape in zip(dtypes, shapes, strict=True))
    for name in OF_TWO:
        same(getattr(xp, name)(x, y), getattr(np, name)(x.numpy(), y.numpy()))


@FEW
@given(
    data=st.data(),
    x=arrays.arrays(xp.float64, arrays.array_shapes(max_dims=3)),
)
def test_reductions(engine, data, x):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    for name in REDUCTIONS:
        same(getattr(xp, name)(x, axis=axis), getattr(np, name)(x.numpy(), axis=axis))


@FEW
@given(data=st.data(), x=arrays.arrays(xp.int32, arrays.array_shapes(max_dims=3)))
def test_indexing(engine, data, x):
    index = data.draw(arrays.indices(x.shape, allow_newaxis=True))
    same(x[index], x.numpy()[index])
    mask = data.draw(arrays.arrays(xp.bool, x.shape))
    same(x[mask], x.numpy()[mask.numpy()])
