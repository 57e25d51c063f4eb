"""Dual tensors: forward mode, alone and over and under reverse mode."""

import asyncio
import gc
import weakref

import numpy as np
import pytest

import pullback as pb
from pullback import forward_ad

from .formulas import simple

dual_level, make_dual, unpack_dual = forward_ad.dual_level, forward_ad.make_dual, forward_ad.unpack_dual

X = np.array([0.3, -0.7, 1.1])
V = np.array([1.0, 2.0, -0.5])


@pb.formula(first_order_only=True)
def cube_once(x):
    t = x * x

    def cube_once_pullback(grad):
        return 3 * grad * t

    return t * x, cube_once_pullback


def program(x):
    y = np.exp(simple(x, np.sin(x * 2)))
    z = np.concatenate([x, y])[1:5].reshape(2, 2)
    return np.where(y > 0.5, y, y * y).sum() * np.linalg.norm(z @ z.T) + z.max()


def hessian_vector(x, v):
    leaf = pb.tensor(x, requires_grad=True)
    (slope,) = pb.grad(program(leaf), leaf, create_graph=True)
    return slope.detach().numpy(), pb.grad((slope * v).sum(), leaf)[0].numpy()


def test_tangents_go_through_a_program(engine):
    with dual_level():
        y = program(make_dual(pb.tensor(X), V))
        assert not y.requires_grad
        value, tangent = unpack_dual(y)
    slope, _ = hessian_vector(X, V)
    np.testing.assert_allclose(tangent.item(), (slope * V).sum(), rtol=1e-12)
    assert value.item() == program(pb.tensor(X)).item()


def test_reverse_over_forward(engine):
    x = pb.tensor(X, requires_grad=True)
    v = pb.tensor(V, requires_grad=True)
    with dual_level():
        tangent = unpack_dual(program(make_dual(x, v))).tangent
    dx, dv = pb.grad(tangent, [x, v])
    slope, product = hessian_vector(X, V)
    np.testing.assert_allclose(dx.numpy(), product, rtol=1e-10)
    np.testing.assert_allclose(dv.numpy(), slope, rtol=1e-12)


def test_forward_over_reverse(engine):
    x = pb.tensor(X, requires_grad=True)
    with dual_level():
        y = program(make_dual(x, V))
        (gradient,) = pb.grad(y, x)
        assert not gradient.requires_grad
        _, tangent = unpack_dual(gradient)
        assert not tangent.requires_grad
    slope, product = hessian_vector(X, V)
    np.testing.assert_allclose(gradient.numpy(), slope, rtol=1e-12)
    np.testing.assert_allclose(tangent.numpy(), product, rtol=1e-10)


def test_a_backward_in_a_level_accumulates_duals(engine):
    x = pb.tensor(2.0, requires_grad=True)
    with dual_level():
        for _ in range(2):
            dual = make_dual(x, 1.0)
            (dual * dual * dual).backward()
        assert unpack_dual(x.grad).tangent.item() == 24.0
    assert x.grad.item() == 24.0
    assert not x.grad.requires_grad


def test_three_orders(engine):
    x = pb.tensor(0.5, requires_grad=True)
    with dual_level():
        y = np.exp(make_dual(x, 1.0) * 2.0)
        (slope,) = pb.grad(y, x, create_graph=True)
        tangent = unpack_dual(slope).tangent
        (third,) = pb.grad(tangent, x)
    np.testing.assert_allclose(
        [slope.item(), tangent.item(), third.item()], np.exp(1.0) * np.array([2, 4, 8])
    )


def test_what_carries_no_tangent(engine):
    with dual_level():
        x = make_dual(pb.tensor(X), V)
        assert unpack_dual(pb.tensor(X)).tangent is None
        assert unpack_dual(x.detach()).tangent is None
        assert unpack_dual(unpack_dual(x).primal).tangent is None
        assert unpack_dual(pb.stop_gradient(x) * 2).tangent is None
        assert unpack_dual(np.sign(x)).tangent is None
        assert unpack_dual(np.argmax(x)).tangent is None
        assert unpack_dual(x > 0).tangent is None
        assert unpack_dual(x.round()).tangent is None
        y = x * 2
    assert unpack_dual(y).tangent is None
    assert unpack_dual(x).tangent is None


