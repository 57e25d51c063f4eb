"""What to write in the place of functions of NumPy's that are no words of the language.

They work on tensors, where each step is recorded; a formula is read before any array is there.
"""

from __future__ import annotations

_INSTEAD = {
    "numpy.array": "np.stack makes an array of tensors: a stack of rows for a matrix",
    "numpy.average": "np.sum(x * w, axis) / np.sum(w, axis), or np.mean(x, axis)",
    "numpy.bincount": "pb.unslice(w, index=places, shape=(n,)) adds up what falls on each place",
    "numpy.block": "np.concatenate of the rows, each of which is an np.concatenate of its blocks",
    "numpy.choose": "np.where, once for each choice",
    "numpy.compress": "x[mask], or x[:, mask] for the second axis",
    "numpy.corrcoef": "c / np.sqrt(d[:, None] * d) with d = np.diag(c) of covariances c = np.matmul(y, y.T)",
    "numpy.cov": "np.matmul(y, y.T) / (n - 1) with y = x - np.mean(x, axis=1, keepdims=True)",
    "numpy.cumulative_prod": "np.cumprod(x, axis)",
    "numpy.cumulative_sum": "np.cumsum(x, axis)",
    "numpy.delete": "x[kept] with the positions that stay",
    "numpy.divmod": "x // y and x % y",
    "numpy.extract": "x[mask]",
    "numpy.fix": "np.trunc(x)",
    "numpy.float_power": "x**y",
    "numpy.frexp": "np.floor(np.log2(np.abs(x))) + 1 is the exponent, x / 2**exponent the mantissa",
    "numpy.gradient": "np.diff(x) / h at the ends, (x[2:] - x[:-2]) / (2 * h) between them",
    "numpy.heaviside": "np.where(x > 0, 1.0, np.where(x == 0, h, 0.0))",
    "numpy.insert": "np.concatenate([x[:k], values, x[k:]])",
    "numpy.interp": "y[k] + (x - xp[k]) * (y[k + 1] - y[k]) / (xp[k + 1] - xp[k]), k from np.searchsorted",
    "numpy.ldexp": "x * 2.0**n",
    "numpy.linalg.lstsq": "np.linalg.solve(a.T @ a, a.T @ b), or np.linalg.pinv(a) @ b",
    "numpy.linalg.matrix_norm": "np.linalg.norm(x, axis=(-2, -1))",
    "numpy.linalg.matrix_power": "a product for each power: x @ x @ x",
    "numpy.linalg.multi_dot": "a @ b @ c",
    "numpy.linalg.slogdet": "np.log(np.abs(np.linalg.det(x)))",
    "numpy.linalg.vector_norm": "np.linalg.norm(x, axis=axis)",
    "numpy.matvec": "np.einsum('...ij,...j->...i', a, v)",
    "numpy.meshgrid": "x[None, :] and y[:, None], which broadcast",
    "numpy.modf": "x - np.trunc(x) and np.trunc(x)",
    "numpy.nancumprod": "np.cumprod(np.where(np.isnan(x), 1, x), axis)",
    "numpy.nancumsum": "np.cumsum(np.where(np.isnan(x), 0, x), axis)",
    "numpy.nanmax": "np.max(np.where(np.isnan(x), -np.inf, x))",
    "numpy.nanmean": "np.sum(np.where(np.isnan(x), 0, x)) / np.sum(np.where(np.isnan(x), 0, 1))",
    "numpy.nanmin": "np.min(np.where(np.isnan(x), np.inf, x))",
    "numpy.nanprod": "np.prod(np.where(np.isnan(x), 1, x))",
    "numpy.nansum": "np.sum(np.where(np.isnan(x), 0, x))",
    "numpy.partition": "np.sort(x, axis)",
    "numpy.percentile": "np.sort(x) and an entry of it, or two and their mean: np.median for the middle",
    "numpy.polyint": "p / np.arange(n, 0, -1), with the constant put last by np.concatenate",
    "numpy.quantile": "np.sort(x) and an entry of it, or two and their mean: np.median for the middle",
    "numpy.resize": "np.reshape of np.tile(x, n)",
    "numpy.rollaxis": "np.moveaxis(x, source, destination)",
    "numpy.select": "np.where(first, a, np.where(second, b, otherwise))",
    "numpy.take": "x[positions], or x[:, positions] for the second axis",
    "numpy.unstack": "[x[k] for k in range(x.shape[0])]",
    "numpy.vander": "np.stack([x**k for k in range(n)], axis=1)",
    "numpy.vecmat": "np.einsum('...i,...ij->...j', v, a)",
}


def instead_of(dotted: str) -> str | None:
    """What to write instead of the function of this full name, or None.

    >>> instead_of("numpy.take")
    'x[positions], or x[:, positions] for the second axis'
    """
    return _INSTEAD.get(dotted)
