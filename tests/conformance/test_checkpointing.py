"""`pb.checkpoint`: the gradients of the plain call, with less memory."""

import gc
import weakref

import numpy as np
import pytest

import pullback as pb

A = np.array([0.3, -0.7, 1.1])
B = np.array([1.5, 0.2, -0.4])


def segment(a, b):
    t = np.sin(a * b)
    return np.exp(t) * a + b * b


def leaves():
    return pb.tensor(A, requires_grad=True), pb.tensor(B, requires_grad=True)


def derivatives(function, order):
    a, b = leaves()
    y = function(a * 2, b)
    found = [y]
    for _ in range(order):
        y = sum((g * g).sum() for g in pb.grad(y.sum(), [a, b], create_graph=True))
        found.append(y)
    return [value.detach().numpy() for value in found]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_are_those_of_the_plain_call(engine, order):
    found = derivatives(lambda a, b: pb.checkpoint(segment, a, b), order)
    np.testing.assert_equal(found[0], derivatives(segment, order)[0])
    for one, other in zip(found, derivatives(segment, order), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_nested(engine):
    def outer(a, b):
        return pb.checkpoint(segment, pb.checkpoint(segment, a, b), b * a)

    for checkpointed in (outer, lambda a, b: pb.checkpoint(outer, a, b)):
        found = derivatives(checkpointed, 2)
        expected = derivatives(lambda a, b: segment(segment(a, b), b * a), 2)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_an_input_that_depends_on_another_is_not_counted_twice(engine):
    a, _ = leaves()
    first = pb.grad(pb.checkpoint(segment, a, a * 3).sum(), a)[0]
    again = pb.grad(pb.checkpoint(segment, a, a * 3).sum(), a, create_graph=True)[0]
    expected = pb.grad(segment(a, a * 3).sum(), a)[0]
    for found in (first, again):
        np.testing.assert_allclose(found.detach().numpy(), expected.numpy(), rtol=1e-12)


def test_several_results_lists_and_keywords(engine):
    def function(pair, scale, *, shift):
        a, b = pair
        return a * b * scale, np.floor(a), shift * a

    a, b = leaves()
    product, whole, shifted = pb.checkpoint(function, [a, b], 2.0, shift=b)
    assert pb.grad(whole.sum(), a, retain_graph=True, allow_unused=True)[0] is None
    da, db = pb.grad(product.sum(), [a, b], retain_graph=True)
    np.testing.assert_allclose(da.numpy(), 2 * B)
    np.testing.assert_allclose(db.numpy(), 2 * A)
    np.testing.assert_allclose(pb.grad(shifted.sum(), b)[0].numpy(), A)


def dropout(x, rng=None):
    mask = rng.random(x.shape) if rng is not None else np.random.rand(*x.shape)
    return np.exp(x * (mask > 0.5) * mask)


@pytest.mark.parametrize("with_generator", [False, True])
def test_the_second_run_draws_the_same_numbers(engine, with_generator):
    def run(call):
        np.random.seed(3)
        rng = np.random.default_rng(3) if with_generator else None
        x = pb.tensor(np.ones(50), requires_grad=True)
        y = call(x, rng)
        after = np.random.rand(), rng.random() if rng else 0.0
        (gradient,) = pb.grad(y.sum(), x)
        return y.detach().tolist(), gradient.tolist(), after, np.random.rand(), rng.random() if rng else 0.0

    plain = run(lambda x, rng: dropout(x, rng=rng))
    assert run(lambda x, rng: pb.checkpoint(dropout, x, rng=rng)) == plain


def test_intermediates_are_let_go_until_the_backward(engine):
    alive = []

    def long_chain(x):
        for _ in range(20):
            x = np.sin(x * x)
            alive.append(weakref.ref(x))
        return x

    gc.disable()
    try:
        x = pb.tensor(np.ones(1000), requires_grad=True)
        y = pb.checkpoint(long_chain, x)
        assert sum(ref() is not None for ref in alive) == 0
        assert len(alive) == 20
        node = weakref.ref(y.grad_fn) if engine == "reference" else None
        y.sum().backward()
        assert len(alive) == 40
        assert sum(ref() is not None for ref in alive) == 0
        del y
        assert node is None or node() is None
    finally:
        gc.enable()


def test_saved_memory_is_less(engine):
    import tracemalloc

    def chain(x):
        for _ in range(10):
            x = np.sin(x)
        return x

    def peak(call):
        x = pb.tensor(np.ones(100_000), requires_grad=True)
        tracemalloc.start()
        y = call(x)
        kept = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert y.requires_grad
        return kept

    if engine == "native":
        pytest.skip("its allocator is its own")
    assert peak(lambda x: pb.checkpoint(chain, x)) < peak(chain) / 5


def test_without_gradients_it_is_a_call(engine):
    a, b = pb.tensor(A), pb.tensor(B)
    assert pb.checkpoint(segment, a, b).tolist() == segment(a, b).tolist()
    assert pb.checkpoint(lambda: 3) == 3
    with pb.no_grad():
        assert not pb.checkpoint(segment, *leaves()).requires_grad


def test_what_it_refuses(engine):
    a, b = leaves()
    b.name = "weights"
    for function in (lambda a: a * b, lambda a: (a, b)):
        with pytest.raises(pb.NotDifferentiableError, match=r"'weights' of shape \(3,\).*argument"):
            pb.checkpoint(function, a)
    with pytest.raises(TypeError, match="returned a float"):
        pb.checkpoint(lambda a: 1.0, a)
