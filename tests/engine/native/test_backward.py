"""The backward pass of the native engine: the reference engine's tests, and what only C++ can get wrong."""

import gc
import threading
import weakref

import numpy as np
import pytest

import pullback as pb

from ..reference.test_backward import *  # noqa: F403 (the same tests, on the engine of this folder)

pytestmark = pytest.mark.native


def test_a_list_input_gets_a_gradient_per_tensor(apply, make):
    joined = make(
        "joined",
        lambda parts: np.concatenate(parts),
        lambda saved, grads: ([grads[0][:2], grads[0][2:]],),
        kind="list",
    )
    a = pb.tensor([1.0, 2.0], requires_grad=True)
    b = pb.tensor([3.0])
    c = pb.tensor([4.0], requires_grad=True)
    y = apply(joined, [a, c])
    assert [node.name for node, _ in y.grad_fn.next_functions] == ["leaf", "leaf"]
    da, dc = pb.grad(y, [a, c], grad_outputs=[pb.tensor([1.0, 2.0, 3.0])])
    np.testing.assert_array_equal(da.numpy(), [1.0, 2.0])
    np.testing.assert_array_equal(dc.numpy(), [3.0])
    y = apply(joined, [a, b])
    assert [node and node.name for node, _ in y.grad_fn.next_functions] == ["leaf", None]


def test_a_list_where_a_tensor_is_meant_is_joined(squared, apply):
    a = pb.tensor(3.0, requires_grad=True)
    (gradient,) = pb.grad(apply(squared, [a]), a)
    assert gradient.item() == 6.0


def test_too_few_gradients_for_a_list_are_an_error(apply, make):
    joined = make(
        "joined", lambda parts: np.concatenate(parts), lambda saved, grads: ([grads[0][:2]],), kind="list"
    )
    a = pb.tensor([1.0, 2.0], requires_grad=True)
    y = apply(joined, [a, a])
    with pytest.raises(ValueError, match="1 gradients for a list of 2"):
        y.backward(pb.tensor([1.0, 2.0, 3.0, 4.0]))


def test_an_error_in_a_backward_leaves_the_graph_usable(apply, make, squared):
    fails = [True]

    def derivative(saved, grads):
        if fails:
            raise ZeroDivisionError("on purpose")
        return grads[0]

    x = pb.tensor(3.0, requires_grad=True)
    y = apply(squared, apply(make("moody", lambda x: x * 1.0, derivative), x))
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        pb.grad(y, x, retain_graph=True)
    fails.clear()
    assert pb.grad(y, x)[0].item() == 6.0


def test_a_backward_inside_a_backward_over_the_same_nodes(apply, make, squared):
    x = pb.tensor(3.0, requires_grad=True)
    inner = apply(squared, x)

    def derivative(saved, grads):
        return grads[0] * pb.grad(inner, x, retain_graph=True)[0].numpy()

    with pb.enable_grad():
        y = apply(make("nested", lambda x: x * 1.0, derivative), inner)
    assert pb.grad(y, x)[0].item() == 36.0


def test_two_threads_go_backward_through_shared_nodes(apply, squared, exponential):
    x = pb.tensor(np.linspace(0.0, 1.0, 8), requires_grad=True)
    shared = apply(exponential, apply(squared, x))
    seed = pb.tensor(np.ones(8))
    expected = 2 * np.linspace(0.0, 1.0, 8) * np.exp(np.linspace(0.0, 1.0, 8) ** 2)
    wrong = []

    def work():
        with pb.use_engine("native"):
            for _ in range(200):
                (gradient,) = pb.grad(shared, x, grad_outputs=seed, retain_graph=True)
                if not np.allclose(gradient.numpy(), expected):
                    wrong.append(gradient)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_cycles_through_hooks_are_collected(apply, squared):
    def make_cycles():
        x = pb.tensor(1.0, requires_grad=True)
        y = apply(squared, x)
        z = apply(squared, y)
        x.register_hook(lambda grad: x)
        y.register_hook(lambda grad: z)
        return [weakref.ref(x), weakref.ref(y.grad_fn), weakref.ref(z)]

    seen = make_cycles()
    assert all(ref() is not None for ref in seen), "there are cycles"
    gc.collect()
    assert [ref() for ref in seen] == [None] * 3


def test_a_leaf_whose_gradient_is_recorded_is_collected(apply, make):
    def make_cycle():
        saved = (("input", 0, "x"),)
        squared = make("squared", lambda x: x * x, lambda saved, grads: 2 * saved[0] * grads[0], saved)
        x = pb.tensor(2.0, requires_grad=True)
        apply(squared, apply(squared, x)).backward(create_graph=True)
        return weakref.ref(x)

    seen = make_cycle()
    assert seen() is not None, "its gradient leads back to it"
    gc.collect()
    assert seen() is None


def test_sums_of_large_gradients_lie_in_the_memory_of_the_engine():
    a = pb.tensor(np.linspace(0, 1, 1 << 16).reshape(256, 256), requires_grad=True)
    y = np.sin(a) * np.cos(a) + a
    before = pb.memory.stats().in_use
    (gradient,) = pb.grad(y, [a], [pb.tensor(np.ones(a.shape))], retain_graph=True)
    assert pb.memory.stats().in_use - before >= a.nbytes
    np.testing.assert_allclose(gradient.numpy(), np.cos(2 * a.detach().numpy()) + 1, rtol=1e-12)


def test_a_gradient_that_a_sum_passes_on_is_no_copy_and_what_is_asked_for_is_one():
    x, y = (pb.tensor(np.linspace(low, 1, 1 << 16), requires_grad=True) for low in (0, 0.5))
    seed = pb.tensor(np.linspace(1, 2, 1 << 16))
    terms, places = (np.exp(x), np.exp(y)), []
    for term in terms:
        term.register_hook(lambda gradient: places.append(gradient.numpy().ctypes.data))
    np.add(*terms).backward(seed)
    assert places == [seed.numpy().ctypes.data] * 2
    a, b = pb.grad(np.add(x, y), [x, y], [seed])
    a.numpy()[0] = 7.0
    assert (seed[0].item(), b[0].item()) == (1.0, 1.0)
    np.testing.assert_array_equal(b.numpy(), seed.numpy())


@pytest.mark.parametrize("size", [4, 1 << 16])
def test_gradients_that_are_passed_on_are_summed_where_they_meet(size):
    x = pb.tensor(np.linspace(0.5, 1, size), requires_grad=True)
    b = pb.tensor(np.float64(0.25), requires_grad=True)
    r = x + np.sin(x)
    s = (r - np.square(x)) + (x - r) + (r + b)
    gradients = pb.grad(s, [x, b], [pb.tensor(np.full(size, 3.0))])
    values = x.detach().numpy()
    np.testing.assert_allclose(gradients[0].numpy(), 3 * (2 - 2 * values + np.cos(values)), rtol=1e-13)
    assert gradients[1].item() == 3.0 * size


def test_a_gradient_of_another_dtype_or_shape_is_not_passed_on():
    x = pb.tensor(np.ones((300, 100), np.float32), requires_grad=True)
    y = pb.tensor(np.ones(100), requires_grad=True)
    gradients = pb.grad(x + y, [x, y], [pb.tensor(np.full((300, 100), 2.0))])
    assert [gradient.dtype for gradient in gradients] == [np.float32, np.float64]
    assert [gradient.numpy().tolist()[0] for gradient in gradients] == [[2.0] * 100, 600.0]
