"""The backward pass: order, sums, undefined gradients, variants, errors with a place."""

import numpy as np
import pytest

import pullback as pb


def leaf(value=3.0):
    return pb.tensor(value, requires_grad=True)


def test_a_node_runs_once_with_the_sum_of_its_gradients(apply, doubled, squared):
    x = leaf()
    t = apply(squared, x)
    first, second = apply(doubled, t), apply(doubled, t)
    (dx,) = pb.grad([first, second], x)
    assert dx.item() == 24.0
    assert len(squared.calls) == 1
    assert squared.calls[0][3] == [4.0]


def test_without_create_graph_variants_see_arrays(apply, squared):
    x = leaf()
    pb.grad(apply(squared, x), x)
    _, _, saved, cotangents = squared.calls[0]
    assert type(saved[0]) is type(cotangents[0]) is np.ndarray


def test_with_create_graph_variants_see_tensors_of_the_graph(apply, squared):
    x = leaf()
    pb.grad(apply(squared, x), x, create_graph=True)
    _, _, saved, cotangents = squared.calls[0]
    assert saved[0] is x
    assert isinstance(cotangents[0], pb.Tensor)


def test_the_gradient_of_a_hidden_output_arrives_at_its_place(apply, hidden):
    x = leaf()
    (dx,) = pb.grad(apply(hidden, x), x, create_graph=True)
    assert dx.item() == 6.0
    assert hidden.calls[0][0] == (True, False)
    (ddx,) = pb.grad(dx, x)
    assert ddx.item() == 2.0
    assert hidden.calls[1][0] == (False, True)


def test_undefined_gradients_stay_undefined(apply, make):
    pair = make(
        "pair",
        lambda x: (x * 2, x * 3),
        lambda saved, grads: (2 * grads[0] if grads[0] is not None else 0) + 3 * grads[1],
        n_results=2,
        result_is_tuple=True,
    )
    x = leaf()
    _, second = apply(pair, x)
    assert pb.grad(second, x)[0].item() == 3.0
    assert pair.calls[0][0] == (False, True)
    assert pair.calls[0][3][0] is None


def test_zeros_are_made_where_a_variant_asks(apply, make):
    pair = make(
        "pair",
        lambda x: (x * 2, x * 3),
        lambda saved, grads: 2 * grads[0] + 3 * grads[1],
        n_results=2,
        result_is_tuple=True,
        materialize=(0,),
    )
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    _, second = apply(pair, x)
    assert pb.grad(second, x, np.ones(2))[0].tolist() == [3.0, 3.0]
    assert pair.calls[0][3][0].tolist() == [0.0, 0.0]


def test_a_node_without_gradient_does_not_run(apply, squared, make):
    cut = make("cut", lambda x: x * 1.0, lambda saved, grads: None)
    x = leaf()
    y = apply(cut, apply(squared, x))
    assert pb.grad(y, x, allow_unused=True) == (None,)
    assert squared.calls == []


def test_only_what_leads_to_an_input_runs(apply, squared, doubled, make):
    add = make("plus", lambda x, y: x + y, lambda saved, grads: (grads[0], grads[0]), arity=2)
    x, y = leaf(), leaf()
    total = apply(add, apply(squared, x), apply(doubled, y))
    pb.grad(total, y)
    assert squared.calls == []
    assert add.calls[0][1] == (False, True)


def test_a_wrong_shape_names_operator_input_and_place(apply, make):
    wrong = make("wrong", lambda x: x * 2, lambda saved, grads: np.ones(5))
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(pb.errors.GradientShapeError) as caught:
        pb.grad(apply(wrong, x), x, np.ones(2))
    message = str(caught.value)
    for part in ("hand.py:1:1", "wrong", "(5,)", "'x0'", "(2,)", "conftest.py:"):
        assert part in message


def test_gradients_are_cast_to_the_inputs_dtype(apply, make):
    wide = make("wide", lambda x: x * 2, lambda saved, grads: grads[0].astype(np.float64) * 2)
    x = pb.tensor(np.ones(2, np.float32), requires_grad=True)
    assert pb.grad(apply(wide, x), x, np.ones(2))[0].dtype == np.float32


def test_a_barrier_runs_on_arrays_and_refuses_a_second_derivative(apply, squared):
    squared.barrier = "first order only"
    x = leaf()
    (dx,) = pb.grad(apply(squared, x), x, create_graph=True)
    assert type(squared.calls[0][2][0]) is np.ndarray
    assert dx.grad_fn.name == "squared barrier"
    with pytest.raises(pb.errors.BarrierError, match=r"hand.py:1:1.*first order only"):
        pb.grad(dx, x)


def test_sums_are_in_the_order_of_arrival(apply, make):
    add3 = make(
        "add3", lambda x, y, z: x + y + z, lambda s, g: (g[0] * 1e16, g[0] * 1.0, g[0] * -1e16), arity=3
    )
    x = leaf(1.0)
    assert pb.grad(apply(add3, x, x, x), x)[0].item() == (1e16 + 1.0) - 1e16
