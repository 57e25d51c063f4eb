"""Matrix products of kernels: BLAS on operands of any strides, and what serves without it."""

import os
import subprocess
import sys

import numpy as np
import pytest

import pullback as pb
from pullback.engine.native import blas

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
SHAPES = [(64, 70, 80), (1, 200, 300), (200, 300, 1), (65, 1, 90), (1, 500, 1)]


def views(array):
    """The same values in several orders of memory."""
    wide = np.repeat(array, 2, axis=-1)[..., ::2]
    return [array, np.asfortranarray(array), wide, array[::-1][::-1], np.flip(np.flip(array).copy())]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_of_every_order_of_memory(shape, dtype):
    m, k, n = shape
    a, b = RNG.normal(size=(m, k)).astype(dtype), RNG.normal(size=(k, n)).astype(dtype)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    tolerance = {"rtol": 1e-4, "atol": 1e-3} if dtype is np.float32 else {"rtol": 1e-10}
    for left in views(a):
        for right in views(b):
            product = pb.from_numpy(left) @ pb.from_numpy(right)
            np.testing.assert_allclose(product.numpy(), expected, **tolerance)


def test_gradients_of_a_batch_of_products():
    a, b = RNG.normal(size=(3, 40, 50)), RNG.normal(size=(3, 50, 60))
    x, y = pb.tensor(a, requires_grad=True), pb.tensor(b, requires_grad=True)
    seed = RNG.normal(size=(3, 40, 60))
    dx, dy = pb.grad(x @ y, (x, y), grad_outputs=seed)
    np.testing.assert_allclose(dx.numpy(), seed @ b.swapaxes(1, 2))
    np.testing.assert_allclose(dy.numpy(), a.swapaxes(1, 2) @ seed)


def test_empty_products_are_zero():
    product = pb.tensor(np.ones((40, 0))) @ pb.tensor(np.ones((0, 50)))
    np.testing.assert_array_equal(product.numpy(), np.zeros((40, 50)))


def test_the_packages_library_is_used_where_it_is_installed():
    pytest.importorskip(blas.PACKAGE)
    from pullback.engine.native._native import blas_library

    assert blas.openblas() is not None
    assert blas_library() == blas.candidates()[0]


def test_without_a_library_numpy_multiplies():
    program = """
import numpy as np, pullback as pb
from pullback.engine.native._native import blas_library, set_blas_libraries
pb.use_engine("native")
set_blas_libraries([])
a, b = np.random.rand(60, 70), np.random.rand(70, 80)
assert np.allclose((pb.tensor(a) @ pb.tensor(b)).numpy(), a @ b)
print(repr(blas_library()))
"""
    environment = {name: value for name, value in os.environ.items() if name != blas.VARIABLE}
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert found.stdout.strip() == repr(""), found.stderr


@pytest.mark.parametrize(
    "shapes", [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5))]
)
def test_a_product_and_its_backward_run_by_kernels(shapes):
    from pullback.engine.native import kernels

    form = kernels.compiled_form(pb.formulas()["matmul"].operator)
    assert kernels.forward_layout(form) is not None
    a, b = (RNG.normal(size=shape) for shape in shapes)
    x, y = pb.tensor(a, requires_grad=True), pb.tensor(b, requires_grad=True)
    seed = RNG.normal(size=(a @ b).shape)
    ours = pb.grad(x @ y, (x, y), grad_outputs=seed)
    with pb.use_engine("reference"):
        u, v = pb.tensor(a, requires_grad=True), pb.tensor(b, requires_grad=True)
        theirs = pb.grad(u @ v, (u, v), grad_outputs=seed)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine.numpy(), other.numpy())
