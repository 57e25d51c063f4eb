"""Hooks on tensors: when they run, what they may do, how they go; and retained gradients."""

import gc
import weakref

import numpy as np
import pytest

import pullback as pb

from .formulas import simple


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
    with pytest.raises(pb.NotDifferentiableError, match="no gradient reaches"):
        pb.tensor(1.0).register_hook(print)


def test_a_hook_keeps_the_shape(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda grad: grad.sum())
    with pytest.raises(pb.GradientShapeError, match="hook"):
        (x * x).sum().backward()


def test_a_gradient_can_not_be_written_in_a_hook(engine):
    a = pb.tensor([1.0], requires_grad=True)
    b = pb.tensor([1.0], requires_grad=True)

    def hook(grad):
        grad[0] = 100.0

    a.register_hook(hook)
    with pytest.raises(pb.MutationError, match="read-only"):
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
        with pytest.raises(pb.NotDifferentiableError, match="leaf"):
            tensor.register_post_accumulate_grad_hook(print)
    x.register_post_accumulate_grad_hook(lambda tensor: tensor)
    with pytest.raises(TypeError, match="returns None"):
        (x * x).backward()


def test_a_hook_before_and_one_after_a_node(engine):
    a = pb.tensor([1.0, 2.0], requires_grad=True)
    b = pb.tensor([3.0, 4.0], requires_grad=True)
    y = a * b
    seen = []

    def before(grad_outputs):
        seen.append(("before", [g.tolist() for g in grad_outputs]))
        return (grad_outputs[0] * 2,)

    def after(grad_inputs, grad_outputs):
        seen.append(("after", [g.tolist() for g in grad_inputs], [g.tolist() for g in grad_outputs]))
        return grad_inputs[0], grad_inputs[1] + 100.0

    handles = [y.grad_fn.register_hook(after), y.grad_fn.register_prehook(before)]
    y.sum().backward(retain_graph=True)
    assert seen == [
        ("before", [[1.0, 1.0]]),
        ("after", [[6.0, 8.0], [2.0, 4.0]], [[2.0, 2.0]]),
    ]
    assert a.grad.tolist() == [6.0, 8.0]
    assert b.grad.tolist() == [102.0, 104.0]
    for handle in handles:
        handle.remove()
    assert pb.grad(y.sum(), b)[0].tolist() == [1.0, 2.0]
    assert len(seen) == 2


def test_the_order_of_all_hooks(engine):
    x = pb.tensor(1.0, requires_grad=True)
    y = x * 2.0
    order = []

    def note(name):
        return lambda *gradients: order.append(name)

    leaf = y.grad_fn.next_functions[0][0]
    leaf.register_hook(note("after leaf"))
    leaf.register_prehook(note("before leaf"))
    x.register_post_accumulate_grad_hook(note("accumulated"))
    x.register_hook(note("x"))
    y.grad_fn.register_hook(note("after node"))
    y.grad_fn.register_prehook(note("before node 1"))
    y.grad_fn.register_prehook(note("before node 2"))
    y.register_hook(note("y 1"))
    y.register_hook(note("y 2"))
    y.backward()
    assert order == [
        "y 1",
        "y 2",
        "before node 1",
        "before node 2",
        "after node",
        "x",
        "before leaf",
        "accumulated",
        "after leaf",
    ]


def test_hooks_of_a_node_that_is_not_needed_do_not_run(engine):
    x = pb.tensor(1.0, requires_grad=True)
    t = x * 2.0
    y = t * 3.0
    seen = []
    t.grad_fn.register_prehook(lambda grads: seen.append("before"))
    t.grad_fn.register_hook(lambda inputs, outputs: seen.append("after"))
    assert pb.grad(y, t, retain_graph=True)[0].item() == 3.0
    assert seen == []
    y.backward()
    assert seen == ["before", "after"]


def test_a_target_in_the_middle_keeps_its_graph(engine):
    x = pb.tensor(3.0, requires_grad=True)
    t = x * x
    assert pb.grad(t * t, t)[0].item() == 18.0
    t.backward()
    assert x.grad.item() == 6.0


