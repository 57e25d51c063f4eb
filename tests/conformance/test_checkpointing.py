"""`pb.checkpoint`: the gradients of the plain call, with less memory."""

import gc
import weakref

import numpy as np
import pytest

import pullback as pb

from .checkpoint_inputs import A, B, leaves


def segment(a, b):
    t = np.sin(a * b)
    return np.exp(t) * a + b * b


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
    assert not whole.requires_grad
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
        assert sum(ref() is not None for ref in alive[:-1]) == 0
        assert len(alive) == 20
        node = weakref.ref(y.grad_fn)
        y.sum().backward()
        assert len(alive) == 39  # the last sine is not computed again: its cosine needs its input only
        assert sum(ref() is not None for ref in alive[:-1]) == 1
        del y
        assert node() is None
        assert sum(ref() is not None for ref in alive) == 0
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
        pytest.skip("tracemalloc does not see the native engine's allocator")
    assert peak(lambda x: pb.checkpoint(chain, x)) < peak(chain) / 5


def test_without_gradients_it_is_a_call(engine):
    a, b = pb.tensor(A), pb.tensor(B)
    assert pb.checkpoint(segment, a, b).tolist() == segment(a, b).tolist()
    assert pb.checkpoint(lambda: 3) == 3
    with pb.no_grad():
        assert not pb.checkpoint(segment, *leaves()).requires_grad


def test_tensors_that_it_closes_over_get_gradients(engine):
    a, b = leaves()
    c = b * 2
    y = pb.checkpoint(lambda a: segment(a, b) * c, a)
    found = pb.grad(y.sum(), [a, b, c], create_graph=True)
    expected = pb.grad((segment(a, b) * c).sum(), [a, b, c], create_graph=True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-12)
    for one, other in zip(pb.grad(found[1].sum(), [a, b]), pb.grad(expected[1].sum(), [a, b]), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-12)
    pb.checkpoint(lambda: segment(a, b)).sum().backward()
    assert a.grad is not None


def test_anything_may_be_returned(engine):
    a, b = leaves()
    found = pb.checkpoint(lambda a: {"product": a * b, "same": a, "number": 3.0}, a)
    assert found["number"] == 3.0
    assert found["same"] is a
    np.testing.assert_array_equal(pb.grad(found["product"].sum(), a)[0].numpy(), B)


def test_the_second_run_stops_at_the_last_value_that_is_needed(engine):
    reached = []

    def function(a):
        t = np.exp(a)
        reached.append("exp")
        u = t * 2.0
        reached.append("doubled")
        v = np.sin(u)
        reached.append("sine")
        return t, v

    a, _ = leaves()
    t, v = pb.checkpoint(function, a)
    del v
    reached.clear()
    t.sum().backward()
    assert reached == []
    t, v = pb.checkpoint(function, a)
    reached.clear()
    v.sum().backward()
    assert reached == ["exp", "doubled"]


def test_a_function_that_stops_is_left_cleanly(engine):
    left = []

    def function(a):
        try:
            return np.sin(a)
        except Exception:
            left.append("caught")
            raise
        finally:
            left.append("left")

    a, _ = leaves()
    pb.checkpoint(function, a).sum().backward()
    assert left == ["left", "left"]
    assert pb.is_grad_enabled()


def test_a_backward_inside(engine):
    def function(a):
        (slope,) = pb.grad(np.exp(a * a).sum(), a, create_graph=True)
        return np.sin(slope) * a

    def plain(a):
        return function(a * 1.0)

    a, _ = leaves()
    for order in (1, 2):
        found, expected = pb.checkpoint(plain, a).sum(), plain(a).sum()
        for _ in range(order):
            (found,) = pb.grad(found.sum(), a, create_graph=True)
            (expected,) = pb.grad(expected.sum(), a, create_graph=True)
        np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-10)


def test_two_backwards_each_run_it_again(engine):
    calls = []

    def function(a):
        calls.append(1)
        return segment(a, a)

    a, _ = leaves()
    y = pb.checkpoint(function, a).sum()
    first = pb.grad(y, a, retain_graph=True)[0]
    assert pb.grad(y, a)[0].tolist() == first.tolist()
    assert len(calls) == 3
    with pytest.raises(pb.errors.GraphFreedError):
        pb.grad(y, a)


def test_nested_ones_compute_again_what_they_were_given(engine):
    calls = []

    def inner(a):
        calls.append("inner")
        return np.sin(a) * a

    def outer(a):
        calls.append("outer")
        return pb.checkpoint(inner, np.exp(a)) * pb.checkpoint(inner, a * 2)

    a, _ = leaves()
    (found,) = pb.grad(pb.checkpoint(outer, a).sum(), a)
    np.testing.assert_allclose(found.numpy(), pb.grad(outer(a).sum(), a)[0].numpy(), rtol=1e-12)
    assert calls.count("outer") == 3


def test_an_argument_that_outer_hooks_keep_elsewhere_may_have_been_written(engine):
    a, _ = leaves()
    x = a * 2
    x += 1.0
    with pb.saved_tensors_hooks(lambda value: value.copy(), lambda kept: kept):
        y = pb.checkpoint(lambda x: np.sin(x) * x * x, x)
    (found,) = pb.grad(y.sum(), a, retain_graph=True)
    (expected,) = pb.grad((np.sin(x) * x * x).sum(), a)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-12)


def test_tangents_of_gradients(engine):
    def program(x, y):
        return pb.checkpoint(lambda x: np.sin(x) * y.mean(), np.exp(x) * y).sum()

    a, b = leaves()
    with pb.forward_ad.dual_level():
        x = pb.forward_ad.make_dual(a, B)
        curvature = pb.forward_ad.unpack_dual(pb.grad(program(x, b), a)[0]).tangent
    _, expected = pb.hvp(lambda x: program(x, b), a, B)
    np.testing.assert_allclose(curvature.numpy(), expected.numpy(), rtol=1e-12)


def test_generators_are_found_in_dicts(engine):
    def draws(a, options):
        return np.sin(a * options["generator"].random(3)) * options["generator"].random(3)

    found = []
    for call in (draws, lambda *arguments: pb.checkpoint(draws, *arguments)):
        generator = np.random.default_rng(5)
        a, _ = leaves()
        call(a, {"generator": generator}).sum().backward()
        found.append((*a.grad.numpy(), generator.random()))
    assert found[0] == found[1]


def test_an_error_in_the_second_run_comes_out(engine):
    calls = []

    def function(a):
        calls.append(1)
        if len(calls) == 2:
            raise KeyError("only once")
        return np.sin(a)

    a, _ = leaves()
    with pytest.raises(KeyError, match="only once"):
        pb.checkpoint(function, a).sum().backward()
    assert pb.is_grad_enabled()
