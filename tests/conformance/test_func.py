"""`pb.func`: transforms that nest, over trees, equal to torch's."""

import numpy as np
import optree
import pytest

import pullback as pb
import pullback.numpy as pnp

func = pb.func
rng = np.random.default_rng(0)
W, B, X = rng.standard_normal((3, 3)), rng.standard_normal(3), rng.standard_normal((4, 3))


def layer(np, w, b, x):
    return np.sum(np.tanh(w @ x + b) ** 2)


def field(np, x):
    return np.sin(x) * x.sum()


def rows_of_a_vjp(func, np, x, v):
    _, pull = func.vjp(lambda x: field(np, x), x)
    return func.vmap(pull)(v)


# Each is written once, for `func` and `np` of either library.
PROGRAMS = {
    "gradients by several arguments": lambda func, np, w, b, x: func.grad(
        lambda w, b: layer(np, w, b, x[0]), argnums=(0, 1)
    )(w, b),
    "gradient and value": lambda func, np, w, b, x: func.grad_and_value(lambda w: layer(np, w, b, x[0]))(w),
    "gradients of each example": lambda func, np, w, b, x: func.vmap(
        func.grad(lambda w, b, x: layer(np, w, b, x), argnums=(0, 1)), in_dims=(None, None, 0)
    )(w, b, x),
    "a gradient through vmap": lambda func, np, w, b, x: func.grad(
        lambda w: func.vmap(lambda x: layer(np, w, b, x))(x).sum()
    )(w),
    "a gradient through gradients of each example": lambda func, np, w, b, x: func.grad(
        lambda w: func.vmap(func.grad(lambda x: layer(np, w, b, x)))(x).sum()
    )(w),
    "a Hessian for each example": lambda func, np, w, b, x: func.vmap(
        func.hessian(lambda x: layer(np, w, b, x))
    )(x),
    "pairs": lambda func, np, w, b, x: func.vmap(
        func.vmap(lambda a, c: a @ c, in_dims=(None, 0)), in_dims=(0, None)
    )(x, x),
    "jacfwd of jacrev": lambda func, np, w, b, x: func.jacfwd(func.jacrev(lambda x: field(np, x)))(b),
    "jacrev of jacfwd": lambda func, np, w, b, x: func.jacrev(func.jacfwd(lambda x: field(np, x)))(b),
    "jacfwd for each example": lambda func, np, w, b, x: func.vmap(func.jacfwd(lambda x: field(np, x)))(x),
    "jvp for each example": lambda func, np, w, b, x: func.vmap(
        lambda a, v: func.jvp(lambda x: field(np, x), (a,), (v,))
    )(x, x * x),
    "vjp for each example": lambda func, np, w, b, x: func.vmap(
        lambda a, v: func.vjp(lambda x: field(np, x), a)[1](v)
    )(x, x * x),
    "rows of a vjp": lambda func, np, w, b, x: rows_of_a_vjp(func, np, b, w),
    "rows of a vjp for each example": lambda func, np, w, b, x: func.vmap(
        lambda x, w: rows_of_a_vjp(func, np, x, w), in_dims=(0, None)
    )(x, w),
    "batches at other axes": lambda func, np, w, b, x: func.vmap(
        lambda x, y: (x * y, x.sum()), in_dims=(1, 1), out_dims=(1, 0)
    )(x, x),
    "chunks": lambda func, np, w, b, x: func.vmap(lambda x: np.sin(x).sum(), chunk_size=3)(x),
    "trees": lambda func, np, w, b, x: func.grad(lambda p: layer(np, p["w"], p["more"][0], x[0]))(
        {"w": w, "more": [b]}
    ),
    "trees for each example": lambda func, np, w, b, x: func.vmap(
        lambda p: {"s": layer(np, w, b, p["x"])}, in_dims=({"x": 0},)
    )({"x": x}),
    "the rest beside a gradient": lambda func, np, w, b, x: func.grad(
        lambda w: (layer(np, w, b, x[0]), {"twice": 2 * w}), has_aux=True
    )(w),
    "third order": lambda func, np, w, b, x: func.grad(func.grad(func.grad(lambda t: t**4)))(b[0]),
    "two gradients that must not mix": lambda func, np, w, b, x: func.grad(
        lambda x: x * func.grad(lambda y: x * y * y)(b[1])
    )(b[0]),
    "a jacobian in a tree of outputs": lambda func, np, w, b, x: func.jacrev(
        lambda x, w: {"a": w @ x, "b": x.sum()}, argnums=(0, 1)
    )(b, w),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_transforms_equal_those_of_torch(engine, program):
    torch = pytest.importorskip("torch")
    ours = PROGRAMS[program](func, np, W, B, X)
    theirs = PROGRAMS[program](torch.func, torch, *map(torch.tensor, (W, B, X)))
    mine, its = optree.tree_leaves(ours), optree.tree_leaves(theirs)
    assert len(mine) == len(its)
    for a, b in zip(mine, its, strict=True):
        assert isinstance(a, (np.ndarray, np.generic))
        assert a.shape == tuple(b.shape)
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-12, atol=1e-12)


