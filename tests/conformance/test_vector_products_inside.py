"""`pb.vjp` inside of a function that is compiled or derived: as the engine runs it on tensors."""

from functools import cache

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from tests.sampling import sampled

from .formulas import simple

RNG = np.random.default_rng(0)
X, Y, V, W, Z = (RNG.uniform(0.5, 2.0, (3, 4)) for _ in range(5))
ROW = RNG.uniform(0.5, 2.0, 4)


@pb.formula(first_order_only=True)
def vjp_once(x):
    def vjp_once_pullback(grad):
        return grad * np.cos(x)

    return np.sin(x), vjp_once_pullback


def norm_of_rows(x, weight):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered * centered).mean(-1, keepdims=True) + 1e-3) * weight


def two(x, y):
    return np.sin(x) * y, np.exp(x)


def of_a_formula(a, b, g):
    out, (to_a, to_b) = pb.vjp(simple, (a, b), g, create_graph=True)
    return out * to_a + to_b


def of_a_lambda(x, y, v):
    return pb.vjp(lambda x: x * y * x, x, v, create_graph=True)[1]


def of_a_word(x, y, v):
    return pb.vjp(np.tanh, x * y, v, create_graph=True)[1] * x


def of_several_results(x, y, v):
    outputs, (to_x, to_y) = pb.vjp(two, (x, y), (v, v * 2), create_graph=True)
    return to_x * outputs[1] + to_y


def of_a_single_value(x, y, v):
    return pb.vjp(lambda x: np.sum(np.sin(x) * y), x, create_graph=True)[1] * v


def of_what_it_does_not_read(x, y, v):
    return pb.vjp(lambda x, y: np.sin(y), (x, y), v, create_graph=True)[1][0] + x


def with_an_input_twice(x, y, v):
    return pb.vjp(lambda a, b: a * b * x, (x, x), v, create_graph=True)[1][0] * y


def with_its_input_returned(x, y, v):
    (same, _), gradient = pb.vjp(lambda x: (x, x), x, (v, y), create_graph=True)
    return same * gradient


def twice(a, b, g):
    def first(a, b, g):
        return pb.vjp(simple, (a, b), g, create_graph=True)[1]

    to_a, to_b, to_g = pb.vjp(first, (a, b, g), (b, a), create_graph=True)[1]
    return to_a + to_b * to_g


def thrice(x, y, v):
    def first(x):
        return pb.vjp(lambda x: np.sin(x) * x, x, v, create_graph=True)[1]

    def second(x):
        return pb.vjp(first, x, y, create_graph=True)[1]

    return pb.vjp(second, x, v, create_graph=True)[1]


def in_a_branch(x, y, v):
    if x.shape[0] > 2:
        z = pb.vjp(np.sin, x, v, create_graph=True)[1]
    elif x.shape[0] > 1:
        z = x * y
    else:
        z = x
    return z * y


def in_a_loop(x, y, v):
    z = x
    for _ in range(2):
        z = z - 0.1 * pb.vjp(lambda z: np.sin(z) * y, z, v, create_graph=True)[1]
    return z


FUNCTIONS = [
    of_a_formula,
    of_a_lambda,
    of_a_word,
    of_several_results,
    of_a_single_value,
    of_what_it_does_not_read,
    with_an_input_twice,
    with_its_input_returned,
    twice,
    thrice,
    in_a_branch,
    in_a_loop,
]


def two_orders(function, *arrays):
    """The value, its gradients, and gradients of these: of a function of tensors."""
    leaves = [pb.tensor(array, requires_grad=True) for array in arrays]
    value = function(*leaves)
    first = pb.grad(np.sum(np.sin(value)), leaves, create_graph=True, materialize_grads=True)
    bent = sum((np.sum(np.sin(part)) for part in first if part.requires_grad), np.sum(value) * 0)
    second = pb.grad(bent, leaves, materialize_grads=True)
    return [part.detach().numpy() for part in (value, *first, *second)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_derived_function_agrees_with_the_engine(engine, function):
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(X, Y, V), function(X, Y, V).detach().numpy(), rtol=1e-12)
    pairs = zip(two_orders(derived, X, Y, V), two_orders(function, X, Y, V), strict=True)
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11)
    assert pb.gradcheck(derived, X, Y, V, order=2)


