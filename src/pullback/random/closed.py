"""Samples that are a closed form of noise and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as pnp
from ..engine.primitives.plumbing import stop_gradient
from .parameters import Size, checked

Rng = np.random.Generator


def uniform(rng: Rng, low: Any = 0.0, high: Any = 1.0, size: Size = None) -> Any:
    """Samples between low and high: low + (high - low) u. ValueError for a high that is not above low.

    >>> uniform(np.random.default_rng(0), 0.0, 2.0, 3).shape
    (3,)
    """
    shape, dtype, (low, high) = checked(rng, size, "uniform", low=low, high=high)
    checked(rng, None, "uniform", positive_range=high - low)
    return low + (high - low) * rng.random(shape).astype(dtype)


def normal(rng: Rng, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
    """Samples of the normal distribution: loc + scale z. ValueError for a scale that is not above 0.

    D. P. Kingma and M. Welling, "Auto-Encoding Variational Bayes" (2014).

    >>> normal(np.random.default_rng(0), np.zeros(3), 2.0).shape
    (3,)
    """
    shape, dtype, (loc, scale) = checked(rng, size, "normal", loc=loc, positive_scale=scale)
    return loc + scale * rng.standard_normal(shape).astype(dtype)


def lognormal(rng: Rng, mean: Any = 0.0, sigma: Any = 1.0, size: Size = None) -> Any:
    """Exponentials of normal samples with this mean and deviation. Errors as `normal`.

    >>> lognormal(np.random.default_rng(0), size=2).shape
    (2,)
    """
    return pnp.exp(normal(rng, mean, sigma, size))


def multivariate_normal(rng: Rng, mean: Any, cov: Any, size: Size = None) -> Any:
    """Samples of the normal distribution of vectors: mean + L z, where L L^T is the covariance.

    mean (n), cov (n, n), both with derivatives; the samples are of shape (*size, n). ValueError for other
    shapes, LinAlgError for a covariance that is not positive definite.

    >>> multivariate_normal(np.random.default_rng(0), np.zeros(2), np.eye(2), 5).shape
    (5, 2)
    """
    dtype, (mean, cov) = _vectors(rng, mean, cov)
    lead = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    noise = rng.standard_normal((*lead, mean.shape[0])).astype(dtype)
    return mean + noise @ pnp.matrix_transpose(pnp.linalg.cholesky(cov))


def _vectors(rng: Rng, mean: Any, cov: Any) -> tuple[Any, list[Any]]:
    _, dtype_mean, (mean,) = checked(rng, None, "multivariate_normal", mean=mean)
    _, dtype_cov, (cov,) = checked(rng, None, "multivariate_normal", cov=cov)
    n = mean.shape[0] if mean.ndim == 1 else -1
    if tuple(cov.shape) != (n, n):
        raise ValueError(
            f"multivariate_normal takes a mean (n) and a cov (n, n), not {tuple(mean.shape)} and "
            f"{tuple(cov.shape)}"
        )
    return np.result_type(dtype_mean, dtype_cov), [mean, cov]


def exponential(rng: Rng, scale: Any = 1.0, size: Size = None) -> Any:
    """Samples of the exponential distribution: scale e. ValueError for a scale that is not above 0.

    >>> exponential(np.random.default_rng(0), 2.0, 3).shape
    (3,)
    """
    shape, dtype, (scale,) = checked(rng, size, "exponential", positive_scale=scale)
    return scale * rng.standard_exponential(shape).astype(dtype)


def laplace(rng: Rng, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
    """Samples of the Laplace distribution: loc + scale z. ValueError for a scale that is not above 0.

    >>> laplace(np.random.default_rng(0), size=3).shape
    (3,)
    """
    shape, dtype, (loc, scale) = checked(rng, size, "laplace", loc=loc, positive_scale=scale)
    return loc + scale * rng.laplace(size=shape).astype(dtype)


def logistic(rng: Rng, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
    """Samples of the logistic distribution: loc + scale z. ValueError for a scale that is not above 0.

    >>> logistic(np.random.default_rng(0), size=3).shape
    (3,)
    """
    shape, dtype, (loc, scale) = checked(rng, size, "logistic", loc=loc, positive_scale=scale)
    return loc + scale * rng.logistic(size=shape).astype(dtype)


def gumbel(rng: Rng, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
    """Samples of the Gumbel distribution: loc + scale z. ValueError for a scale that is not above 0.

    >>> gumbel(np.random.default_rng(0), size=3).shape
    (3,)
    """
    shape, dtype, (loc, scale) = checked(rng, size, "gumbel", loc=loc, positive_scale=scale)
    return loc + scale * rng.gumbel(size=shape).astype(dtype)


def cauchy(rng: Rng, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
    """Samples of the Cauchy distribution: loc + scale z. ValueError for a scale that is not above 0.

    >>> cauchy(np.random.default_rng(0), size=3).shape
    (3,)
    """
    shape, dtype, (loc, scale) = checked(rng, size, "cauchy", loc=loc, positive_scale=scale)
    return loc + scale * rng.standard_cauchy(shape).astype(dtype)


def rayleigh(rng: Rng, scale: Any = 1.0, size: Size = None) -> Any:
    """Samples of the Rayleigh distribution: scale sqrt(2 e). ValueError for a scale that is not above 0.

    >>> rayleigh(np.random.default_rng(0), size=3).shape
    (3,)
    """
    shape, dtype, (scale,) = checked(rng, size, "rayleigh", positive_scale=scale)
    return scale * rng.rayleigh(size=shape).astype(dtype)


def weibull(rng: Rng, a: Any, size: Size = None) -> Any:
    """Samples of the Weibull distribution of scale 1: e^(1 / a). ValueError for an a that is not above 0.

    >>> weibull(np.random.default_rng(0), 2.0, 3).shape
    (3,)
    """
    shape, dtype, (a,) = checked(rng, size, "weibull", positive_a=a)
    return rng.standard_exponential(shape).astype(dtype) ** (1 / a)


def pareto(rng: Rng, a: Any, size: Size = None) -> Any:
    """Samples of the Pareto II distribution, as NumPy's: exp(e / a) - 1. ValueError as `weibull`.

    >>> pareto(np.random.default_rng(0), 2.0, 3).shape
    (3,)
    """
    shape, dtype, (a,) = checked(rng, size, "pareto", positive_a=a)
    return pnp.expm1(rng.standard_exponential(shape).astype(dtype) / a)


def power(rng: Rng, a: Any, size: Size = None) -> Any:
    """Samples between 0 and 1 of density a x^(a - 1): exp(-e / a). ValueError as `weibull`.

    >>> power(np.random.default_rng(0), 2.0, 3).shape
    (3,)
    """
    shape, dtype, (a,) = checked(rng, size, "power", positive_a=a)
    return pnp.exp(-rng.standard_exponential(shape).astype(dtype) / a)


def gumbel_softmax(rng: Rng, logits: Any, tau: Any = 1.0, hard: bool = False, dim: int = -1) -> Any:
    """Samples of the concrete distribution: softmax((logits + g) / tau), as torch's `gumbel_softmax`.

    With `hard` the value is 1 at the largest entry and 0 elsewhere, with the derivative of the soft one.
    E. Jang and others, "Categorical Reparameterization with Gumbel-Softmax" (2017). ValueError for a tau
    that is not above 0.

    >>> gumbel_softmax(np.random.default_rng(0), np.zeros(3), hard=True).sum()
    np.float64(1.0)
    """
    shape, dtype, (logits,) = checked(rng, None, "gumbel_softmax", logits=logits)
    _, _, (tau,) = checked(rng, None, "gumbel_softmax", positive_tau=tau)
    soft = pnp.softmax((logits + rng.gumbel(size=shape).astype(dtype)) / tau, axis=dim)
    if not hard:
        return soft
    given = stop_gradient(soft)
    largest = pnp.expand_dims(pnp.argmax(given, axis=dim), dim)
    chosen = np.zeros(shape, dtype)
    np.put_along_axis(chosen, largest.detach().numpy() if hasattr(largest, "detach") else largest, 1, dim)
    return chosen - given + soft