def test_tensors_in_tensors_out_with_history(engine):
    x = pb.tensor(B, requires_grad=True)
    slope = func.grad(lambda x: pnp.sum(x**3))(x)
    assert isinstance(slope, pb.Tensor)
    np.testing.assert_allclose(pb.grad(slope.sum(), x)[0].numpy(), 6 * B)
    with pb.no_grad():
        assert not func.grad(lambda x: pnp.sum(x**3))(x).requires_grad


def test_a_product_with_the_hessian(engine):
    product = func.hvp(lambda x, y: np.sum(x**3) * y, (B, 2.0), (np.ones(3), 0.0))
    np.testing.assert_allclose(product[0], 12 * B)
    np.testing.assert_allclose(product[1], np.sum(3 * B**2))


def test_value_and_grad_with_the_rest(engine):
    (value, rest), slope = func.value_and_grad(lambda x: (x * x, "note"), has_aux=True)(3.0)
    assert (value, rest, slope) == (9.0, "note", 6.0)


def test_whole_numbers_are_differentiated_as_floats(engine):
    assert func.grad(lambda n: n * n)(3) == 6.0


def test_an_output_that_depends_on_nothing(engine):
    assert func.grad(lambda x: pnp.sum(pb.tensor([1.0, 2.0])) + 0 * x)(1.0) == 0.0
    assert func.grad(lambda x: pb.tensor(1.0))(1.0) == 0.0


MISTAKES = {
    "several values": (lambda: func.grad(np.sin)(B), pb.errors.GradientShapeError, "sum it"),
    "no tensor": (lambda: func.grad(lambda x: 1.0)(1.0), TypeError, "returned a float"),
    "an argument of text": (lambda: func.grad(lambda x: x)("a"), TypeError, "not by a str"),
    "argnums": (lambda: func.grad(np.sin, argnums=1)(1.0), TypeError, "argnums=1"),
    "no pair": (lambda: func.grad(np.sin, has_aux=True)(1.0), TypeError, "a pair"),
    "tangents of a shape": (
        lambda: func.jvp(np.sin, (B,), (1.0,)), pb.errors.GradientShapeError, r"shape \(\)",
    ),
    "tangents of a structure": (
        lambda: func.jvp(np.sin, (B,), (B, B)), pb.errors.GradientShapeError, "structure",
    ),
    "primals": (lambda: func.jvp(np.sin, B, B), TypeError, "primals is a tuple"),
    "no batch": (lambda: func.vmap(np.sin, in_dims=None)(B), ValueError, "one argument at least"),
    "lengths": (lambda: func.vmap(np.add)(B, X), ValueError, "different numbers of examples"),
    "an axis": (lambda: func.vmap(np.sin, in_dims=2)(B), ValueError, "in_dims=2"),
    "dims": (lambda: func.vmap(np.add, in_dims=(0,))(B, B), ValueError, "2 positional"),
    "a number": (lambda: func.vmap(np.sin)(1.0), ValueError, "has no axis of examples"),
    "a branch": (lambda: func.vmap(lambda x: x if x > 0 else -x)(B), pb.errors.BatchedValueError, "np.where"),
    "a number of a value": (lambda: func.vmap(float)(B), pb.errors.BatchedValueError, "np.where"),
    "shapes by values": (
        lambda: func.vmap(lambda x: x[x > 0])(X), pb.errors.BatchedValueError, "these are of",
    ),
    "pb.grad": (
        lambda: func.vmap(lambda x: pb.grad(x * x, x))(B), pb.errors.BatchedValueError, "pb.func.grad",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(engine, mistake):
    call, error, text = MISTAKES[mistake]
    with pytest.raises(error, match=text):
        call()
