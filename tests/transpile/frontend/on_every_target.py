"""A plain function of an array and attributes, computed by kernels, in PyTorch and in JAX as NumPy does."""

import numpy as np
import pytest

import pullback as pb


def assert_derived(function, x, given):
    """By the reference formula, with its first derivative."""
    derived = pb.derive_pullback(function)
    _assert_all(derived(x, **given), function(x, **given))
    assert pb.gradcheck(lambda x: derived(x, **given), x)


def assert_compiled(function, x, every):
    """By kernels, all of them."""
    fast = pb.compile(function)
    for given in every:
        _assert_all([one.numpy() for one in fast(pb.tensor(x), **given)], function(x, **given))
    assert not fast.limits()


def assert_in_pytorch(function, x, every):
    """By the function for PyTorch."""
    torch = pytest.importorskip("torch")
    import pullback.torch

    made = pullback.torch.function(pb.derive_pullback(function))
    for given in every:
        _assert_all([one.numpy() for one in made(torch.tensor(x), **given)], function(x, **given))


def assert_in_jax(function, x, every):
    """By the function for JAX, and by its text."""
    jax = pytest.importorskip("jax")
    import pullback.jax
    from tests.frameworks.texts import jax_text

    derived, names = pb.derive_pullback(function), {}
    exec(jax_text(derived), names)
    for made in (pullback.jax.function(derived), names[function.__name__]):
        for given in every:
            _assert_all(made(jax.numpy.asarray(x), **given), function(x, **given), rtol=1e-5)


def _assert_all(found, expected, rtol=1e-7):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol)
