"""Gamma samples, whose derivative is implicit, and what is made of them.

For a sample z of the distribution function P(z; a), whose value stays when a changes, P_z dz + P_a da = 0:
M. Figurnov and others, "Implicit Reparameterization Gradients" (2018). With the series of the incomplete
gamma function (Abramowitz and Stegun 6.5.29)

    P(z; a) / p(z; a) = z S,  S = sum over k of t_k,  t_k = z^k Gamma(a) / Gamma(a + k + 1)

    dz/da = -P_a / p = -z sum over k of t_k (log(z) - psi(a + k + 1))

which is written with recorded functions, so that it has derivatives itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import numpy as pnp
from .. import special
from ..implicit.operator import Solution, applied
from .parameters import Size, checked

Rng = np.random.Generator
LARGEST = 1e4  # the series has about as many terms as a


def gamma(rng: Rng, shape: Any, scale: Any = 1.0, size: Size = None) -> Any:
    """Samples of the gamma distribution, with derivatives by its shape and scale.

    shape and scale are above 0, the shape at most 1e4; else ValueError. A sample that is 0, as those of very
    small shapes are in floating point, has the derivative 0.

    >>> gamma(np.random.default_rng(0), np.array([0.5, 3.0])).shape
    (2,)
    """
    out, dtype, (a, scale) = checked(rng, size, "gamma", positive_shape=shape, positive_scale=scale)
    return scale * _standard(rng, a, out, dtype)


def _standard(rng: Rng, a: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Samples of scale 1."""
    a = pnp.broadcast_to(a, shape)
    values = np.asarray(a.detach().numpy() if hasattr(a, "detach") else a, np.float64)
    if np.any(values > LARGEST):
        raise ValueError(f"a shape of a gamma distribution is at most {LARGEST:g} here")
    drawn = np.asarray(rng.standard_gamma(values), dtype)
    if not hasattr(a, "detach"):
        return drawn

    def gradients(
        given: Sequence[Any], solution: Any, cotangent: Any, needed: Sequence[bool], recorded: bool
    ) -> Sequence[Any]:
        return [cotangent * _slope(given[0], solution)]

    return applied(Solution("gamma", 1, drawn, gradients), (a,))


def _slope(a: Any, z: Any) -> Any:
    """dz/da."""
    values = np.asarray(z.detach().numpy() if hasattr(z, "detach") else z, np.float64)
    none = values == 0
    z, a = pnp.expand_dims(pnp.where(none, 1.0, z), -1), pnp.expand_dims(a, -1)
    # Terms grow up to k = z - a, and fall below 1e-17 of their largest so many deviations later.
    most = float(values.max(initial=1.0))
    k = np.arange(int(most + 12 * np.sqrt(most) + 40), dtype=values.dtype).astype(z.dtype)
    log_z = pnp.log(z)
    terms = pnp.exp(k * log_z + special.gammaln(a) - special.gammaln(a + k + 1))
    total = pnp.sum(terms * (log_z - special.digamma(a + k + 1)), axis=-1)
    return pnp.where(none, 0, -z[..., 0] * total)


def chisquare(rng: Rng, df: Any, size: Size = None) -> Any:
    """Samples of the chi-square distribution: twice a gamma sample of df / 2. Errors as `gamma`.

    >>> chisquare(np.random.default_rng(0), 3.0, 2).shape
    (2,)
    """
    out, dtype, (df,) = checked(rng, size, "chisquare", positive_df=df)
    return 2 * _standard(rng, df / 2, out, dtype)


def standard_t(rng: Rng, df: Any, size: Size = None) -> Any:
    """Samples of Student's distribution: z / sqrt(chisquare / df). Errors as `gamma`.

    >>> standard_t(np.random.default_rng(0), 3.0, 2).shape
    (2,)
    """
    out, dtype, (df,) = checked(rng, size, "standard_t", positive_df=df)
    noise = rng.standard_normal(out).astype(dtype)
    return noise / pnp.sqrt(2 * _standard(rng, df / 2, out, dtype) / df)


def f(rng: Rng, dfnum: Any, dfden: Any, size: Size = None) -> Any:
    """Samples of Fisher's F distribution: the quotient of two chi-square samples over their degrees.

    Errors as `gamma`.

    >>> f(np.random.default_rng(0), 3.0, 4.0, 2).shape
    (2,)
    """
    out, dtype, (dfnum, dfden) = checked(rng, size, "f", positive_dfnum=dfnum, positive_dfden=dfden)
    above = _standard(rng, dfnum / 2, out, dtype) / dfnum
    return above / (_standard(rng, dfden / 2, out, dtype) / dfden)


def beta(rng: Rng, a: Any, b: Any, size: Size = None) -> Any:
    """Samples of the beta distribution: x / (x + y) of gamma samples of a and b. Errors as `gamma`.

    >>> beta(np.random.default_rng(0), 2.0, np.array([0.5, 3.0])).shape
    (2,)
    """
    out, dtype, (a, b) = checked(rng, size, "beta", positive_a=a, positive_b=b)
    x = _standard(rng, a, out, dtype)
    return x / (x + _standard(rng, b, out, dtype))


def dirichlet(rng: Rng, alpha: Any, size: Size = None) -> Any:
    """Samples of the Dirichlet distribution: gamma samples of alpha over their sum. Errors as `gamma`.

    alpha (..., n); the samples are (*size, ..., n).

    >>> dirichlet(np.random.default_rng(0), np.ones(3), 2).shape
    (2, 3)
    """
    out, dtype, (alpha,) = checked(rng, None, "dirichlet", positive_alpha=alpha)
    if not out:
        raise ValueError("dirichlet takes an alpha (..., n), not a number")
    lead = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    x = _standard(rng, alpha, (*lead, *out), dtype)
    return x / pnp.sum(x, axis=-1, keepdims=True)
