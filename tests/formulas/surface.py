"""A call of every function of `pullback.numpy` and `pullback.special`, as it stands in a formula.

Parameters are `ARRAYS` by their letters. A reason stands for what no formula can call.
"""

import re

import numpy as np
import scipy.special

from pullback.engine.core.no_derivative import REFUSED, WRITES
from pullback.engine.core.registry import FORMULAS
from pullback.engine.numpy.written import WRITTEN_WITH_OPERATORS

RNG = np.random.default_rng(12)
ARRAYS = {
    "a": RNG.permutation(12).reshape(3, 4) / 4.0 - 1.33,
    "b": RNG.standard_normal((4, 3)),
    "c": RNG.standard_normal((3, 3)) + 3 * np.eye(3),
    "t": RNG.standard_normal((2, 3, 4)),
    "v": np.array([0.3, -1.2, 2.1, 0.7]),
    "w": np.array([1.0, 0.5, 2.0, 1.5]),
    "u": np.array([[0.3, 0.8, 0.55], [0.1, 0.62, 0.9]]),  # between 0 and 1
    "n": np.array([[0.3, np.nan, 2.1, 0.7], [np.nan, 0.4, 1.1, -2.0]]),
}
MODULES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "special": scipy.special}


def _each(names: str, call: str, module: str = "np") -> dict[str, tuple[str, ...]]:
    """The same call of several functions."""
    return {f"{module}.{name}": (call.replace("f(", f"{module}.{name}("),) for name in names.split()}


