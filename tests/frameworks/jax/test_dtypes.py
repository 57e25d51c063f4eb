"""Dtypes are JAX's: float32 unless 64 bits are asked for."""

import warnings

import numpy as np
import pytest

import pullback as pb

from .formulas import layer_norm, normal_cdf

pytestmark = pytest.mark.jax


def test_all_is_float32_where_64_bits_are_off():
    import jax

    from pullback.jax import function

    x = np.linspace(-1, 1, 8).reshape(2, 4)
    with jax.enable_x64(False), warnings.catch_warnings():
        warnings.simplefilter("error")
        made = function(layer_norm)
        arguments = (x, np.ones(4), np.zeros(4))
        total = lambda x: made(x, *arguments[1:]).sum()  # noqa: E731 - one line each
        value, gradient, second = jax.jit(lambda x: (total(x), jax.grad(total)(x), jax.hessian(total)(x)))(x)
        assert {value.dtype, gradient.dtype, second.dtype} == {np.dtype("float32")}
        assert function(normal_cdf)(x).dtype == np.float32
    np.testing.assert_allclose(value, layer_norm(*arguments).sum(), atol=1e-5)


def test_float32_stays_float32_where_64_bits_are_on():
    """As in NumPy, a Python number does not widen; a scalar of NumPy does."""
    import jax

    from pullback.jax import function

    x = np.ones(3, np.float32)
    cube_root = pb.derive_pullback(_cubed)
    assert function(cube_root)(x).dtype == np.float32
    assert jax.grad(lambda x: function(cube_root)(x).sum())(x).dtype == np.float32
    assert function(normal_cdf)(x).dtype == normal_cdf(x).dtype == np.float64
    assert jax.grad(lambda x: function(normal_cdf)(x).sum())(x).dtype == np.float32


def _cubed(x):
    return 0.5 * x * x * x


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_in_and_out(dtype):
    import jax
    import jax.numpy as jnp

    from pullback.jax import function

    x = jnp.linspace(-1, 1, 8, dtype=dtype).reshape(2, 4)
    made = function(layer_norm)
    gain, bias = jnp.ones(4, dtype), jnp.zeros(4, dtype)
    total = lambda x: (made(x, gain, bias) ** 2).sum().astype(jnp.float32)  # noqa: E731 - one line each
    value, gradient = jax.jit(lambda x: (made(x, gain, bias), jax.grad(total)(x)))(x)
    assert value.dtype == gradient.dtype == dtype
