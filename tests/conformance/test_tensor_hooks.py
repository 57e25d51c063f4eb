"""Hooks on tensors, before and after accumulation, and retained gradients."""

import numpy as np
import pytest

import pullback as pb


def test_a_hook_on_a_leaf_sees_the_summed_gradient_and_may_replace_it(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    seen = []

    def hook(grad):
        seen.append(grad.numpy().tolist())
        return grad * 2

    handle = x.register_hook(hook)
    (x * x + x).sum().backward()
    assert seen == [[3.0, 5.0]]
    assert x.grad.numpy().tolist() == [6.0, 10.0]
    handle.remove()
    x.grad = None
    (x * x).sum().backward()
    assert len(seen) == 1
    assert x.grad.numpy().tolist() == [2.0, 4.0]


def test_a_hook_on_an_intermediate_changes_what_flows_on(engine):
    x = pb.tensor(2.0, requires_grad=True)
    t = x * x
    t.register_hook(lambda grad: grad * 10)
    (3 * t).backward()
    assert x.grad.item() == 120.0


def test_hooks_run_in_order_and_before_retained_gradients(engine):
    x = pb.tensor(1.0, requires_grad=True)
    t = x * 1.0
    t.retain_grad()
    t.register_hook(lambda grad: grad + 1)
    t.register_hook(lambda grad: grad * 10)
    t.backward()
    assert t.grad.item() == 20.0
    assert x.grad.item() == 20.0


def test_hooks_run_in_grad_too(engine):
    x = pb.tensor(1.0, requires_grad=True)
    x.register_hook(lambda grad: grad * 5)
    assert pb.grad(x * 2.0, x)[0].item() == 10.0


def test_a_hook_is_part_of_a_recorded_backward(engine):
    x = pb.tensor(3.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda grad: grad * x)
    (dx,) = pb.grad(y, x, create_graph=True)
    assert dx.item() == 18.0
    assert pb.grad(dx, x)[0].item() == 12.0


def test_only_tensors_with_a_gradient_take_hooks(engine):
    with pytest.raises(pb.errors.NotDifferentiableError, match="no gradient reaches"):
        pb.tensor(1.0).register_hook(print)


def test_a_hook_keeps_the_shape(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda grad: grad.sum())
    with pytest.raises(pb.errors.GradientShapeError, match="hook"):
        (x * x).sum().backward()


def test_a_gradient_can_not_be_written_in_a_hook(engine):
    a = pb.tensor([1.0], requires_grad=True)
    b = pb.tensor([1.0], requires_grad=True)

    def hook(grad):
        grad[0] = 100.0

    a.register_hook(hook)
    with pytest.raises(pb.errors.MutationError, match="read-only"):
        pb.grad(a + b, [a, b], np.ones(1))


def test_after_accumulation_a_leaf_has_its_gradient(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    seen = []

    def step(tensor):
        seen.append(tensor.grad.tolist())
        assert tensor is x
        with pb.no_grad():
            x[...] = x.detach() - 0.5 * tensor.grad
        tensor.grad = None

    x.register_hook(lambda grad: grad * 10)
    handle = x.register_post_accumulate_grad_hook(step)
    (x * 3.0).sum().backward()
    assert seen == [[30.0, 30.0]]
    assert x.grad is None
    assert x.tolist() == [-14.0, -13.0]
    handle.remove()
    (x * 3.0).sum().backward()
    assert len(seen) == 1
    assert x.grad.tolist() == [30.0, 30.0]


def test_after_accumulation_runs_only_where_something_is_accumulated(engine):
    x = pb.tensor(1.0, requires_grad=True)
    y = pb.tensor(2.0, requires_grad=True)
    seen = []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.append("x"))
    y.register_post_accumulate_grad_hook(lambda tensor: seen.append("y"))
    pb.grad(x * y, [x, y])
    assert seen == []
    (x * y).backward(inputs=[x])
    assert seen == ["x"]
    (x * y).backward(create_graph=True)
    assert sorted(seen) == ["x", "x", "y"]


def test_after_accumulation_is_for_leaves_and_returns_nothing(engine):
    x = pb.tensor(1.0, requires_grad=True)
    for tensor in (x * x, pb.tensor(1.0)):
        with pytest.raises(pb.errors.NotDifferentiableError, match="leaf"):
            tensor.register_post_accumulate_grad_hook(print)
    x.register_post_accumulate_grad_hook(lambda tensor: tensor)
    with pytest.raises(TypeError, match="returns None"):
        (x * x).backward()


def test_a_gradient_that_is_set_has_shape_and_dtype(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    for wrong in (np.ones(2), pb.tensor([1.0]), pb.tensor(np.ones(2, np.float32)), 5):
        with pytest.raises(TypeError, match=r"shape \(2,\) and dtype float64"):
            x.grad = wrong
    x.grad = pb.tensor([5.0, 6.0])
    x.sum().backward()
    assert x.grad.numpy().tolist() == [6.0, 7.0]
