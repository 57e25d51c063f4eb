"""Functions of NumPy and SciPy that JAX lacks, or that it has for fewer arguments."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def argsort(a: Any, axis: int | None = -1, kind: str | None = None) -> Any:
    """`jnp.argsort`, which leaves equal entries in their order, as every kind may."""
    return jnp.argsort(a, axis)


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """`jnp.repeat`, for as many copies as numbers of Python say."""
    return jnp.repeat(a, np.asarray(repeats), axis)


def flatnonzero(a: Any) -> Any:
    """`jnp.flatnonzero`; of a list it is known under `jax.jit` too."""
    return jnp.flatnonzero(a) if isinstance(a, jax.Array) else jnp.asarray(np.flatnonzero(a))


def sign(x: Any) -> Any:
    """`jnp.sign`; of complex numbers x / |x|, whose derivative JAX's own takes for zero.

    >>> sign(jnp.array([3 + 4j, 0j], "complex64"))
    Array([0.6+0.8j, 0. +0.j ], dtype=complex64)
    """
    if not jnp.iscomplexobj(x):
        return jnp.sign(x)
    there = x != 0
    return jnp.where(there, x / jnp.abs(jnp.where(there, x, 1)), 0)


def exp10(x: Any) -> Any:
    """10**x."""
    return jnp.power(10.0, x)


def cosm1(x: Any) -> Any:
    """cos(x) - 1 without cancellation, by the half angle."""
    return -2 * jnp.sin(x / 2) ** 2


def erfcinv(x: Any) -> Any:
    """The inverse of erfc by that of the normal distribution: erfc(y) = 2 ndtr(-sqrt(2) y)."""
    return -jax.scipy.special.ndtri(x / 2) / math.sqrt(2)


def log_expit(x: Any) -> Any:
    """log(1 / (1 + exp(-x)))."""
    return jax.nn.log_sigmoid(x)
