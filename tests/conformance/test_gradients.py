"""Gradients: first and higher orders, several outputs, unused inputs, accumulation, freeing."""

import numpy as np
import pytest

import pullback as pb

from .formulas import simple

A = np.array([0.3605, 0.9889, 0.8768, 0.5413])
B = np.array([0.2517, 0.3470, 0.8960, 0.3315])


def leaves():
    return pb.tensor(A, requires_grad=True, name="a"), pb.tensor(B, requires_grad=True, name="b")


@pytest.fixture(params=["formula", "operators"])
def f(request):
    return simple if request.param == "formula" else lambda a, b: (a + b) * b


def test_simple_grad_first_derivatives(engine, f):
    a, b = leaves()
    da, db = pb.grad(f(a, b).sum(), [a, b])
    np.testing.assert_allclose(da.numpy(), B)
    np.testing.assert_allclose(db.numpy(), A + 2 * B)
    np.testing.assert_allclose(db.numpy(), [0.8638, 1.6829, 2.6688, 1.2043], atol=5e-4)


def test_simple_grad_second_derivatives(engine, f):
    a, b = leaves()
    da, db = pb.grad(f(a, b).sum(), [a, b], create_graph=True)
    dda, ddb = pb.grad((da**2 + db**2).sum(), [a, b])
    np.testing.assert_allclose(dda.numpy(), 2 * (A + 2 * B))
    np.testing.assert_allclose(ddb.numpy(), 2 * B + 4 * (A + 2 * B))
    np.testing.assert_allclose(dda.numpy(), [1.7276, 3.3659, 5.3377, 2.4085], atol=5e-4)
    np.testing.assert_allclose(ddb.numpy(), [3.9586, 7.4258, 12.4675, 5.4800], atol=5e-4)


def test_both_gradients_arrive_at_once(engine, f):
    a, b = leaves()
    da, db = pb.grad(f(a, b).sum(), [a, b], create_graph=True)
    total = (da * da + db * db).sum() + f(a, b).sum()
    dda, ddb = pb.grad(total, [a, b])
    np.testing.assert_allclose(dda.numpy(), 2 * (A + 2 * B) + B)
    np.testing.assert_allclose(ddb.numpy(), 2 * B + 4 * (A + 2 * B) + A + 2 * B)


def test_a_caller_sees_one_tensor(engine):
    a, b = leaves()
    assert isinstance(simple(a, b), pb.Tensor)


def test_an_input_that_is_not_used_is_an_error_none_or_zeros(engine):
    a, b = leaves()
    ones = pb.tensor(np.ones(4))
    with pytest.raises(pb.errors.UnusedInputError, match=r"input 1 \('b'\)"):
        pb.grad(a * a, [a, b], ones)
    da, db = pb.grad(a * a, [a, b], ones, allow_unused=True)
    np.testing.assert_allclose(da.numpy(), [0.7210, 1.9778, 1.7535, 1.0827], atol=5e-4)
    assert db is None
    _, zeros = pb.grad(a * a, [a, b], ones, materialize_grads=True)
    assert zeros.numpy().tolist() == [0.0] * 4


def test_polynomial(engine):
    x = pb.tensor(3.0, requires_grad=True)
    assert pb.grad(x**2 + 2 * x + 1, x)[0].item() == 8.0


def test_relu_at_zero_has_subgradient_zero(engine):
    x = pb.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    assert pb.grad(pb.relu(x).sum(), x)[0].numpy().tolist() == [0.0, 0.0, 1.0]


def second(f, at):
    x = pb.tensor(at, requires_grad=True)
    (first,) = pb.grad(f(x), x, create_graph=True)
    return pb.grad(first, x)[0].item()


@pb.formula
def x_exp_squared(x):
    t = np.exp(x)
    r = x * t**2

    def x_exp_squared_pullback(grad):
        return grad * (t**2 + 2 * x * t**2)

    return r, x_exp_squared_pullback


