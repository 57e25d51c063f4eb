"""Dtypes: NumPy's promotion, gradients in their tensor's dtype, and what can't require grad."""

import numpy as np
import pytest

import pullback as pb


def test_promotion_is_numpys(engine):
    single = pb.tensor(np.ones(3, np.float32), requires_grad=True)
    double = pb.tensor(np.ones(3), requires_grad=True)
    assert (single * 2.0).dtype == np.float32
    assert (single * np.float64(2.0)).dtype == np.float64
    assert (single * double).dtype == np.float64
    assert (single * np.arange(3)).dtype == np.float64
    assert np.exp(single).dtype == np.float32


def test_gradients_return_in_the_tensors_dtype(engine):
    single = pb.tensor(np.ones(3, np.float32), requires_grad=True)
    double = pb.tensor(np.full(3, 2.0), requires_grad=True)
    ds, dd = pb.grad((single * double).sum(), [single, double], create_graph=True)
    assert (ds.dtype, dd.dtype) == (np.float32, np.float64)
    again = pb.grad((ds * ds).sum(), double)[0]
    assert again.dtype == np.float64
    np.testing.assert_allclose(again.numpy(), 4.0)


def test_astype_is_differentiable(engine):
    x = pb.tensor(np.ones(3, np.float32), requires_grad=True)
    y = x.astype(np.float64)
    assert y.dtype == np.float64
    assert pb.grad(y.sum(), x)[0].dtype == np.float32


def test_float16(engine):
    x = pb.tensor(np.ones(3, np.float16), requires_grad=True)
    assert pb.grad((x * x).sum(), x)[0].dtype == np.float16


@pytest.mark.parametrize("dtype", [np.int64, np.bool_])
def test_only_floats_and_complex_numbers_require_grad(engine, dtype):
    with pytest.raises(pb.errors.NotDifferentiableError, match="float or complex dtype"):
        pb.tensor(np.ones(3, dtype), requires_grad=True)
    plain = pb.tensor(np.ones(3, dtype))
    assert not (plain + plain).requires_grad


def test_integer_operands_have_no_gradient(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    n = pb.tensor([2, 3])
    y = (x * n).sum()
    assert pb.grad(y, x)[0].tolist() == [2.0, 3.0]


@pytest.mark.parametrize("value", [["a"], [None], np.array(["2020-01-01"], "datetime64[D]")])
def test_a_tensor_holds_numbers(engine, value):
    with pytest.raises(TypeError, match="numbers or bools"):
        pb.tensor(value)


def test_from_numpy_takes_arrays_only(engine):
    with pytest.raises(TypeError, match=r"pb\.tensor takes"):
        pb.from_numpy([1.0])


def test_requires_grad_is_switched_on_leaves(engine):
    x = pb.tensor([1.0])
    assert x.requires_grad_() is x
    assert x.requires_grad
    y = x * 2
    assert not y.is_leaf
    with pytest.raises(pb.errors.NotDifferentiableError, match="leaf"):
        y.requires_grad_(False)
    assert not x.requires_grad_(False).requires_grad


def test_grad_must_fit(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    x.grad = pb.tensor([3.0, 4.0])
    with pytest.raises(TypeError, match=r"\(2,\)"):
        x.grad = pb.tensor([1.0])


@pytest.mark.parametrize(
    "write",
    [
        lambda z, w: z.__setitem__(0, w[0]),
        lambda z, w: z.__iadd__(w),
        lambda z, w: z.__setitem__([0, 1], w[:2]),
        lambda z, w: z[:2].copy_(w[:2]),
        lambda z, w: np.copyto(z, w),
        lambda z, w: np.add(w, w, out=z),
    ],
)
def test_a_complex_tensor_takes_a_real_value_with_its_gradient(engine, write):
    z, w = pb.tensor(np.zeros(3, complex)), pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    write(z, w)
    (gradient,) = pb.grad((z * (1 + 2j)).imag.sum(), w)
    assert gradient.dtype == np.float64
    assert set(gradient.tolist()) <= {0.0, 2.0, 4.0}
    assert gradient.numpy().any()
    z = pb.tensor(np.zeros(3, complex))
    with pb.no_grad():
        write(z, w)
    assert np.asarray(z).any()
    assert not z.requires_grad


@pytest.mark.parametrize(
    "take",
    [
        lambda w, z: pb.grad(w * 2, w, z),
        lambda w, z: (w * 2).backward(pb.tensor(z)),
        lambda w, z: pb.vjp(lambda x: x * 2, w, z),
        lambda w, z: pb.jvp(lambda x: x * 2, w, z),
        lambda w, z: pb.grad(hooked(w, lambda grad: grad * z), w),
    ],
)
def test_a_complex_gradient_of_a_real_value_is_refused(engine, take):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(
        pb.errors.NotDifferentiableError, match="complex128: its imaginary part would be lost"
    ):
        take(w, np.array([1j, 1.0]))
    assert w.grad is None


def hooked(w, hook):
    y = w * 2
    y.register_hook(hook)
    return y.sum()
