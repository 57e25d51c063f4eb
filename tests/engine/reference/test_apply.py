"""Calls: what is recorded, what a node keeps, which memory results share."""

import numpy as np
import pytest

import pullback as pb


def test_a_result_hangs_on_a_node_with_an_edge_per_tensor(apply, make):
    add = make("plus", lambda x, y: x + y, lambda saved, grads: (grads[0], grads[0]), arity=2)
    x, y = pb.tensor(1.0, requires_grad=True), pb.tensor(2.0)
    z = apply(add, x, y)
    assert z.item() == 3.0
    assert z.grad_fn.name == "plus"
    ((leaf, output),) = z.grad_fn.next_functions
    assert (leaf.tensor, output) == (x, 0)


def test_nothing_is_recorded_without_need(apply, squared):
    x = pb.tensor(1.0, requires_grad=True)
    assert apply(squared, pb.tensor(1.0)).is_leaf
    with pb.no_grad():
        assert apply(squared, x).is_leaf
    assert not apply(squared, x.detach()).requires_grad


def test_hidden_outputs_do_not_show(apply, hidden):
    y = apply(hidden, pb.tensor(3.0, requires_grad=True))
    assert isinstance(y, pb.Tensor)
    assert len(y.grad_fn.outputs) == 2


def test_a_results_memory_is_kept_without_a_cycle(apply, exponential):
    y = apply(exponential, pb.tensor(0.0, requires_grad=True))
    (kept,) = y.grad_fn.saved
    again = kept.unpack(y.grad_fn)
    assert again is not y
    assert again.grad_fn is y.grad_fn
    assert again._array is y._array


def test_results_without_gradient(apply, make):
    top = make(
        "top",
        lambda x: (np.max(x), np.argmax(x)),
        lambda saved, grads: grads[0],
        n_results=2,
        result_is_tuple=True,
        nondifferentiable=frozenset({1}),
    )
    value, index = apply(top, pb.tensor([1.0, 2.0], requires_grad=True))
    assert value.requires_grad
    assert not index.requires_grad


def test_an_operator_with_no_differentiable_result_records_nothing(apply, make):
    step = make("step", lambda x: x > 0, lambda saved, grads: None)
    assert not apply(step, pb.tensor(1.0, requires_grad=True)).requires_grad


def test_lists_have_an_edge_for_each_tensor(apply, make):
    join = make("join", lambda xs: np.stack(xs), lambda saved, grads: (list(grads[0]),), kind="list")
    x, y = pb.tensor(1.0, requires_grad=True), pb.tensor(2.0, requires_grad=True)
    joined = apply(join, [x, np.float64(5.0), y])
    dx, dy = pb.grad(joined, [x, y], np.array([1.0, 2.0, 3.0]))
    assert (dx.item(), dy.item()) == (1.0, 3.0)


def test_an_attribute_takes_no_tensor_that_wants_a_gradient(apply, make):
    scale = make("scale", lambda x, by: x * by, lambda saved, grads: grads[0])
    x = pb.tensor(1.0, requires_grad=True)
    assert apply(scale, x, by=pb.tensor(3.0)).item() == 3.0
    with pytest.raises(pb.errors.NotDifferentiableError, match=r"by\.detach\(\)"):
        apply(scale, x, by=x)


def test_results_that_share_memory_share_a_storage(apply, make):
    view = make(
        "view", lambda x: (x[1:], x[:1]), lambda saved, grads: None, n_results=2, result_is_tuple=True
    )
    x = pb.tensor([1.0, 2.0, 3.0])
    first, second = apply(view, x)
    assert first._storage is second._storage is x._storage
    fresh = make("fresh", lambda x: x + 1, lambda saved, grads: None)
    assert apply(fresh, x)._storage is not x._storage


def test_an_observer_sees_each_call(doubled):
    from pullback.engine import reference

    seen = []
    reference.set_observer(lambda operator, *rest: seen.append(operator.name))
    reference.apply(doubled, (pb.tensor(1.0),), {})
    reference.set_observer(None)
    reference.apply(doubled, (pb.tensor(1.0),), {})
    assert seen == ["doubled"]


def test_a_list_of_tensors_for_a_tensor_is_their_stack(apply, squared):
    x = pb.tensor(3.0, requires_grad=True)
    y = apply(squared, [pb.tensor(1.0), x])
    np.testing.assert_array_equal(y.detach().numpy(), [1.0, 9.0])
    assert pb.grad(y, [x], np.ones(2))[0].item() == 6.0