@pb.formula
def my_softplus(x):
    t = np.exp(x)
    r = np.log1p(t)

    def my_softplus_pullback(grad):
        return grad * t / (1 + t)

    return r, my_softplus_pullback


@pb.formula
def doubled_squared(x):
    t = 2 * x
    r = t**2

    def doubled_squared_pullback(grad):
        return grad * 4 * t

    return r, doubled_squared_pullback


@pytest.mark.parametrize(
    ("f", "at", "right"),
    [(x_exp_squared, 0.5, 16.3097), (my_softplus, 0.7, 0.221713), (doubled_squared, 0.3, 8.0)],
)
def test_second_derivatives_that_others_get_wrong(engine, f, at, right):
    assert second(f, at) == pytest.approx(right, rel=1e-5)


def test_any_order(engine):
    x = pb.tensor(0.7, requires_grad=True)
    y = np.sin(x)
    for expected in (np.cos(0.7), -np.sin(0.7), -np.cos(0.7), np.sin(0.7), np.cos(0.7)):
        (y,) = pb.grad(y, x, create_graph=True)
        assert y.item() == pytest.approx(expected)


def test_backward_accumulates_in_leaves(engine):
    a, b = leaves()
    (a * b).sum().backward()
    kept = a.grad
    (a * b).sum().backward()
    np.testing.assert_allclose(a.grad.numpy(), 2 * B)
    np.testing.assert_allclose(kept.numpy(), B)
    a.grad = None
    assert a.grad is None


def test_backward_to_some_inputs_only(engine):
    a, b = leaves()
    (a * b).sum().backward(inputs=[a])
    np.testing.assert_allclose(a.grad.numpy(), B)
    assert b.grad is None


def test_gradient_by_a_tensor_that_is_no_leaf(engine):
    a, b = leaves()
    t = a + b
    (dt,) = pb.grad((t * b).sum(), t)
    np.testing.assert_allclose(dt.numpy(), B)


def test_several_outputs_and_their_gradients(engine):
    a, b = leaves()
    (da,) = pb.grad([a * b, a + b], a, [np.ones(4), 2 * np.ones(4)])
    np.testing.assert_allclose(da.numpy(), B + 2)


def test_an_output_may_be_an_input(engine):
    x = pb.tensor(2.0, requires_grad=True)
    assert pb.grad(x, x)[0].item() == 1.0


def test_a_second_backward_needs_retain_graph(engine):
    a, b = leaves()
    y = (a * b).sum()
    pb.grad(y, a, retain_graph=True)
    pb.grad(y, a)
    with pytest.raises(pb.errors.GraphFreedError, match="retain_graph=True"):
        pb.grad(y, a)


def test_a_node_that_saved_nothing_may_run_again(engine):
    a, b = leaves()
    t = a + b
    first, second = (t * a).sum(), (t * b).sum()
    first.backward()
    second.backward()
    np.testing.assert_allclose(a.grad.numpy(), (2 * A + B) + B)


def test_create_graph_keeps_the_graph(engine):
    a, b = leaves()
    y = (a * b).sum()
    pb.grad(y, a, create_graph=True)
    assert pb.grad(y, b)[0].shape == (4,)


def test_backward_with_create_graph_gives_grads_with_a_history(engine):
    x = pb.tensor(2.0, requires_grad=True)
    (x**3).backward(create_graph=True)
    assert pb.grad(x.grad, x)[0].item() == pytest.approx(12.0)
    x.grad = None


def test_gradients_have_the_shape_and_dtype_of_their_tensor(engine):
    a = pb.tensor(np.ones((3, 1), np.float32), requires_grad=True)
    b = pb.tensor(np.ones((5, 3, 4)), requires_grad=True)
    (a * b).sum().backward()
    assert (a.grad.shape, a.grad.dtype) == ((3, 1), np.float32)
    assert (b.grad.shape, b.grad.dtype) == ((5, 3, 4), np.float64)
    np.testing.assert_allclose(a.grad.numpy(), 20.0)


