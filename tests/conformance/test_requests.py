"""What `backward` and `grad` are asked for: inputs of every kind, none, or the same twice."""

import numpy as np
import pytest

import pullback as pb


@pytest.fixture
def x(engine):
    return pb.tensor([1.0, 2.0, 3.0], requires_grad=True)


@pytest.mark.parametrize("nothing", [[], ()])
def test_no_input_is_an_error(x, nothing):
    y = (x * x).sum()
    for ask in (
        lambda: y.backward(inputs=nothing),
        lambda: pb.backward(y, inputs=nothing),
        lambda: pb.grad(y, nothing),
        lambda: pb.grad(y, nothing, allow_unused=True),
        lambda: pb.grad(y, nothing, materialize_grads=True),
    ):
        with pytest.raises(pb.errors.UnusedInputError, match="no input"):
            ask()
    assert x.grad is None


def test_no_output_is_an_error(x):
    for ask in (lambda: pb.grad([], x), lambda: pb.backward([]), lambda: pb.backward([], inputs=[x])):
        with pytest.raises(pb.errors.UnusedInputError, match="no output"):
            ask()


def test_any_iterable_of_tensors_is_taken(x):
    parameters = {"x": x}
    outputs = [(x * x).sum(), x.sum()]
    assert pb.grad((y for y in outputs), parameters.values(), retain_graph=True)[0].tolist() == [
        3.0,
        5.0,
        7.0,
    ]
    found = pb.grad(outputs, iter([x]), iter([None, np.array(2.0)]), True, materialize_grads=True)
    assert found[0].tolist() == [4.0, 6.0, 8.0]
    outputs[0].backward(inputs=parameters.values())
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_an_input_that_is_named_twice_gets_its_gradient_once(x):
    t = x * 2
    (t * t).sum().backward(inputs=[x, t, x, t])
    assert x.grad.tolist() == [8.0, 16.0, 24.0]
    assert t.grad.tolist() == [4.0, 8.0, 12.0]
    assert [g.tolist() for g in pb.grad(x.sum(), [x, x])] == [[1.0] * 3] * 2


def test_hooks_of_a_leaf_run_where_it_is_an_input_of_backward(x):
    t = x * 2
    node = t.grad_fn.next_functions[0][0]
    calls = []
    node.register_prehook(lambda gradients: (gradients[0] * 10,))
    node.register_hook(lambda *_: calls.append("node"))
    x.register_post_accumulate_grad_hook(lambda _: calls.append("accumulated"))
    t.sum().backward(inputs=[x], retain_graph=True)
    assert x.grad.tolist() == [20.0] * 3
    assert calls == ["accumulated", "node"]
    assert pb.grad(t.sum(), x)[0].tolist() == [2.0] * 3
    assert len(calls) == 2


def test_zeros_of_a_recorded_backward_require_grad(x):
    unused = pb.tensor([1.0], requires_grad=True)
    y = (x * x).sum()
    for create_graph in (False, True):
        gradient, zeros = pb.grad(
            y, [x, unused], retain_graph=True, create_graph=create_graph, materialize_grads=True
        )
        assert gradient.requires_grad == zeros.requires_grad == create_graph
        assert zeros.tolist() == [0.0]
    assert pb.grad(zeros.sum(), x, materialize_grads=True)[0].tolist() == [0.0] * 3


def test_zeros_and_an_error_for_what_is_unused_contradict_each_other(x):
    with pytest.raises(ValueError, match="allow_unused=False"):
        pb.grad(x.sum(), x, allow_unused=False, materialize_grads=True)


def test_what_a_plain_backward_adds_to_a_grad_with_history_has_none(x):
    for hold in (False, True):
        x.grad = None
        y = (x * x).sum()
        y.backward(create_graph=True)
        held = x.grad if hold else None
        y.backward()
        assert x.grad.tolist() == [4.0, 8.0, 12.0]
        assert not x.grad.requires_grad
        if held is not None:
            assert pb.grad(held.sum(), x)[0].tolist() == [2.0] * 3


def test_a_tensor_is_not_its_own_grad(x):
    with pytest.raises(TypeError, match="its own grad"):
        x.grad = x


def test_in_inference_mode_gradients_are_inference_tensors_without_history(x):
    y = (x * x).sum()
    with pb.inference_mode():
        for create_graph in (False, True):
            (gradient,) = pb.grad(y, x, create_graph=create_graph, retain_graph=True)
            assert gradient.tolist() == [2.0, 4.0, 6.0]
            assert gradient.is_inference()
            assert not gradient.requires_grad
        y.backward()
        assert pb.is_inference_mode_enabled()
    assert x.grad.is_inference()


def test_what_pytorch_takes_or_refuses_otherwise(engine):
    """The table of docs/pytorch-map.md."""
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2.0
    with pytest.raises(pb.errors.UnusedInputError):
        pb.backward([])
    with pytest.raises(pb.errors.GradientShapeError, match="1 outputs got 2 gradients"):
        pb.backward([y.sum()], [1.0, 1.0])
    with pytest.raises(pb.errors.GradientShapeError, match="1 outputs got 2 gradients"):
        pb.grad(y.sum(), x, [None, None])
    assert pb.grad(y.sum(), x, 3.0)[0].tolist() == pb.grad(x, x, [[6.0, 6.0]])[0].tolist() == [6.0, 6.0]
    y.requires_grad = True
    assert y.requires_grad
    (by_x, by_z), (of_x, of_z) = pb.jacobian(lambda x, z: [x * z, (x * x).sum()], [x, y])
    assert (by_x.shape, by_z.shape, of_x.tolist(), of_z.tolist()) == ((2, 2), (2, 2), [2.0, 4.0], [0.0, 0.0])
    quotient = x / y
    quotient += 1.0
    with pytest.raises(pb.errors.SavedVariableError, match="divide saved its output"):
        pb.grad(quotient.sum(), x)
