"""Tests of this folder need JAX, whose dtypes are 64 bits wide here."""

import os

import pytest

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")


@pytest.fixture(autouse=True)
def wide():
    """float64 for a test, and JAX's usual dtypes after it."""
    import jax

    with jax.enable_x64(True):
        yield