def test_gradients_own_their_memory(engine):
    a, b = leaves()
    seed = pb.tensor(np.ones(4))
    da, db = pb.grad(a + b, [a, b], seed)
    da[0] = 7.0
    assert db.numpy()[0] == seed.numpy()[0] == 1.0


def test_what_can_have_no_gradient_says_so(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(pb.errors.NotDifferentiableError, match="doesn't require grad"):
        pb.tensor([1.0]).sum().backward()
    with pytest.raises(pb.errors.GradientShapeError, match=r"shape \(2,\)"):
        (x * x).backward()
    with pytest.raises(pb.errors.GradientShapeError, match=r"its gradient \(3,\)"):
        (x * x).backward(np.ones(3))
    with pytest.raises(pb.errors.NotDifferentiableError, match="input 0"):
        pb.grad((x * x).sum(), pb.tensor(1.0))
    with pytest.raises(TypeError, match="not of float"):
        pb.grad(1.0, x)
    with pytest.raises(TypeError, match="the inputs to differentiate by"):
        pb.grad((x * x).sum(), None)
    with pytest.raises(TypeError, match="input 1 is a float"):
        pb.grad((x * x).sum(), [x, 1.0])
    with pytest.raises(TypeError, match="input 0 is a float"):
        (x * x).sum().backward(inputs=[1.0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_a_gradient_to_start_from_is_cast_to_the_dtype_of_its_output(engine, dtype):
    x = pb.tensor(A, requires_grad=True)
    seed = np.arange(1, 5, dtype=dtype)
    for given in (seed, [seed], pb.tensor(seed)):
        (dx,) = pb.grad(2.0 * x, x, given)
        assert dx.dtype == np.float64
        np.testing.assert_array_equal(dx.numpy(), [2.0, 4.0, 6.0, 8.0])


def test_the_gradient_of_a_view_is_that_of_its_present_values(engine):
    x = pb.tensor(A, requires_grad=True)
    y = x * 1.0
    view = y[1:]
    y *= 3.0
    (dx,) = pb.grad(view, x, np.ones(3))
    np.testing.assert_array_equal(dx.numpy(), [0.0, 3.0, 3.0, 3.0])
    (dview,) = pb.grad((view * view).sum(), view)
    np.testing.assert_allclose(dview.numpy(), 6.0 * A[1:])


@pb.formula
def total_with_a_wrong_gradient(x):
    r = np.sum(x)

    def total_pullback(grad):
        return np.ones((7,)) * grad

    return r, total_pullback


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_of_the_wrong_shape_names_the_formula_and_its_line(engine, create_graph):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = total_with_a_wrong_gradient(x)
    with pytest.raises(
        pb.errors.GradientShapeError, match=r"test_gradients.py:\d+:1: .* total_with_a.*\(7,\)"
    ):
        pb.grad(y, x, create_graph=create_graph)


def test_gradients_of_a_recorded_backward_have_memory_of_their_own(engine):
    a, b, seed = (pb.tensor([1.0, 2.0], requires_grad=True) for _ in range(3))
    c = a * 1
    c.retain_grad()
    (c + b).backward(seed, create_graph=True)
    with pb.no_grad():
        a.grad.zero_()
        c.grad += 5
    assert b.grad.tolist() == seed.tolist() == [1.0, 2.0]
    assert c.grad.tolist() == [6.0, 7.0]
    np.testing.assert_array_equal(pb.grad(b.grad.sum(), seed)[0], [1.0, 1.0])


def test_requires_grad_and_grad_are_set_as_attributes(engine):
    x = pb.tensor([1.0, 2.0])
    x.requires_grad = True
    y = (x * x).sum()
    y.requires_grad = True  # as it does already
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    del x.grad
    assert x.grad is None
    x.requires_grad = False
    assert not (x * x).requires_grad
    with pytest.raises(AttributeError):
        del x.requires_grad