def test_undefined_gradients_are_none_to_hooks(engine):
    x = pb.tensor([1.0, 4.0], requires_grad=True)
    c = pb.tensor([1.0, 1.0], requires_grad=True)
    first, second = two_results(x, c)
    seen = []
    first.grad_fn.register_prehook(lambda grads: seen.append([g is None for g in grads]))
    first.grad_fn.register_hook(lambda inputs, outputs: seen.append([g is None for g in inputs]))
    assert pb.grad(second.sum(), x)[0].tolist() == [2.0, 2.0]
    assert seen == [[True, False], [False, True]]


@pb.formula
def two_results(x, c):
    first, second = x * c, x * 2

    def two_results_pullback(grad_first, grad_second):
        return grad_first * c + grad_second * 2, grad_first * x

    return (first, second), two_results_pullback


def test_hidden_outputs_are_not_shown_to_hooks(engine):
    a, b = (pb.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    y = simple(a, b)
    seen = []
    y.grad_fn.register_prehook(lambda grads: seen.append(len(grads)))
    (da,) = pb.grad(y, b, create_graph=True)
    assert pb.grad(da, [a, b])[1].item() == 2.0
    assert seen == [1, 1]


def test_hooks_of_nodes_are_part_of_a_recorded_backward(engine):
    x = pb.tensor(3.0, requires_grad=True)
    y = x * x
    y.grad_fn.register_prehook(lambda grads: (grads[0] * x,))
    y.grad_fn.register_hook(lambda inputs, outputs: tuple(g * x for g in inputs))
    (dx,) = pb.grad(y, x, create_graph=True)
    assert dx.item() == 2 * 27.0
    assert pb.grad(dx, x)[0].item() == pytest.approx(2 * 27.0)


def test_what_hooks_of_nodes_may_return(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    for hook, error, match in (
        (lambda grads: (grads[0].sum(),), pb.GradientShapeError, r"\(2,\) by one of \(\)"),
        (lambda grads: (1.0,), TypeError, "tensors or None, not float"),
        (lambda grads: (), ValueError, "0 gradients in the place of 1"),
    ):
        y = x * 2.0
        y.grad_fn.register_prehook(hook)
        with pytest.raises(error, match=match):
            y.sum().backward()
    y = x * 2.0
    y.grad_fn.register_prehook(lambda grads: (None,))
    y.sum().backward()
    assert x.grad is None


def test_several_tensors_at_once(engine):
    a, b, c = (pb.tensor(value, requires_grad=True) for value in (2.0, 3.0, 5.0))
    t = a * b
    seen = []
    handle = pb.register_multi_grad_hook(
        [a, t, c], lambda grads: seen.append([g if g is None else g.item() for g in grads])
    )
    first = []
    pb.register_multi_grad_hook([a, t, c], lambda grad: first.append(grad.item()), mode="any")
    (t * c + a).backward(retain_graph=True)
    assert seen == [[16.0, 5.0, 6.0]]
    assert first in ([5.0], [6.0])
    (t * 2.0).backward()
    assert seen[1:] == [[6.0, 2.0, None]]
    pb.grad(t * c, c)
    assert seen[2:] == [[None, None, 6.0]]
    handle.remove()
    (a * b * c).backward()
    assert len(seen) == 3
    assert len(first) == 4


def test_several_tensors_do_not_keep_each_other_alive(engine):
    gc.collect()
    gc.disable()
    try:
        a, b = (pb.tensor([value], requires_grad=True) for value in (2.0, 3.0))
        t = a * b
        pb.register_multi_grad_hook([a, b, t], lambda grads: None)
        pb.register_multi_grad_hook([a, b, t], lambda grad: None, mode="any")
        t.sum().backward()
        seen = [weakref.ref(tensor) for tensor in (a, b, t)]
        del a, b, t
        assert [ref() for ref in seen] == [None] * 3
    finally:
        gc.enable()


def test_several_tensors_must_have_gradients(engine):
    x = pb.tensor(1.0, requires_grad=True)
    with pytest.raises(pb.NotDifferentiableError, match="number 1 doesn't"):
        pb.register_multi_grad_hook([x, pb.tensor(1.0)], print)
    with pytest.raises(TypeError, match="number 0 is a float"):
        pb.register_multi_grad_hook([1.0], print)
    with pytest.raises(ValueError, match="'all' or 'any'"):
        pb.register_multi_grad_hook([x], print, mode="some")


def everything_hooked(x, y, leaf, order):
    """Register a hook of every kind on y = x * 2 * 3 and the nodes behind it, in one mixed order."""

    def note(name):
        return lambda *gradients: order.append(name)

    leaf.register_hook(note("after leaf"))
    y.grad_fn.register_hook(note("after node"))
    x.register_post_accumulate_grad_hook(note("accumulated"))
    x.register_hook(note("x 1"))
    y.register_hook(note("y 1"))
    y.grad_fn.register_prehook(note("before node"))
    y.retain_grad()
    x.register_hook(note("x 2"))
    y.register_hook(note("y 2"))
    leaf.register_prehook(note("before leaf"))


@pytest.mark.torch
def test_the_order_is_that_of_torch(engine):
    import torch

    found = []
    for x in (
        pb.tensor(1.0, requires_grad=True),
        torch.tensor(1.0, requires_grad=True),
    ):
        order = []
        y = x * 2.0
        everything_hooked(x, y, y.grad_fn.next_functions[0][0], order)
        (y * 3.0).backward()
        found.append((order, float(y.grad), float(x.grad)))
    assert found[0] == found[1]
    assert len(found[0][0]) == 9


PLACES = {
    "tensor": lambda y, given: y.register_hook(lambda grad: given),
    "before the node": lambda y, given: y.grad_fn.register_prehook(lambda grads: (given,)),
    "after the node": lambda y, given: y.grad_fn.register_hook(lambda grads, _: (given,) * len(grads)),
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_what_a_hook_returns_takes_the_dtype_of_the_gradient(engine, place, create_graph):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3.0
    y.retain_grad()
    PLACES[place](y, pb.tensor(np.ones(2, np.float32)))
    y.sum().backward(create_graph=create_graph)
    assert (x.grad.dtype, y.grad.dtype) == (np.float64, np.float64)


@pytest.mark.native
@pytest.mark.parametrize("place", PLACES)
def test_what_a_hook_returns_is_of_the_same_engine(engine, place):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    with pb.use_engine("native" if engine == "reference" else "reference"):
        PLACES[place](y, pb.tensor([1.0, 1.0]))
    with pytest.raises(pb.EngineMismatchError):
        y.sum().backward()


def test_a_gradient_that_is_set_has_shape_and_dtype(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    for wrong in (np.ones(2), pb.tensor([1.0]), pb.tensor(np.ones(2, np.float32)), 5):
        with pytest.raises(TypeError, match=r"shape \(2,\) and dtype float64"):
            x.grad = wrong
    x.grad = pb.tensor([5.0, 6.0])
    x.sum().backward()
    assert x.grad.numpy().tolist() == [6.0, 7.0]


def test_what_is_no_function_is_refused_when_it_is_registered(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    for register in (
        x.register_hook,
        y.register_hook,
        x.register_post_accumulate_grad_hook,
        y.grad_fn.register_hook,
        y.grad_fn.register_prehook,
    ):
        with pytest.raises(TypeError, match="a hook is a function, not int"):
            register(3)


def test_hooks_that_remove_and_register_each_other(engine):
    log = []
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1.0

    def first(grad):
        log.append("first")
        second.remove()

    def third(grad):
        log.append("third")
        y.register_hook(lambda grad: log.append("fourth"))

    y.register_hook(first)
    second = y.register_hook(lambda grad: log.append("second"))
    y.register_hook(third)
    loss = y.sum()
    loss.backward(retain_graph=True)
    assert log == ["first", "second", "third"]  # those that were there when the gradient came
    log.clear()
    loss.backward()
    assert log == ["first", "third", "fourth"]


@pytest.mark.parametrize("error", [KeyError("inside"), KeyboardInterrupt()])
def test_an_exception_in_a_hook_leaves_the_graph_usable(engine, error):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = x * x

    def failing(grad):
        raise error

    handle = y.register_hook(failing)
    loss = (y * y).sum()
    with pytest.raises(type(error)):
        loss.backward(retain_graph=True)
    assert x.grad is None
    assert pb.is_grad_enabled()
    handle.remove()
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [4.0, 32.0])
