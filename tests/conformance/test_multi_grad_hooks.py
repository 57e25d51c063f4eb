"""Hooks on several tensors at once."""

import gc
import weakref

import pytest
import typeguard

import pullback as pb


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


@typeguard.suppress_type_checks  # the engine's own error is meant, not that of the annotation
def test_several_tensors_must_have_gradients(engine):
    x = pb.tensor(1.0, requires_grad=True)
    with pytest.raises(pb.errors.NotDifferentiableError, match="number 1 doesn't"):
        pb.register_multi_grad_hook([x, pb.tensor(1.0)], print)
    with pytest.raises(TypeError, match="number 0 is a float"):
        pb.register_multi_grad_hook([1.0], print)
    with pytest.raises(ValueError, match="'all' or 'any'"):
        pb.register_multi_grad_hook([x], print, mode="some")