@pytest.mark.compiler
@pytest.mark.parametrize("function", sampled([of_a_formula, twice, in_a_branch], 2))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_compiled_function_agrees_with_the_engine(engine, function, dtype):
    fast = pb.compile(function)
    arrays = [array.astype(dtype) for array in (X, Y, V)]
    tolerance = 1e-10 if dtype is np.float64 else 1e-3
    for found, expected in zip(two_orders(fast, *arrays), two_orders(function, X, Y, V), strict=True):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())
    assert fast.limits() == ()


def second_of_rows(x, weight, g, to_x, to_weight):
    def first(x, weight, g):
        return pb.vjp(norm_of_rows, (x, weight), g, create_graph=True)[1]

    return pb.vjp(first, (x, weight, g), (to_x, to_weight))[1]


@cache
def program(function):
    """A function that is compiled once for all tests."""
    return pb.compile(function, order=0)


@pytest.mark.compiler
def test_second_gradients_of_rows_are_one_kernel(engine):
    arrays = [X, ROW, V, W, ROW + 1]
    expected = [part.numpy() for part in second_of_rows(*arrays)]
    fast = program(second_of_rows)
    assert [kernel.name for kernel in fast.operator().compiled.kernels()] == ["second_of_rows_forward"]
    for found, one in zip(fast(*arrays), expected, strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-10, atol=1e-11)


SHAPES = [((3, 4), weight) for weight in ((), (4,), (1,), (3, 4), (3, 1), (2, 3, 4))]
SHAPES += [
    ((1, 4), (3, 4)),
    ((3, 1), (4,)),
    ((2, 3, 4), (3, 1)),
    ((0, 4), (4,)),
    ((3, 0), (1,)),
    ((4,), (3, 4)),
]


@pytest.mark.compiler
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("x", "weight"), SHAPES, ids=str)
def test_rows_whose_shapes_are_as_they_mostly_are_and_others(x, weight):
    out = np.broadcast_shapes(x, weight)
    arrays = [RNG.uniform(0.5, 2.0, shape) for shape in (x, weight, out, x, weight)]
    found = program(second_of_rows)(*arrays)
    for one, expected in zip(found, pb.derive_pullback(second_of_rows)(*arrays), strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-9, atol=1e-10)


def rows_times_sums(x, weight):
    return np.sum(x, axis=-1, keepdims=True) * x * weight


def first_of_rows_times_sums(x, weight, g):
    return pb.vjp(rows_times_sums, (x, weight), g, create_graph=True)[1]


@pytest.mark.compiler
@pytest.mark.parametrize(("x", "weight"), SHAPES, ids=str)
def test_a_cotangent_of_what_is_multiplied_with_sums_of_rows(x, weight):
    arrays = [RNG.uniform(0.5, 2.0, shape) for shape in (x, weight, np.broadcast_shapes(x, weight))]
    found = program(first_of_rows_times_sums)(*arrays)
    for one, expected in zip(found, pb.derive_pullback(first_of_rows_times_sums)(*arrays), strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-9, atol=1e-10)


def distances(x, y, length, scale):
    scaled = (np.expand_dims(x, 1) - np.expand_dims(y, 0)) / length
    return scale * np.exp(-np.sum(scaled * scaled, axis=-1))


def second_of_distances(x, y, length, scale, g, to_x, to_length):
    def first(x, length, g):
        return pb.vjp(lambda x, length: distances(x, y, length, scale), (x, length), g, create_graph=True)[1]

    return pb.vjp(first, (x, length, g), (to_x, to_length))[1]