def test_tangents_of_several_inputs_and_of_one(engine):
    a, b = pb.tensor(2.0, requires_grad=True), pb.tensor(3.0, requires_grad=True)
    with dual_level():
        da, db = make_dual(a, 1.0), make_dual(b, 10.0)
        assert unpack_dual(simple(da, db)).tangent.item() == 3.0 + 10 * 8.0
        assert unpack_dual(simple(da, b)).tangent.item() == 3.0
        assert unpack_dual(simple(a, db)).tangent.item() == 80.0
        assert unpack_dual(simple(a, b)).tangent is None


def test_a_constant_that_a_node_saves_keeps_its_tangent(engine):
    x = pb.tensor(2.0, requires_grad=True)
    with dual_level():
        c = make_dual(pb.tensor(3.0), 5.0)
        (gradient,) = pb.grad(c * x * x, x)
        assert gradient.item() == 12.0
        assert unpack_dual(gradient).tangent.item() == 20.0
        (gradient,) = pb.grad(c * x, x)
        assert unpack_dual(gradient).tangent.item() == 5.0


def test_writes_in_place_carry_tangents_where_they_are_recorded(engine):
    x = pb.tensor(X, requires_grad=True)
    with dual_level():
        y = make_dual(x, V) * 1.0
        z = y[:2]
        y *= y
        assert unpack_dual(y).tangent.tolist() == (2 * X * V).tolist()
        z[0] = 3.0
        assert unpack_dual(y).tangent.tolist() == [0.0, *(2 * X * V)[1:]]
        assert unpack_dual(z).tangent.tolist() == [0.0, (2 * X * V)[1]]
        plain = make_dual(pb.tensor(X), V)
        with pytest.raises(pb.errors.MutationError, match="tangent"):
            plain *= 2.0
        other = pb.tensor(X)
        with pytest.raises(pb.errors.MutationError, match="tangent"):
            other[0] = plain[0]


def test_dtypes(engine):
    with dual_level():
        x = make_dual(pb.tensor(X.astype(np.float32)), V)
        tangent = unpack_dual(np.exp(x) * 2).tangent
        assert tangent.dtype == np.float32
        assert unpack_dual(x.astype(np.float64) * 2).tangent.dtype == np.float64


def test_a_formula_of_the_first_order_has_tangents_and_no_second_ones(engine):
    x = pb.tensor(2.0, requires_grad=True)
    with dual_level():
        dual = make_dual(x, 1.0)
        y = cube_once(dual)
        assert unpack_dual(y).tangent.item() == 12.0
        with pytest.raises(pb.errors.BarrierError, match="cube_once"):
            pb.grad(y, x)
        assert pb.grad(cube_once(x), x)[0].item() == 12.0


def outside(value):
    try:
        return np.tanh(value)
    except OverflowError:
        return value


@pb.formula(surrogate=True)
def quadratic_closure(x):
    def quadratic_closure_pullback(grad):
        return grad * grad * x

    return x * x, quadratic_closure_pullback


@pb.formula(surrogate=True)
def affine_closure(x):
    def affine_closure_pullback(grad):
        return grad * x + 1.0

    return x * x, affine_closure_pullback


@pb.formula(surrogate=True)
def signs(x):
    def signs_pullback(grad):
        return np.sign(grad) * x

    return x * x, signs_pullback


@pb.formula
def opaque_residual(x):
    t = outside(x)

    def opaque_residual_pullback(grad):
        return grad * (1 - t * t) + grad

    return t + x, opaque_residual_pullback


def tanh_tangent(x, tangent, *, scale):
    assert scale == 2.0
    return tangent * (1 - np.tanh(x) ** 2) * scale


@pb.formula(jvp=tanh_tangent)
def opaque_with_rule(x, *, scale=2.0):
    t = outside(x)

    def opaque_with_rule_pullback(grad):
        return grad * (1 - t * t) * scale

    return t * scale, opaque_with_rule_pullback


@pytest.mark.parametrize("formula", [quadratic_closure, affine_closure, signs, opaque_residual])
def test_a_closure_that_can_not_be_transposed_is_a_located_error(engine, formula):
    x = pb.tensor(2.0, requires_grad=True)
    with dual_level():
        formula(x)
        with pytest.raises(pb.FormulaError, match=r"test_forward_ad.py:\d+.*no forward-mode rule") as caught:
            formula(make_dual(x, 1.0))
    assert "jvp=" in str(caught.value)


