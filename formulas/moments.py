"""Variance, standard deviation and norms: sums of powers, and their roots.

The root of a sum of squares has a kink where the sum is zero. Its derivative is
taken as zero there, as the smallest of its subgradients.
"""

import numpy as np

import pullback as pb


def _root(total):
    """The square root, with derivative zero at zero."""
    positive = total > 0
    return np.where(positive, np.sqrt(np.where(positive, total, 1)), total)


@pb.composite(np.var)
def var(a, *, axis=None, ddof=0, keepdims=False):
    """The sum of squared distances from the mean, over the number of terms less `ddof`."""
    distance = a - np.mean(a, axis=axis, keepdims=True)
    total = np.sum(distance * distance, axis=axis, keepdims=keepdims)
    terms = a.size // total.size if total.size else 1
    return total / (terms - ddof)


@var.sample_inputs
def _var_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {}
    yield (rng.standard_normal((2, 3, 4)),), {"axis": -1, "ddof": 1}
    yield (rng.standard_normal((2, 3, 4)),), {"axis": (0, 2), "keepdims": True}


@pb.composite(np.std)
def std(a, *, axis=None, ddof=0, keepdims=False):
    """The square root of the variance."""
    return _root(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims))


@std.sample_inputs
def _std_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {}
    yield (rng.standard_normal((2, 3, 4)),), {"axis": (0, 2), "ddof": 1}


@pb.composite(np.linalg.norm)
def norm(x, *, ord=None, axis=None, keepdims=False):
    """The p-norm of vectors, (sum |x|**p)**(1/p), and the Frobenius norm of matrices, which is p = 2."""
    p = pb.order_of_norm(ord, axis, x.ndim)
    if p == 2:
        r = _root(np.sum(x * x, axis=axis, keepdims=keepdims))
    elif p == 1:
        r = np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    elif p == np.inf:
        r = np.max(np.abs(x), axis=axis, keepdims=keepdims)
    elif p == -np.inf:
        r = np.min(np.abs(x), axis=axis, keepdims=keepdims)
    else:
        total = np.sum(np.abs(x) ** p, axis=axis, keepdims=keepdims)
        some = total > 0
        r = np.where(some, np.where(some, total, 1) ** (1 / p), total)
    return r


@norm.sample_inputs
def _norm_inputs(rng):
    x = rng.permutation(12).reshape(3, 4) / 5.0 - 0.93
    yield (x,), {}
    yield (x,), {"axis": -1, "keepdims": True}
    yield (x,), {"ord": "fro", "axis": (0, 1)}
    yield (x,), {"ord": 1, "axis": 0}
    yield (x,), {"ord": 3, "axis": 1}
    yield (x,), {"ord": np.inf, "axis": 1}
    yield (x,), {"ord": -np.inf, "axis": 1}