@pytest.mark.compiler
@pytest.mark.parametrize("length", [(), (1,), (2,)], ids=str)
@pytest.mark.parametrize("scale", [(), (1,), (5, 3)], ids=str)
def test_numbers_that_may_be_arrays(length, scale):
    shapes = ((5, 2), (3, 2), length, scale, (5, 3), (5, 2), length)
    arrays = [RNG.uniform(0.5, 2.0, shape) for shape in shapes]
    found = program(second_of_distances)(*arrays)
    for one, expected in zip(found, pb.derive_pullback(second_of_distances)(*arrays), strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-9, atol=1e-10)


@pb.formula
def vjp_joined(a, b, c):
    """The second result's gradient is undefined where only the first is asked for."""
    first, second = a * b, np.tanh(a * c)

    def vjp_joined_pullback(grad_first, grad_second):
        bent = grad_second * (1 - second * second)
        return grad_first * b + bent * c, grad_first * a, bent * a

    return (first, second), vjp_joined_pullback


def second_of_many(a, b, c, d, e, g, h, p, q, r, s, t):
    def first(a, b, c):
        return pb.vjp(vjp_joined, (a, b, c), (g * d, h * e), create_graph=True)[1]

    return pb.vjp(first, (a, b, c), (p * q, r * s, t))[1]


@pytest.mark.compiler
def test_many_arrays_of_one_shape_and_of_others(engine):
    fast, derived = program(second_of_many), pb.derive_pullback(second_of_many)
    same = [RNG.uniform(0.5, 2.0, (3, 4)) for _ in range(12)]
    broadcast = [same[0], ROW, *same[2:9], ROW, ROW + 1, same[11]]
    for arrays in (same, [array.T for array in same], broadcast):
        found = fast(*map(pb.tensor, arrays))
        for one, expected in zip(found, derived(*arrays), strict=True):
            np.testing.assert_allclose(one.numpy(), expected, rtol=1e-10, atol=1e-11)


def without_a_graph(x, v):
    return pb.vjp(np.sin, x, v)[1] * x


def test_without_create_graph_the_results_are_constants(engine):
    x = pb.tensor(X, requires_grad=True)
    derived = pb.derive_pullback(without_a_graph)
    for function in (derived, without_a_graph):
        (found,) = pb.grad(function(x, V).sum(), [x])
        np.testing.assert_allclose(found.numpy(), np.cos(X) * V)


@pytest.mark.compiler
def test_a_vector_of_another_shape_is_refused(engine):
    for function in (pb.derive_pullback(of_a_lambda), pb.compile(of_a_lambda), of_a_lambda):
        for wrong in (V[:1], V[:, :1], V[None], V.sum()):
            with pytest.raises(pb.errors.GradientShapeError):
                function(X, Y, wrong)


def single_value_of_several(x):
    return pb.vjp(lambda x: x * x, x, create_graph=True)[1]


def test_a_vector_is_left_out_for_a_single_value_only(engine):
    for function in (pb.derive_pullback(single_value_of_several), single_value_of_several):
        assert function(X[:1, :1]).shape == (1, 1)
        with pytest.raises(ValueError, match="v can be left out for a single value only"):
            function(X)


def second_of_once(x, v):
    def first(x):
        return pb.vjp(vjp_once, x, v, create_graph=True)[1]

    return pb.vjp(first, x, v)[1]


def first_of_once(x, v):
    return pb.vjp(vjp_once, x, v)[1]


def calls_once(x):
    return vjp_once(x) * x


def test_second_derivatives_that_are_refused_are_refused_inside(engine):
    with pytest.raises(FormulaError, match="first_order_only"):
        pb.derive_pullback(second_of_once)(X, V)
    np.testing.assert_allclose(pb.derive_pullback(first_of_once)(X, V), np.cos(X) * V)


def test_a_function_of_an_operator_that_refuses_second_derivatives_refuses_them(engine):
    x = pb.tensor(X, requires_grad=True)
    (gradient,) = pb.grad(pb.derive_pullback(calls_once)(x).sum(), [x], create_graph=True)
    np.testing.assert_allclose(gradient.detach().numpy(), np.cos(X) * X + np.sin(X))
    with pytest.raises(pb.errors.BarrierError, match="first_order_only"):
        pb.grad(gradient.sum(), [x])
