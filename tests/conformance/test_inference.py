"""Inference mode: nothing is recorded, and what is made in it stays out of graphs."""

import threading

import numpy as np
import pytest

import pullback as pb


def test_nothing_is_recorded(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    with pb.inference_mode():
        assert (pb.is_inference_mode_enabled(), pb.is_grad_enabled()) == (True, False)
        y = x * x
        assert not y.requires_grad
        assert y.is_leaf
        with pb.enable_grad():
            assert (pb.is_inference_mode_enabled(), pb.is_grad_enabled()) == (True, True)
            assert not (x * x).requires_grad
        with pb.inference_mode(False):
            assert (pb.is_inference_mode_enabled(), pb.is_grad_enabled()) == (False, True)
            assert (x * x).requires_grad
    assert (pb.is_inference_mode_enabled(), pb.is_grad_enabled()) == (False, True)
    assert not x.is_inference()


def test_which_tensors_are_inference_tensors(engine):
    x = pb.tensor([1.0, 2.0])
    array = np.ones(2)
    with pb.inference_mode():
        made = [pb.tensor([1.0]), x * 2, x + x, np.exp(x), pb.from_numpy(array)]
        views = [x[:1], x.reshape(2, 1), x.detach()]
        assert all(y.is_inference() for y in made)
        assert not any(y.is_inference() for y in views)
        view_of_one = made[1][:1]
        assert view_of_one.is_inference()
    assert (made[1] * 2).is_inference() is False
    assert made[1].copy().is_inference() is False
    assert made[1][:1].is_inference()


def test_an_inference_tensor_can_not_be_saved(engine):
    with pb.inference_mode():
        c = pb.tensor([2.0, 3.0])
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    assert pb.grad((x + c).sum(), x)[0].tolist() == [1.0, 1.0]
    with pytest.raises(pb.errors.InferenceTensorError, match=r"saved for a backward.*copy"):
        x * c
    assert pb.grad((x * c.copy()).sum(), x)[0].tolist() == [2.0, 3.0]
    with pytest.raises(RuntimeError):
        np.exp(c * x)


def test_an_inference_tensor_can_not_require_grad_outside(engine):
    with pb.inference_mode():
        c = pb.tensor([2.0])
        d = pb.tensor([2.0], requires_grad=True)
        assert d.requires_grad
        assert not (d * d).requires_grad
        c.requires_grad_().requires_grad_(False)
    with pytest.raises(pb.errors.InferenceTensorError, match="can't require grad"):
        c.requires_grad_()
    c.requires_grad_(False)


def test_writes_to_an_inference_tensor(engine):
    with pb.inference_mode():
        c = pb.tensor([2.0, 3.0])
        c += 1.0
        c[0] = 7.0
        assert c.tolist() == [7.0, 4.0]
    for write in (lambda: c.__iadd__(1.0), lambda: c.__setitem__(0, 1.0)):
        with pytest.raises(pb.errors.InferenceTensorError, match="written to outside"):
            write()
    assert c.tolist() == [7.0, 4.0]


def test_a_write_to_an_ordinary_tensor_counts_inside_too(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    t = pb.tensor([1.0, 2.0])
    y = (x * t).sum()
    with pb.inference_mode():
        t += 1.0
    with pytest.raises(pb.errors.SavedVariableError):
        y.backward()


def test_it_belongs_to_the_thread_and_decorates(engine):
    seen = []
    with pb.inference_mode():
        thread = threading.Thread(target=lambda: seen.append(pb.is_inference_mode_enabled()))
        thread.start()
        thread.join()
    assert seen == [False]

    @pb.inference_mode()
    def predict(x):
        return x * 2

    assert predict(pb.tensor([1.0], requires_grad=True)).is_inference()


def test_transforms_take_derivatives_inside(engine):
    def cubes(x):
        return (x**3).sum()

    v = np.array([1.0, 10.0])
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    with pb.inference_mode():
        for given in (x, x * 1.0, np.array([1.0, 2.0])):
            np.testing.assert_allclose(pb.jacobian(cubes, given).numpy(), [3.0, 12.0])
            np.testing.assert_allclose(pb.hessian(cubes, given).numpy(), [[6.0, 0.0], [0.0, 12.0]])
            for product in (pb.hvp, pb.vhp):
                np.testing.assert_allclose(product(cubes, given, v)[1].numpy(), [6.0, 120.0])
            np.testing.assert_allclose(pb.vjp(cubes, given)[1].numpy(), [3.0, 12.0])
            np.testing.assert_allclose(pb.jvp(cubes, given, v)[1].numpy(), 123.0)
        np.testing.assert_allclose(pb.value_and_grad(cubes)(np.array([1.0, 2.0]))[1], [3.0, 12.0])
        assert pb.gradcheck(cubes, np.array([1.0, 2.0]), order=2)
        assert pb.is_inference_mode_enabled()


def test_what_was_recorded_outside_keeps_its_history_inside(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1.0
    view = y[:1]
    y *= 2.0
    checkpointed = pb.checkpoint(lambda x: np.sin(x) * x, x).sum()
    with pb.inference_mode():
        assert view.requires_grad
        (gradient,) = pb.grad(checkpointed, x)
    np.testing.assert_allclose(gradient.numpy(), np.cos([1.0, 2.0]) * [1.0, 2.0] + np.sin([1.0, 2.0]))
    np.testing.assert_array_equal(pb.grad(view.sum() + x.sum(), x)[0].numpy(), [3.0, 1.0])
