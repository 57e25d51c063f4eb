"""Small nodes in a row, which a backward goes along without a queue, and all that stops it there."""

import gc
import weakref

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native

ONES = np.ones(4, np.float32)


def leaf():
    return pb.tensor(np.array([1.0, 2.0, 3.0, 4.0], np.float32), requires_grad=True)


def chain(x, factors):
    """x times each factor: every value on the way."""
    values = [x]
    for factor in factors:
        values.append(values[-1] * factor)
    return values


def constants(*values):
    return [pb.tensor(np.full(4, value, np.float32)) for value in values]


def test_every_kind_of_node_gives_the_gradient_of_the_reference_engine():
    def gradient():
        x = leaf()
        half, two = pb.tensor(0.5 * ONES), pb.tensor(2 * ONES)
        y = pb.numpy.exp(half * x)  # keeps its result
        y = two - y / two  # an unneeded gradient beside the needed one
        y = -pb.numpy.sin(y + two) * 3.0  # keeps its input; a number
        y = y * y  # two edges to one node
        return pb.grad(y, x, grad_outputs=pb.tensor(2 * ONES))[0].numpy()

    found = gradient()
    with pb.use_engine("reference"):
        np.testing.assert_allclose(found, gradient(), rtol=1e-6)


def test_the_seed_and_what_somebody_holds_is_not_written():
    x, seed = leaf(), pb.tensor(ONES)
    y = chain(x, constants(2.0, 3.0))[-1]
    (gradient,) = pb.grad(y, x, grad_outputs=seed)
    np.testing.assert_array_equal(gradient.numpy(), 6 * ONES)
    np.testing.assert_array_equal(seed.numpy(), ONES)


def test_hooks_in_the_middle_see_and_replace_the_gradient():
    x = leaf()
    values = chain(x, constants(2.0, 3.0, 5.0))
    seen = []
    values[2].register_hook(lambda grad: seen.append(grad.numpy().copy()))
    values[1].register_hook(lambda grad: grad * 10.0)
    values[1].retain_grad()
    values[-1].backward(pb.tensor(ONES))
    np.testing.assert_array_equal(seen, [5 * ONES])
    np.testing.assert_array_equal(values[1].grad.numpy(), 150 * ONES)
    np.testing.assert_array_equal(x.grad.numpy(), 300 * ONES)


def test_hooks_on_a_node_and_on_the_leaf_run():
    x = leaf()
    values = chain(x, constants(2.0, 3.0))
    seen = []
    values[1].grad_fn.register_prehook(lambda grads: seen.append("before"))
    values[1].grad_fn.register_hook(lambda inputs, outputs: seen.append("after"))
    x.register_hook(lambda grad: seen.append("leaf"))
    values[-1].backward(pb.tensor(ONES))
    assert seen == ["before", "after", "leaf"]


def test_values_in_the_middle_can_be_asked_for_with_what_is_behind_them():
    x = leaf()
    values = chain(x, constants(2.0, 3.0, 5.0))
    middle, end = pb.grad(values[-1], [values[1], x], grad_outputs=pb.tensor(ONES))
    np.testing.assert_array_equal(middle.numpy(), 15 * ONES)
    np.testing.assert_array_equal(end.numpy(), 30 * ONES)


def test_a_value_that_two_chains_lead_to_gets_their_sum():
    x = leaf()
    start = x * pb.tensor(2 * ONES)
    left = chain(start, constants(3.0, 5.0))[-1]
    right = chain(start, constants(7.0))[-1]
    (gradient,) = pb.grad(left + right, x, grad_outputs=pb.tensor(ONES))
    np.testing.assert_array_equal(gradient.numpy(), 44 * ONES)


def test_a_second_backward_needs_retain_graph():
    x = leaf()
    y = chain(x, constants(2.0, 3.0))[-1]
    for _ in range(2):
        (gradient,) = pb.grad(y, x, grad_outputs=pb.tensor(ONES), retain_graph=True)
        np.testing.assert_array_equal(gradient.numpy(), 6 * ONES)
    pb.grad(y, x, grad_outputs=pb.tensor(ONES))
    with pytest.raises(pb.errors.GraphFreedError, match="multiply a second time"):
        pb.grad(y, x, grad_outputs=pb.tensor(ONES))


def test_a_saved_value_that_was_changed_is_named_with_the_node_that_needs_it():
    x, (a, b, c) = leaf(), constants(2.0, 3.0, 5.0)
    y = chain(x, (a, b, c))[-1]
    b += 1.0
    with pytest.raises(
        pb.errors.SavedVariableError, match=r"multiply saved its input .y.[^\n]*\n  saved[^\n]*test_chain.py"
    ):
        y.backward(pb.tensor(ONES))


def test_what_is_saved_is_let_go_on_the_way():
    x, factors = leaf(), constants(2.0, 3.0)
    y = chain(x, factors)[-1]
    gone = [weakref.ref(factor) for factor in factors]
    del factors
    gc.disable()
    try:
        y.backward(pb.tensor(ONES))
        assert [ref() for ref in gone] == [None, None]
    finally:
        gc.enable()


def test_gradients_of_a_chain_can_be_differentiated():
    x = leaf()
    y = x
    for _ in range(3):
        y = y * x
    (first,) = pb.grad(y, x, grad_outputs=pb.tensor(ONES), create_graph=True)
    (second,) = pb.grad(first, x, grad_outputs=pb.tensor(ONES))
    np.testing.assert_allclose(second.numpy(), 12 * x.detach().numpy() ** 2)


def test_a_gradient_of_another_shape_is_refused():
    y = chain(leaf(), constants(2.0, 3.0))[-1]
    with pytest.raises(pb.errors.GradientShapeError):
        y.backward(pb.tensor(np.ones(5, np.float32)))


def test_a_million_nodes():
    x, two = leaf(), pb.tensor(ONES)
    y = x
    for _ in range(1_000_000):
        y = y * two
    y.backward(pb.tensor(ONES))
    np.testing.assert_array_equal(x.grad.numpy(), ONES)


def test_nan_is_found_where_it_arises():
    zero = pb.tensor(np.zeros(4, np.float32), requires_grad=True)
    with pb.detect_anomaly(), pytest.raises(pb.errors.AnomalyError, match="sqrt"):
        (pb.numpy.sqrt(zero) * pb.tensor(np.zeros(4, np.float32))).backward(pb.tensor(ONES))
