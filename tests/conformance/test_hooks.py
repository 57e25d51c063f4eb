"""What hooks of all kinds share: order, what they may return, removal, errors in them."""

import numpy as np
import pytest
import typeguard

import pullback as pb


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
    with pytest.raises(pb.errors.EngineMismatchError):
        y.sum().backward()


@typeguard.suppress_type_checks  # the engine's own error is meant, not that of the annotation
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