CALLS: dict[str, tuple[str, ...]] = {
    # entry by entry
    **_each(
        "abs cbrt cos cosh deg2rad degrees exp exp2 expm1 fabs negative positive rad2deg radians reciprocal "
        "rint sin sinc sinh square tan tanh arcsinh arctan conj real imag i0 nan_to_num fix sign floor ceil "
        "trunc round around spacing angle zeros_like ones_like",
        "f(a)",
    ),
    **_each("log log10 log1p log2 sqrt", "f(w)"),
    **_each("acos arcsin arctanh", "f(u)"),
    **_each("acosh", "f(w + 1.0)"),
    **_each(
        "fmax fmin hypot logaddexp2 arctan2 copysign heaviside",
        "f(a, v)",
    ),
    "np.nextafter": ("np.where(np.nextafter(a, v) > a, a, 2 * a)",),
    **_each("divide fmod mod floor_divide", "f(a, w)"),
    **_each("pow float_power", "f(w, v)"),
    "np.clip": ("np.clip(a, -0.4, 0.9)", "np.clip(a, max=0.9)", "a.clip(-0.4)"),
    "np.divmod": ("np.divmod(a, w)", "divmod(a, w)"),
    "np.modf": ("np.modf(a)[0]",),
    "np.frexp": ("np.frexp(a)[0]",),
    "np.ldexp": ("np.ldexp(a, 3)",),
    "np.where": ("np.where(a > 0, a, v)", "np.where(a > 0)[0] * v[0]"),
    "np.empty_like": ("np.shape(np.empty_like(a))[0] * a",),
    "np.full_like": ("np.full_like(a, 2.0) * a",),
    "np.astype": ("np.astype(a, np.float64)",),
    "np.copy": ("np.copy(a)", "a.copy()"),
    **_each(
        "isclose less less_equal greater greater_equal equal not_equal",
        "np.where(f(a, v), a, 2 * a)",
    ),
    **_each("logical_xor", "np.where(f(a > 0, v > 0), a, 2 * a)"),
    **_each(
        "logical_not isfinite isinf isnan isneginf isposinf signbit isreal iscomplex",
        "np.where(f(a), a, 2 * a)",
    ),
    **_each("bitwise_and bitwise_or bitwise_xor gcd lcm", "a * f(np.astype(9 * a, np.int64), 5)"),
    **_each("bitwise_left_shift bitwise_right_shift", "a * f(np.astype(9 * a, np.int64), 1)"),
    **_each("bitwise_invert bitwise_count", "a * f(np.astype(9 * a, np.int64))"),
    "np.packbits": ("np.packbits(a > 0) * a[0, 0]",),
    "np.unpackbits": ("np.unpackbits(np.packbits(a > 0)) * a[0, 0]",),
    # methods of universal functions
    "np.add": (
        "np.add(a, v)",
        "np.add.reduce(a)",
        "np.add.reduce(a, axis=1, keepdims=True)",
        "np.add.reduce(a, None)",
        "np.add.accumulate(a)",
        "np.add.outer(v, w)",
    ),
    "np.multiply": (
        "np.multiply(a, v)",
        "np.multiply.reduce(a, 1)",
        "np.multiply.accumulate(a, axis=1)",
        "np.multiply.outer(v, a)",
    ),
    "np.maximum": ("np.maximum(a, v)", "np.maximum.reduce(a)", "np.maximum.accumulate(a, axis=1)"),
    "np.minimum": (
        "np.minimum(a, v)",
        "np.minimum.reduce(a, axis=(0, 1))",
        "np.minimum.accumulate(a, -1) * np.minimum.accumulate(v)",
    ),
    "np.subtract": ("np.subtract(a, v)", "np.subtract.outer(a, v)"),
    "np.logaddexp": ("np.logaddexp(a, v)", "np.logaddexp.reduce(a, 1)"),
    "np.logical_and": ("np.where(np.logical_and.reduce(a > -1), v, w)",),
    "np.logical_or": (
        "np.where(np.logical_or(a > 0, v > 0), a, 2 * a)",
        "np.where(np.logical_or.reduce(a > 1), v, w)",
    ),
    # reductions
    "np.sum": (
        "np.sum(a, 1)",
        "np.sum(np.astype(np.exp(a), np.float32), axis=0, dtype=np.float64)[:2] * 0 + a[0, :2]",
        "a.sum(1)",
    ),
    **_each("mean max min amax amin var std prod ptp median", "f(a, axis=1)"),
    **_each("all any", "np.where(f(a > 0, axis=1), a[:, 0], a[:, 1])"),
    **_each("argmax argmin nanargmax nanargmin", "f(a, 1) * a[:, 0]"),
    **_each("count_nonzero", "np.count_nonzero(a > 0) * a"),
    **_each("cumsum cumprod", "f(a, 1)"),
    "np.cumulative_sum": (
        "np.cumulative_sum(a, axis=1)",
        "np.cumulative_sum(a, axis=0, include_initial=True)",
    ),
    "np.cumulative_prod": ("np.cumulative_prod(v)", "np.cumulative_prod(a, axis=1, include_initial=True)"),
    **_each("nansum nanprod nanmean nanvar nanstd nanmax nanmin nanmedian", "f(n, axis=1)"),
    **_each("nancumsum nancumprod", "f(n, axis=1)"),
    "np.average": (
        "np.average(a)",
        "np.average(a, 1, w)",
        "np.average(a, weights=np.exp(a))",
        "np.average(a, axis=0)",
        "np.average(a, weights=np.exp(a), axis=1)",
        "np.average(a, 1, w, returned=True)",
        "np.average(a, axis=1, weights=w, keepdims=True)",
    ),
    "np.cov": (
        "np.cov(a)",
        "np.cov(a, bias=True)",
        "np.cov(v, w)",
        "np.cov(b, rowvar=False)",
        "np.cov(a, ddof=0)",
        "np.cov(a, aweights=w)",
    ),
    "np.corrcoef": ("np.corrcoef(a)", "np.corrcoef(b, rowvar=False)", "np.corrcoef(v, w)"),
    "np.bincount": ("np.bincount([0, 2, 2, 1], w, 5)",),
    "np.quantile": (
        "np.quantile(a, 0.3)",
        "np.quantile(a, 0.3, axis=1)",
        "np.quantile(a, [0.1, 0.6], axis=1)",
        "np.quantile(a, 0.3, axis=0, keepdims=True)",
        "np.quantile(t, 0.3, axis=(0, 1))",
        'np.quantile(a, 0.3, method="lower")',
        'np.quantile(a, 0.3, axis=0, method="nearest")',
        'np.quantile(a, 0.3, axis=0, method="midpoint")',
    ),
    "np.percentile": ("np.percentile(a, 35, axis=1)", "np.percentile(a, [25, 75])"),
    "np.nanquantile": ("np.nanquantile(n, 0.3, axis=1)",),
    "np.nanpercentile": ("np.nanpercentile(n, 30, axis=1)",),
    # shapes
    "np.reshape": (
        "np.reshape(a, (4, 3))",
        'np.reshape(a, (4, 3), order="F")',
        'np.reshape(a, (2, -1), order="F")',
        'a.reshape(2, 6, order="F")',
        'a.reshape((2, 2, 3), order="F")',
        'np.reshape(a, -1, "F")',
    ),
    "np.ravel": ("np.ravel(a)", 'np.ravel(a, "F")', 'a.ravel("F")', 'a.flatten(order="F")'),
    "np.permute_dims": ("np.transpose(t, (2, 0, 1))", "np.permute_dims(a, (1, 0))", "a.T"),
    "np.matrix_transpose": ("np.matrix_transpose(t)", "t.mT"),
    "np.swapaxes": ("np.swapaxes(t, 0, 2)",),
    "np.moveaxis": ("np.moveaxis(t, 0, -1)",),
    "np.rollaxis": ("np.rollaxis(t, 2)", "np.rollaxis(t, 0, 3)"),
    "np.expand_dims": ("np.expand_dims(a, 1)",),
    "np.squeeze": ("np.squeeze(a[None])",),
    "np.broadcast_to": ("np.broadcast_to(v, (3, 4))",),
    "np.broadcast_arrays": ("np.broadcast_arrays(a, v)",),
    "np.atleast_1d": ("np.atleast_1d(np.sum(a))", "np.atleast_1d(a)"),
    "np.atleast_2d": ("np.atleast_2d(v)", "np.atleast_2d(a)"),
    "np.atleast_3d": ("np.atleast_3d(a)", "np.atleast_3d(v)"),
    **_each("flip fliplr flipud rot90", "f(a)"),
    "np.roll": ("np.roll(a, 1, 1)",),
    "np.repeat": ("np.repeat(a, 2, 1)",),
    "np.tile": ("np.tile(a, (2, 1))",),
    "np.resize": ("np.resize(a, (5, 3))", "np.resize(a, 7)"),
    **_each("tril triu diagonal trace diag", "f(c)"),
    "np.diagflat": ("np.diagflat(v)",),
    "np.unstack": ("np.sum(np.stack(np.unstack(a)), 0)", "np.unstack(a, axis=1)[2]"),
    **_each("split array_split vsplit", "f(b, 2)"),
    **_each("hsplit", "f(a, 2)"),
    **_each("dsplit", "f(t, 2)"),
    "np.concat": ("np.concatenate([a, b.T])",),
    "np.stack": ("np.stack([a, b.T], axis=1)",),
    **_each("vstack hstack dstack column_stack", "f([a, b.T])"),
    "np.block": (
        "np.block([a, b.T])",
        "np.block([[a, b.T], [2 * a, np.exp(b.T)]])",
        "np.block([[c, np.zeros((3, 2))], [np.ones((1, 5))]])",
        "np.block([v, w])",
        "np.block([a, v[:3, None]])",
        "np.block([[a, v[:3, None]], [np.ones(5)]])",
        "np.block([[a[None]], [v]])",
    ),
    "np.append": ("np.append(a, b)", "np.append(a, b.T, axis=0)"),
    "np.delete": (
        "np.delete(a, 1, 1)",
        "np.delete(a, [0, 2], axis=0)",
        "np.delete(v, -1)",
        "np.delete(a, [0, 2])",
        "np.delete(v, np.argmax(v))",
    ),
    "np.insert": (
        "np.insert(a, 1, w, axis=0)",
        "np.insert(v, 2, 7.0)",
        "np.insert(v, [1, 3], w[:2])",
        "np.insert(a, 2, v[0])",
    ),
    "np.pad": (
        "np.pad(a, ((1, 0), (0, 2)), constant_values=3.0)",
        "np.pad(a, 1)",
        'np.pad(a, 2, mode="reflect")',
        'np.pad(a, (1, 2), mode="edge")',
        'np.pad(a, 1, "wrap")',
        'np.pad(a, ((1, 1), (2, 0)), "symmetric")',
    ),
    "np.trim_zeros": ("np.trim_zeros(np.pad(v, 2))",),
    **_each("fftshift ifftshift", "f(a)", "np.fft"),
    **_each("fft ifft fft2 ifft2 fftn ifftn rfft rfft2 rfftn ihfft", "np.abs(f(a))", "np.fft"),
    **_each("irfft irfft2 irfftn hfft", "f(a)", "np.fft"),
    "np.sort_complex": ("np.real(np.sort_complex(a))",),
    "np.linalg.eig": ("np.abs(np.linalg.eig(c)[0])", "np.abs(np.linalg.eig(c)[1])"),
    "np.linalg.eigvals": ("np.abs(np.linalg.eigvals(c))",),
    # selection and order
    "np.take": (
        "np.take(a, [0, 2], axis=0)",
        "np.take(a, [0, 2], axis=-1)",
        "np.take(a, 2, axis=1)",
        "np.take(a, [[0, 11], [1, 5]])",
        'np.take(a, [[0, 13], [-1, 5]], mode="wrap")',
        'a.take([0, 7], 1, mode="clip")',
        "a.take([3, 0])",
    ),
    "np.take_along_axis": (
        "np.take_along_axis(a, np.argsort(a, 1), 1)",
        "np.take_along_axis(a, np.argsort(a, axis=None), None)",
        "np.take_along_axis(a, indices=np.argsort(a, None), axis=None)",
    ),
    "np.compress": ("np.compress([True, False, True], a, axis=0)", "np.compress(v > 0, a, axis=1)"),
    "np.extract": ("np.extract(a > 0, a)",),
    "np.choose": (
        "np.choose([0, 2, 1, 1], [a[0], a[1], a[2]])",
        'np.choose([0, 3, -1, 1], [v, w], mode="wrap")',
    ),
    "np.select": (
        "np.select([a > 0.5, a > 0], [a * 2, a**2], -1.0)",
        "np.select([a > 0.5, a > 0], [a * 2, v])",
    ),
    "np.piecewise": ("np.piecewise(v, [v < 0, v > 1], [lambda x: x * x, lambda x: 3 * x, 7.0])",),
    "np.sort": ("np.sort(a, 1)", "np.sort(a, axis=None)", 'np.sort(a, 0, "stable")'),
    "np.partition": (
        "np.sort(np.partition(a, 2, axis=1)[:, :2], axis=1)",
        "np.partition(a, 3, axis=None)[3]",
    ),
    **_each("argsort", "f(a, 1) * a"),
    "np.argpartition": ("np.argpartition(a, 1, 1)[:, 1] * a[:, 0]",),
    "np.searchsorted": ("np.searchsorted([-1.0, 0.0, 1.0], a) * a",),
    "np.digitize": ("np.digitize(a, [-1.0, 0.0, 1.0]) * a",),
    "np.lexsort": ("np.lexsort((v, w)) * v",),
    "np.argwhere": ("np.argwhere(a > 0) * a[0, 0]",),
    "np.flatnonzero": ("np.flatnonzero(v > 0) * v[0]", "v[np.flatnonzero(v > 0)]"),
    "np.nonzero": ("np.nonzero(a > 0)[1] * v[0]",),
    "np.apply_along_axis": ("np.apply_along_axis(lambda x: x * np.sum(x), 0, a)",),
    "np.apply_over_axes": ("np.apply_over_axes(np.sum, a, [0, 1])",),
    "np.isin": ("np.where(np.isin(a, [0.0, a[0, 0]]), a, 2 * a)",),
    # sets
    **_each("unique_values", "f(np.concatenate([a, a]))"),
    "np.unique": (
        "np.unique(np.concatenate([a, a]))",
        "np.unique(np.concatenate([a, a]), return_index=True)[0]",
        "np.unique(np.concatenate([a, a]), axis=0)",
    ),
    "np.unique_all": ("np.unique_all(a)[0]",),
    "np.unique_counts": ("np.unique_counts(a).values",),
    "np.unique_inverse": ("np.unique_inverse(a)[0]",),
    "np.union1d": ("np.union1d(v, w)",),
    "np.setdiff1d": ("np.setdiff1d(v, [-7.0, 5.0])",),
    "np.setxor1d": ("np.setxor1d(v, [-7.0, 5.0])",),
    "np.intersect1d": ("np.intersect1d(v, v)",),
    # calculus and polynomials
    "np.diff": ("np.diff(a, 2, axis=0)", "np.diff(v, prepend=0.0, append=v[:1])"),
    "np.ediff1d": ("np.ediff1d(v, to_end=v[0])",),
    "np.trapezoid": ("np.trapezoid(a, np.cumsum(w))", "np.trapezoid(a, dx=0.5, axis=0)"),
    "np.gradient": (
        "np.gradient(v)",
        "np.gradient(a, axis=0)",
        "np.gradient(a, 0.5, axis=1)",
        "np.gradient(a, 0.5, axis=-1)",
        "np.gradient(v, np.cumsum(w))",
        "np.gradient(a, axis=(0, 1))",
        "np.gradient(a, 0.5, 2.0, axis=(1, 0))",
    ),
    "np.interp": (
        "np.interp(u, np.cumsum(w), v)",
        "np.interp([-1.0, 9.0], [0.0, 1.0, 2.0, 3.0], v, left=-5.0)",
        "np.interp([1.5, 0.2], [0.0, 1.0, 2.0, 3.0], v)",
    ),
    "np.unwrap": ("np.unwrap(v * 4)", "np.unwrap(a * 4, axis=0)"),
    "np.polyval": ("np.polyval(v, w)", "np.polyval([1.0, 0.0, -2.0], w)"),
    "np.polyadd": ("np.polyadd(v, w[:2])",),
    "np.polysub": ("np.polysub(v[:2], w)",),
    "np.polymul": ("np.polymul(v, w)",),
    "np.polyder": ("np.polyder(v, 2)",),
    "np.polyint": ("np.polyint(v)", "np.polyint(v, 2)", "np.polyint(v, 1, 2.0)"),
    "np.vander": ("np.vander(w, 3)", "np.vander(w, 3, increasing=True)", "np.vander(w)"),
    # products
    "np.matmul": ("np.matmul(a, b)", "a @ b"),
    "np.matvec": ("np.matvec(a, v)", "np.matvec(t, v)"),
    "np.vecmat": ("np.vecmat(v, b)",),
    "np.vecdot": ("np.vecdot(a, v)",),
    "np.cross": ("np.cross(b, 2.0 * c[0])",),
    "np.dot": ("np.dot(a, b)", "a.dot(v)"),
    "np.inner": ("np.inner(a, v)",),
    "np.outer": ("np.outer(v, w)",),
    "np.vdot": ("np.vdot(v, w)",),
    "np.kron": ("np.kron(a, b)", "np.kron(v, a)"),
    "np.tensordot": ("np.tensordot(t, b, axes=1)",),
    "np.einsum": ('np.einsum("ij,jk->ik", a, b)', 'np.einsum("ij,jk->ik", a, b, optimize=True)'),
    **_each("convolve correlate", "f(v, w[:3])"),
    # matrices
    **_each("inv det slogdet matrix_norm trace diagonal", "f(c)", "np.linalg"),
    "np.linalg.norm": (
        "np.linalg.norm(c)",
        "np.linalg.norm(a, axis=1)",
        "np.linalg.norm(a, 3, axis=1)",
        "np.linalg.norm(a, 2)",
        'np.linalg.norm(a, "nuc")',
        'np.linalg.norm(a, "f")',
        "np.linalg.norm(a, 1)",
        "np.linalg.norm(c, np.inf, keepdims=True)",
        "np.linalg.norm(t, -1, (1, 2))",
    ),
    **_each("matrix_transpose", "f(t)", "np.linalg"),
    "np.linalg.cond": ("np.linalg.cond(c)", "np.linalg.cond(c, 1)", "np.linalg.cond(c, -2)"),
    "np.linalg.matrix_rank": ("np.linalg.matrix_rank(c) * c",),
    "np.linalg.cross": ("np.linalg.cross(b, b[::-1] + 0.5)",),
    "np.linalg.outer": ("np.linalg.outer(v, w)",),
    "np.linalg.matmul": ("np.linalg.matmul(a, b)",),
    "np.linalg.vecdot": ("np.linalg.vecdot(a, v)",),
    "np.linalg.tensordot": ("np.linalg.tensordot(a, b, axes=1)",),
    "np.linalg.multi_dot": ("np.linalg.multi_dot([v, b, a])", "np.linalg.multi_dot([a, b, c])"),
    "np.linalg.solve": ("np.linalg.solve(c, b.T)",),
    "np.linalg.cholesky": ("np.linalg.cholesky(c @ c.T)", "np.linalg.cholesky(c @ c.T, upper=True)"),
    "np.linalg.eigh": ("np.linalg.eigh(c + c.T)[0]", 'np.linalg.eigh(c + c.T, "U")[0]'),
    "np.linalg.eigvalsh": ("np.linalg.eigvalsh(c @ c.T)", 'np.linalg.eigvalsh(c @ c.T, "U")'),
    "np.linalg.qr": (
        "np.linalg.qr(b)[1]",
        "np.linalg.qr(b)",
        "np.linalg.qr(b).Q",
        "np.linalg.qr(a)[1]",
        'np.linalg.qr(b, "r")',
        'np.linalg.qr(c, mode="complete")',
    ),
    "np.linalg.svd": (
        "np.linalg.svd(a, full_matrices=False)[1]",
        "np.linalg.svd(a, compute_uv=False)",
        "np.abs(np.linalg.svd(c)[0])",
        "np.linalg.svd(a, full_matrices=False).S",
    ),
    "np.linalg.svdvals": ("np.linalg.svdvals(a)",),
    "np.linalg.pinv": ("np.linalg.pinv(a)", "np.linalg.pinv(a, rtol=1e-12)"),
    "np.linalg.matrix_power": (
        "np.linalg.matrix_power(c / 3, 5)",
        "np.linalg.matrix_power(c, -2)",
        "np.linalg.matrix_power(c, 0) * c",
    ),
    "np.linalg.lstsq": ("np.linalg.lstsq(b, v)[0]", "np.linalg.lstsq(b, a.T)[0]", "np.linalg.lstsq(b, v)[1]"),
    "np.linalg.tensorinv": ("np.linalg.tensorinv(np.reshape(b, (4, 3, 1))[:3], 1)",),
    "np.linalg.tensorsolve": ("np.linalg.tensorsolve(c, v[:3])",),
    "np.linalg.vector_norm": (
        "np.linalg.vector_norm(a)",
        "np.linalg.vector_norm(a, axis=1, ord=3)",
        "np.linalg.vector_norm(a, keepdims=True)",
    ),
    # creation
    **_each("hanning hamming blackman bartlett", "f(4) * a + f(len(v)) * v"),
    "np.kaiser": ("np.kaiser(4, 8.6) * a", "np.kaiser(len(v), 2) * v"),
    "np.identity": ("np.identity(3) @ c",),
    "np.linspace": ("np.linspace(v[0], v[1], 5)", "np.linspace(0.0, v, 3)"),
    "np.logspace": ("np.logspace(w[0], w[1], 4)",),
    "np.geomspace": ("np.geomspace(w[0], w[2], 4)",),
    "np.meshgrid": (
        "np.meshgrid(v, w)",
        'np.meshgrid(v, w, indexing="ij")',
        "np.meshgrid(v, w, sparse=True)[1]",
    ),
    # questions and indexes
    "np.shape": ("a * np.shape(a)[0]",),
    **_each("ndim size", "a * f(a)"),
    **_each("array_equiv", "a if f(a, 1.0) else 2 * a"),
    "np.allclose": ("a if np.allclose(a, 1.0) else 2 * a", "v if np.allclose(v, [0, 1, 2, 3]) else 2 * v"),
    "np.array_equal": (
        "a if np.array_equal(a, 1.0) else 2 * a",
        "v if np.array_equal(v, [0, 1, 2, 3]) else 2 * v",
    ),
    **_each("iscomplexobj isrealobj", "a if f(a) else 2 * a"),
    "np.unravel_index": ("np.unravel_index(5, (3, 4))[1] * v",),
    "np.ravel_multi_index": ("np.ravel_multi_index((1, 2), (3, 4)) * v",),
    **_each("diag_indices_from tril_indices_from triu_indices_from", "f(c)[0] * v[0]"),
    "np.ix_": ("a[np.ix_([0, 2], [1, 3])]",),
    # SciPy's
    **_each(
        "cosm1 dawsn digamma erf erfc erfcx erfi expi expit gammaln gamma i0 i0e i1 i1e j0 j1 loggamma "
        "log_expit log_ndtr ndtr rgamma entr exp1 k0 k0e k1 k1e y0 y1",
        "f(w)",
        "special",
    ),
    **_each("erfcinv erfinv logit ndtri", "f(u)", "special"),
    **_each("beta betaln kl_div rel_entr xlog1py xlogy", "f(w, 1.5)", "special"),
    **_each("softmax log_softmax logsumexp", "f(a, axis=1)", "special"),
    "special.exp10": ("special.exp10(u)",),
    **_each(
        "exprel sindg cosdg tandg cotdg spence wrightomega sici shichi fresnel airy",
        "f(w)",
        "special",
    ),
    "special.ndtri_exp": ("special.ndtri_exp(-w)",),
    **_each("owens_t powm1 poch agm huber pseudo_huber boxcox boxcox1p", "f(w, u[:, :1])", "special"),
    **_each("inv_boxcox inv_boxcox1p binom", "f(w, u[:, :1])", "special"),
    **_each("expn struve modstruve zeta chdtr chdtrc pdtr pdtrc", "f(2, w)", "special"),
    **_each("chdtri pdtri stdtrit", "f(3, u)", "special"),
    **_each("tklmbda ellipj", "f(u / 3, 0.4)", "special"),
    "special.stdtr": ("special.stdtr(3, a)",),
    **_each("gdtr gdtrc", "f(u[:, :1], 2, w)", "special"),
    "special.gdtrix": ("special.gdtrix(w, 2, u[:, :1])",),
    **_each("bdtr bdtrc bdtri nbdtr nbdtrc nbdtri", "f(2, 5, u)", "special"),
    **_each("fdtr fdtrc", "f(3, 4, w)", "special"),
    "special.fdtri": ("special.fdtri(3, 4, u)",),
    "special.radian": ("special.radian(v, w, 2.0)",),
    "special.multigammaln": ("special.multigammaln(w + 2, 3)",),
    "special.diric": ("special.diric(w, 3)",),
    **_each("exp2 expm1 log1p cbrt softplus", "f(w)", "special"),
    **_each("gammainc gammaincc hyp0f1 yv kv yn kn jve yve ive kve", "f(2, w)", "special"),
    **_each("gammaincinv gammainccinv", "f(2, u)", "special"),
    **_each("betainc betaincc betaincinv betainccinv", "f(2, 3, u)", "special"),
    **_each("hyp1f1 hyperu", "f(1, 3, w)", "special"),
    "special.hyp2f1": ("special.hyp2f1(1, 2, 4, u)",),
    **_each("spherical_jn spherical_yn spherical_in spherical_kn", "f(2, w)", "special"),
    **_each("ellipk ellipe ellipkm1", "f(u)", "special"),
    **_each("ellipkinc ellipeinc", "f(w, u[:, :1])", "special"),
    **_each(
        "eval_legendre eval_chebyt eval_chebyu eval_laguerre eval_hermite eval_hermitenorm eval_sh_legendre "
        "eval_sh_chebyt eval_sh_chebyu eval_chebyc eval_chebys",
        "f(3, u)",
        "special",
    ),
    **_each("eval_gegenbauer eval_genlaguerre", "f(3, 1.5, u)", "special"),
    "special.eval_jacobi": ("special.eval_jacobi(3, 1.5, 2, u)",),
    "special.eval_sh_jacobi": ("special.eval_sh_jacobi(3, 2.5, 2, u)",),
    "special.iv": ("special.iv(2, w)",),
    "special.jn": ("special.jv(1.5, w)",),
    "special.polygamma": ("special.polygamma(1, w)",),
}

