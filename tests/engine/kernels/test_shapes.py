"""Kernels with a way for shapes as they mostly are have no other until other shapes are seen."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler
ONLY_LIKELY = ("PB_ONLY_BITS=64", "PB_ONLY_LIKELY")
ALL = ("PB_ONLY_BITS=64",)


@pb.formula
def product(a, b):
    t = a + b

    def product_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, product_pullback


def second_gradients(function, a, b):
    a, b = pb.tensor(a, requires_grad=True), pb.tensor(b, requires_grad=True)
    first = pb.grad(np.sum(np.sin(function(a, b))), (a, b), create_graph=True)
    return [g.numpy() for g in pb.grad(sum(np.sum(np.cos(g)) for g in first), (a, b))]


@pytest.mark.parametrize("shapes", [((3, 4), (4,)), ((3, 1), (1, 4)), ((), (5,)), ((0, 4), (4,))])
def test_loops_that_serve_all_shapes_are_compiled_once(engine, macros, shapes):
    function = pb.compile(product)
    rng = np.random.default_rng(0)
    for given in (((3, 4), (3, 4)), shapes, ((2, 3), (2, 3)), shapes):
        a, b = (rng.standard_normal(shape) for shape in given)
        found, expected = second_gradients(function, a, b), second_gradients(product, a, b)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert macros == [ONLY_LIKELY]


def test_where_the_first_call_broadcasts_all_is_compiled_at_once(engine, macros):
    function = pb.compile(product)
    a, b = np.ones((3, 4)), np.ones(4)
    second_gradients(function, a, b)
    second_gradients(function, np.ones((3, 4)), np.ones((3, 4)))
    assert macros == [ALL]


def weighed(x, weight, v):
    """A program of gradients, which guesses that the weight broadcasts to `x`."""

    def loss(x):
        return np.sum(np.exp(x) * weight, axis=-1)

    return pb.vjp(loss, x, v)[1]


def test_a_program_that_guesses_is_compiled_for_its_guess_first(engine, macros):
    function = pb.compile(weighed, order=0)
    rng = np.random.default_rng(0)
    x, weight, v = rng.standard_normal((3, 40)), rng.standard_normal(40), rng.standard_normal(3)
    np.testing.assert_allclose(function(x, weight, v), weighed(x, weight, v), rtol=1e-12)
    assert macros == [("PB_ONLY_BITS=64", "PB_ONLY_ROWS=1", "PB_ONLY_LIKELY")]
    x, weight = rng.standard_normal(40), rng.standard_normal((3, 40))
    np.testing.assert_allclose(function(x, weight, v), weighed(x, weight, v), rtol=1e-12)
    assert macros[1:] == [ALL]


@pb.formula
def shifted_and_scaled(x, y):
    factor = np.sin(x)

    def shifted_and_scaled_pullback(grad_shifted, grad_scaled):
        return 2 * grad_shifted + grad_scaled * np.cos(x) * y, grad_scaled * factor

    return (2 * x + 1, factor * y), shifted_and_scaled_pullback


@pytest.mark.parametrize("shapes", [((1,), (0,)), ((3, 1), (3, 0)), ((3, 1), (3, 2)), ((), (0,))])
def test_an_output_has_its_elements_beside_one_without_any(engine, shapes):
    x, y = (np.full(shape, 7.0) for shape in shapes)
    for one, other in zip(pb.compile(shifted_and_scaled)(x, y), shifted_and_scaled(x, y), strict=True):
        np.testing.assert_array_equal(one, other)
