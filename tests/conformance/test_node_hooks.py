"""Hooks on nodes, before and after they run: what they see, what they may return, where they don't run."""

import pytest

import pullback as pb

from .formulas import simple


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
        (lambda grads: (grads[0].sum(),), pb.errors.GradientShapeError, r"\(2,\) by one of \(\)"),
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