# What no formula can call, and why. What has no derivative on tensors is refused in a formula too.
REASONS: dict[str, str] = {
    **{
        name.replace("numpy.", "np.", 1): reason
        for table in (REFUSED, WRITES)
        for name, reason in table.items()
    },
    **dict.fromkeys(
        (
            "np.array2string",
            "np.array_repr",
            "np.array_str",
        ),
        "gives a text",
    ),
    **dict.fromkeys(
        ("np.can_cast", "np.common_type", "np.result_type", "np.min_scalar_type"),
        "gives a dtype, or asks about one",
    ),
    **dict.fromkeys(("np.may_share_memory", "np.shares_memory"), "asks about memory, not values"),
    **dict.fromkeys(
        ("np.histogram", "np.histogram2d", "np.histogramdd", "np.histogram_bin_edges"),
        "its weights and edges have derivatives, which are written for tensors only",
    ),
    "np.einsum_path": "gives the order in which `np.einsum` works",
    "np.isnat": "of dates only",
    "np.roots": "how many there are depends on zeros among the coefficients; it is written for tensors only",
}


def surface() -> dict[str, object]:
    """NumPy's and SciPy's functions that take tensors, each under its first name."""
    found: dict[str, object] = {}
    for module, owner in MODULES.items():
        for name in sorted(dir(owner)):
            value = getattr(owner, name)
            if name.startswith("_") or not callable(value) or any(value is other for other in found.values()):
                continue
            dispatches = isinstance(value, np.ufunc) or hasattr(value, "_implementation")
            if _has_derivative(value) or (dispatches and owner is not scipy.special):
                found[f"{module}.{name}"] = value
    return found


def _has_derivative(value: object) -> bool:
    """Whether the library has a formula for it; a formula of another test is not the library's."""
    try:
        formula = FORMULAS.find(value)
        return value in WRITTEN_WITH_OPERATORS or (
            formula is not None and formula.__module__.startswith("pullback.")
        )
    except TypeError:
        return False


def program(call: str) -> str:
    """A function that returns a call, as text."""
    return f"def program({', '.join(parameters(call))}):\n    return {call}\n"


def parameters(call: str) -> list[str]:
    """The arrays that a call names."""
    return [name for name in ARRAYS if re.search(rf"\b{name}\b", call.replace("def ", ""))]
