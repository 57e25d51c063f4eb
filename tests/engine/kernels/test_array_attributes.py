"""Attributes with arrays in them: data of the kernels, with NumPy's meaning and NumPy's errors."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives
from pullback.engine.kernels.operator import CompiledOperator

pytestmark = pytest.mark.compiler


@pb.formula
def pick(x, *, index):
    def pick_pullback(grad):
        return primitives.unslice(grad, index=index, shape=x.shape)

    return x[index], pick_pullback


@pb.formula
def first_row(x, *, rows, factor=2.0):
    def first_row_pullback(grad):
        return primitives.unslice(factor * grad, index=rows[0], shape=x.shape)

    return factor * x[rows[0]], first_row_pullback


@pb.formula
def scaled(x, *, weights):
    def scaled_pullback(grad):
        return grad * weights

    return x * weights, scaled_pullback


PICK, FIRST_ROW, SCALED = (pb.compile(formula) for formula in (pick, first_row, scaled))
X = np.arange(60.0).reshape(5, 4, 3)
INDICES = [
    np.array([0, 2]),
    np.array([0, 2, 2]),
    np.array([-1, 4, -5]),
    np.array([[0, 1], [3, 3]]),
    np.array([4, 0], np.int32),
    np.array([1, 2], np.uint8),
    np.arange(10)[::-3] - 5,
    np.zeros(0, int),
    np.zeros((0, 2), int),
    np.array(3),
    X.sum((1, 2)) > 100,
    X > 30,
    np.zeros(5, bool),
    [0, 2],
    [0, 2, 1],
    [True, False, True, True, False],
    [],
    [[0, 1], [2, 2]],
    ([0, 2], 1),
    (slice(None), np.array([1, 2])),
    (Ellipsis, np.array([0, -1])),
    (np.array([4, -5]), None, slice(1, 3)),
    (np.array([[0], [1]]), np.array([2, 3]), 0),
    (0, 2),
    (slice(None, None, -2), 1),
]


@pytest.fixture
def kernels(monkeypatch):
    """How many calls went to kernels."""
    found = []
    call = CompiledOperator._by_kernel

    def watched(self, *args):
        arrays = call(self, *args)
        if arrays is not None:
            found.append(self)
        return arrays

    monkeypatch.setattr(CompiledOperator, "_by_kernel", watched)
    return found


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_an_index_means_what_it_means_to_numpy(engine, index):
    np.testing.assert_array_equal(PICK(X, index=index), X[index])
    x = pb.tensor(X, requires_grad=True)
    y = PICK(x, index=index)
    weights = np.random.default_rng(0).standard_normal(y.shape)
    (y * weights).sum().backward()
    expected = np.zeros_like(X)
    np.add.at(expected, index, weights)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize("index", [INDICES[1], INDICES[13], INDICES[18], INDICES[20]], ids=repr)
def test_arrays_and_lists_go_to_kernels(kernels, index):
    with pb.use_engine("reference"):
        PICK(pb.tensor(X), index=index)
    assert kernels


def test_a_list_is_no_tuple_after_a_tuple_came(engine):
    x = pb.tensor(X, requires_grad=True)
    for _ in range(3):
        np.testing.assert_array_equal(PICK(x, index=(0, 2)).detach().numpy(), X[0, 2])
        np.testing.assert_array_equal(PICK(x, index=[0, 2]).detach().numpy(), X[[0, 2]])
        np.testing.assert_array_equal(PICK(X, index=[0, 2]), X[[0, 2]])


def test_one_version_serves_other_positions():
    function = pb.compile(pick)
    for positions in ([0, 1], [4, 4], [2, -1]):
        np.testing.assert_array_equal(function(X, index=np.array(positions)), X[positions])
    assert len(function._operators) == 1


@pytest.mark.parametrize(
    "index", [np.array([5]), np.array([0, -6]), np.array([1.0]), np.zeros(4, bool)], ids=str
)
def test_what_numpy_refuses_has_numpys_error(engine, index):
    with pytest.raises(IndexError) as expected:
        X[index]
    with pytest.raises(IndexError) as found:
        PICK(X, index=index)
    assert str(found.value) == str(expected.value)


def test_an_index_that_is_computed_of_a_list_runs_on_the_formula(engine):
    expected = 2 * X[[0, 2]]
    np.testing.assert_array_equal(FIRST_ROW(X, rows=[[0, 2], [1, 1]]), expected)
    np.testing.assert_array_equal(FIRST_ROW(X, rows=(2, 1)), 2 * X[2])


@pytest.mark.parametrize(
    "weights", [np.array([1.0, 0.5, 2.0]), np.array([2, 3, 4]), np.float64(3.0)], ids=str
)
def test_other_arrays_are_attributes_as_before(engine, weights):
    x = pb.tensor(X.astype(np.float32), requires_grad=True)
    found, expected = SCALED(x, weights=weights), scaled(x, weights=weights)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.detach().numpy(), expected.detach().numpy())
    (gradient,) = pb.grad(found.sum(), x)
    np.testing.assert_array_equal(gradient.numpy(), np.broadcast_to(weights, X.shape).astype(np.float32))


def test_regions_are_data(engine, kernels):
    take, spread, clear = (
        pb.compile(pb.formulas()[f"{name}_region"]) for name in ("take", "spread", "clear")
    )
    a = np.arange(20.0).reshape(4, 5)
    regions = [
        primitives.region_of(a, a[::-2, 1:4].T),
        primitives.region_of(a, np.broadcast_to(a[1], (3, 5))),
        primitives.region_at(a, ([0, 2, 0], slice(1, 3))),
        primitives.region_of(a, a[:0]),
    ]
    for region in regions:
        x = pb.tensor(a, requires_grad=True)
        given = np.random.default_rng(1).standard_normal(region.shape)
        found = take(x, region=region)
        np.testing.assert_array_equal(found.detach().numpy(), primitives.take_region(a, region))
        np.testing.assert_allclose(
            spread(given, region=region), primitives.spread_region(given, region), rtol=1e-14
        )
        np.testing.assert_array_equal(clear(a.T.copy().T, region=region), primitives.clear_region(a, region))
        (gradient,) = pb.grad(found, x, given)
        np.testing.assert_allclose(gradient.numpy(), primitives.spread_region(given, region), rtol=1e-14)
    if engine == "reference":
        assert len(kernels) >= len(regions)


def test_the_source_says_that_positions_are_an_input():
    text = PICK.source(index=(slice(None), np.array([0, 1])))
    assert "= pick(x, index_1)" in text
    assert PICK.limits(index=np.array([True, False])) == ()


def times(x, n: int = 2):
    return x * n


def test_a_tensor_in_the_place_of_a_number_runs_on_the_formula(engine):
    compiled, x = pb.compile(times), pb.tensor(X, requires_grad=True)
    np.testing.assert_array_equal(compiled(x, pb.tensor(3.0)).detach().numpy(), X * 3.0)
    with pytest.raises(pb.errors.NotDifferentiableError, match="times: 'n' is an attribute"):
        compiled(x, pb.tensor(3.0, requires_grad=True))