def test_a_rule_by_hand(engine):
    x = pb.tensor(0.5, requires_grad=True)
    with dual_level():
        tangent = unpack_dual(opaque_with_rule(make_dual(x, 3.0))).tangent
    np.testing.assert_allclose(tangent.item(), 6.0 * (1 - np.tanh(0.5) ** 2))
    (second,) = pb.grad(tangent, x)
    np.testing.assert_allclose(second.item(), -12.0 * np.tanh(0.5) * (1 - np.tanh(0.5) ** 2))


def test_a_straight_through_closure_is_transposed_not_the_forward(engine):
    with dual_level():
        x = make_dual(pb.tensor([0.2, 1.7]), [1.0, 2.0])
        assert unpack_dual(straight_through(x)).tangent.tolist() == [1.0, 2.0]


@pb.formula(surrogate=True)
def straight_through(x):
    def straight_through_pullback(grad):
        return pb.stop_gradient(grad) * 1.0

    return np.round(x), straight_through_pullback


def test_checkpoints_and_saved_hooks_carry_tangents(engine):
    x = pb.tensor(X, requires_grad=True)
    with dual_level():
        y = program(make_dual(x, V))
        expected = unpack_dual(y).tangent.item()
        z = pb.checkpoint(program, make_dual(x, V))
        assert unpack_dual(z).tangent.item() == expected
        with pb.saved_tensors_hooks(lambda t: t.tolist(), lambda values: np.array(values)):
            (slope,) = pb.grad(program(make_dual(x, V)), x)
        np.testing.assert_allclose(slope.detach(), hessian_vector(X, V)[0], rtol=1e-12)


@pytest.mark.parametrize(
    "losing",
    [
        np.asarray,
        lambda x: x.numpy(),
        np.from_dlpack,
        lambda x: np.add.reduceat(x, [0, 1]),
        lambda x: np.exp(x, out=np.zeros(3)),
        lambda x: np.copyto(np.zeros(3), x),
        lambda x: np.max(x * 1j),
    ],
)
def test_a_tangent_is_not_lost_without_a_word(engine, losing):
    with dual_level():
        x = make_dual(pb.tensor(X), V)
        with pytest.raises((pb.errors.NotDifferentiableError, pb.errors.MutationError)):
            losing(x)
        losing(x.detach())
        with pytest.raises(pb.errors.NotDifferentiableError, match="carries a tangent"):
            float(x[0])


def test_levels(engine):
    x = pb.tensor(X)
    with pytest.raises(RuntimeError, match="needs a level"):
        make_dual(x, V)
    with dual_level():
        with pytest.raises(RuntimeError, match="don't nest"), dual_level():
            pass
        with pytest.raises(
            pb.errors.GradientShapeError, match=r"the tensor has shape \(3,\), its tangent \(2,\)"
        ):
            make_dual(x, V[:2])
        with pytest.raises(pb.errors.NotDifferentiableError, match="int64"):
            make_dual(pb.tensor([1, 2]), [1, 2])
        with pytest.raises(TypeError, match="ndarray"):
            make_dual(X, V)
        with pytest.raises(TypeError, match="ndarray"):
            unpack_dual(X)
    with pytest.raises(KeyError), dual_level():
        raise KeyError
    with dual_level():
        pass


def test_a_level_belongs_to_the_task(engine):
    async def first():
        with dual_level():
            x = make_dual(pb.tensor(X), V)
            await asyncio.sleep(0.01)
            return unpack_dual(x * 2).tangent.tolist()

    async def second():
        await asyncio.sleep(0.005)
        with dual_level():
            return unpack_dual(pb.tensor(X) * 2).tangent

    async def both():
        return await asyncio.gather(first(), second())

    assert asyncio.run(both()) == [(2 * V).tolist(), None]


def test_tangents_go_with_what_carries_them(engine):
    gc.collect()
    gc.disable()
    try:
        with dual_level():
            x = make_dual(pb.tensor(X, requires_grad=True), V)
            seen = []
            for y in (x, x.detach() * 1.0):
                z = np.exp(y) * 2.0
                if unpack_dual(z).tangent is not None:
                    seen.append(weakref.ref(unpack_dual(z).tangent))
            del y, z
            assert [ref() for ref in seen] == [None]
    finally:
        gc.enable()
