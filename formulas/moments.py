"""Variance, standard deviation and norms.

The root of a sum of squares has a kink where the sum is zero. Its derivative is
taken as zero there, as the smallest of its subgradients.
"""

import numpy as np

import pullback as pb
from pullback import primitives


def _kept(reduced, axis, keepdims):
    """`reduced` with its reduced axes as axes of length one, so that it broadcasts to the operand."""
    return reduced if keepdims or axis is None else np.expand_dims(reduced, axis)


def _or_one(r):
    """`r`, and 1 where it is zero: what is divided by it is zero there."""
    return np.where(r == 0, 1, r)


@pb.formula(np.var, complex=True)
def var(a, *, axis=None, ddof=0, keepdims=False):
    """The sum of squared distances from the mean m over n - ddof: dr = sum 2 (a - m) da / (n - ddof).

    The mean's own change drops out, for the distances from it sum to zero.
    """
    r = np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)

    def var_pullback(grad):
        terms = a.size // r.size if r.size else 1
        distance = a - np.mean(a, axis=axis, keepdims=True)
        return 2 * np.conj(distance) * _kept(grad, axis, keepdims) / (terms - ddof)

    return r, var_pullback


@var.sample_inputs
def _var_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {}
    yield (rng.standard_normal((2, 3, 4)),), {"axis": -1, "ddof": 1}
    yield (rng.standard_normal((2, 3, 4)),), {"axis": (0, 2), "keepdims": True}


@pb.formula(np.std, complex=True)
def std(a, *, axis=None, ddof=0, keepdims=False):
    """The root of the variance, so 2 r dr is the change of the variance."""
    r = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)

    def std_pullback(grad):
        terms = a.size // r.size if r.size else 1
        distance = a - np.mean(a, axis=axis, keepdims=True)
        share = _kept(grad, axis, keepdims) / _or_one(_kept(r, axis, keepdims))
        return np.conj(distance) * share / (terms - ddof)

    return r, std_pullback


@std.sample_inputs
def _std_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {}
    yield (rng.standard_normal((2, 3, 4)),), {"axis": (0, 2), "ddof": 1}


@pb.formula(np.linalg.norm, complex=True)
def norm(x, *, ord=None, axis=None, keepdims=False):
    """r = (sum |x|**p)**(1/p): dr = sum sign(x) (|x| / r)**(p - 1) dx. Of matrices that of Frobenius, p = 2.

    The norm of order infinity is the largest |x|, or the smallest where it is
    negative; entries that tie for it take equal shares.
    """
    p = primitives.order_of_norm(ord, axis, x.ndim)
    r = np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)

    def norm_pullback(grad):
        size = np.abs(x)
        kept = _kept(r, axis, keepdims)
        share = _kept(grad, axis, keepdims)
        direction = np.conj(np.sign(x))
        if p == np.inf or p == -np.inf:
            chosen = size == kept
            tied = np.sum(np.where(chosen, np.ones_like(size), 0), axis=axis, keepdims=True)
            back = np.where(chosen, share / tied, 0) * direction
        elif p == 2:
            back = share * np.conj(x) / _or_one(kept)
        else:
            base = _or_one(size) if p > 0 and p < 1 else size  # a cusp at 0, where the direction is 0
            back = share * direction * (base / _or_one(kept)) ** (p - 1)
        return back

    return r, norm_pullback


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
