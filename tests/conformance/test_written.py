"""NumPy's functions that are written with operators: values as NumPy's, derivatives to second order."""

import numpy as np
import pytest
import scipy.special

import pullback as pb
import pullback.numpy as pnp

RNG = np.random.default_rng(12)
A = RNG.permutation(12).reshape(3, 4) / 4.0 - 1.3
B = RNG.standard_normal((4, 3))
C = RNG.standard_normal((3, 3)) + 3 * np.eye(3)
V = np.array([0.3, -1.2, 2.1, 0.7])
W = np.array([1.0, 0.5, 2.0, 1.5])
N = np.where(A.max() == A, np.nan, A)
PICK = np.array([[0, 2, 1, 1], [2, 0, 0, 1], [1, 1, 2, 0]])

CALLS = {
    # products
    "kron": (np.kron, A, B[:2]),
    "kron of a vector": (np.kron, V, A),
    "kron of stacks": (np.kron, np.stack([A, A * 2]), B[:2]),
    "kron of a number": (lambda v: np.kron(v, 2.0), V),
    "multi_dot": (lambda a, b, v: np.linalg.multi_dot([v, b, a]), A, B, V),
    "vecdot": (np.vecdot, A, V),
    "matvec": (np.matvec, A, V),
    "vecmat": (np.vecmat, V, B),
    "cross": (np.cross, B, B[::-1] + 1.0),
    "cross of axes": (lambda a, b: np.cross(a, b, axisa=0, axisb=1, axisc=0), A, B),
    "cross with one": (np.cross, B, B[0] + 1.0),
    "linalg.cross": (lambda a, b: np.linalg.cross(a, b, axis=0), A, A[::-1] + 0.5),
    "linalg.outer": (np.linalg.outer, V, W),
    "correlate": (lambda a, v: np.correlate(a, v, "same"), V, W[:3]),
    "einsum with optimize": (lambda a, b: np.einsum("ij,jk->ik", a, b, optimize=True), A, B),
    # shapes
    "ravel in column order": (lambda a: np.ravel(a, "F"), A),
    "diagflat": (np.diagflat, V),
    "atleast_3d": (np.atleast_3d, A),
    "atleast_2d": (lambda v: np.atleast_2d(v) * 1.0, V),
    "broadcast_arrays": (lambda a, v: np.broadcast_arrays(a, v)[1], A, V),
    "column_stack": (lambda v, b: np.column_stack([v, b]), V, B),
    "dstack": (lambda a: np.dstack([a, a * 2]), A),
    "dstack of vectors": (lambda v, w: np.dstack([v, w]), V, W),
    "block of one row": (lambda v, w: np.block([v, w]), V, W),
    "dsplit": (lambda a: np.dsplit(a[None], 2)[1], A),
    "unstack": (lambda a: np.unstack(a, axis=1)[2], A),
    "fliplr": (np.fliplr, A),
    "rot90": (np.rot90, A),
    "rot90 thrice": (lambda a: np.rot90(a, 3), A),
    "rollaxis": (lambda a: np.rollaxis(a[None], 2), A),
    "matrix_transpose": (np.matrix_transpose, A),
    "block": (lambda a, b: np.block([[a, b.T], [np.ones((1, 8))]]), A, B),
    "fftshift": (np.fft.fftshift, A),
    "ifftshift": (lambda a: np.fft.ifftshift(a, 1), A),
    "linalg.diagonal": (lambda a: np.linalg.diagonal(a[None], offset=1), A),
    "linalg.trace": (np.linalg.trace, C),
    # extending
    "pad": (lambda a: np.pad(a, ((1, 0), (0, 2)), constant_values=3.0), A),
    "pad by reflection": (lambda a: np.pad(a, 2, mode="reflect"), A),
    "pad by the edge": (lambda a: np.pad(a, (1, 2), mode="edge"), A),
    "pad round": (lambda a: np.pad(a, 1, "wrap"), A),
    "append": (lambda a, b: np.append(a, b), A, B),
    "append along an axis": (lambda a: np.append(a, a * 2, axis=1), A),
    "delete": (lambda a: np.delete(a, [0, 2], 1), A),
    "insert": (lambda a, v: np.insert(a, 1, v, axis=0), A, V),
    "insert many": (lambda v: np.insert(v, [1, 3], [v[0], v[1]] if isinstance(v, list) else v[:2]), V),
    "resize": (lambda a: np.resize(a, (5, 3)), A),
    "trim_zeros": (lambda v: np.trim_zeros(np.pad(v, 2)), V),
    # selection
    "take": (lambda a: np.take(a, PICK[0], axis=0), A),
    "take of all": (lambda a: np.take(a, [[0, 13], [-1, 5]], mode="wrap"), A),
    "compress": (lambda a: np.compress([True, False, True], a, axis=0), A),
    "compress of all": (lambda a: np.compress([True, False, True], a), A),
    "take_along_axis of a vector": (lambda v: np.take_along_axis(v, PICK[1], 0), V),
    "extract": (lambda a: np.extract(A > 0, a), A),
    "choose": (lambda a: np.choose(PICK[0], [a[0], a[1], a[2]]), A),
    "select": (lambda a: np.select([A > 0.5, A > 0], [a * 2, a**2], -1.0), A),
    "piecewise": (lambda v: np.piecewise(v, [V < 0, V > 1], [lambda x: x * x, lambda x: 3 * x, 7.0]), V),
    "partition": (lambda a: np.sort(np.partition(a, 2, axis=1)[:, :2], axis=1), A),
    "sort of all": (lambda a: np.sort(a, axis=None), A),
    "sort of a kind": (lambda a: np.sort(a, 0, "stable"), A),
    "apply_along_axis": (lambda a: np.apply_along_axis(lambda x: x * x.sum(), 0, a), A),
    "apply_over_axes": (lambda a: np.apply_over_axes(np.sum, a, [0, 1]), A),
    # statistics
    "average": (lambda a, w: np.average(a, 1, w), A, W),
    "average of all": (lambda v, w: np.average(v, weights=w), V, W),
    "average, kept": (lambda a: np.average(a, 0, keepdims=True), A),
    "ptp": (lambda a: np.ptp(a, axis=1), A),
    "cov": (np.cov, A),
    "cov with weights": (lambda a: np.cov(a, fweights=[1, 2, 1, 3], aweights=W), A),
    "corrcoef": (np.corrcoef, A),
    "bincount": (lambda w: np.bincount([0, 2, 2, 1], w, 5), W),
    "quantile": (lambda a: np.quantile(a, [0.1, 0.6], axis=1), A),
    "quantile below": (lambda a: np.quantile(a, 0.3, method="lower"), A),
    "quantile nearest": (lambda a: np.quantile(a, 0.3, axis=0, method="nearest"), A),
    "percentile": (lambda a: np.percentile(a, 35, axis=(0, 1), keepdims=True), A),
    "median": (lambda a: np.median(a, axis=1), A),
    # NaN
    "nansum": (lambda a: np.nansum(a, axis=1), N),
    "nansum of numbers": (lambda a: np.nansum(a, axis=0, keepdims=True), np.nan_to_num(N)),
    "nanprod of numbers": (np.nanprod, np.nan_to_num(N)),
    "nanmean of numbers": (lambda a: np.nanmean(a, 1, keepdims=True), np.nan_to_num(N)),
    "pad by pairs of lists": (lambda a: np.pad(a, [[1, 0], [0, 2]]), A),
    "nanprod": (lambda a: np.nanprod(a, 0), N),
    "nancumsum": (lambda a: np.nancumsum(a, 1), N),
    "nancumprod": (lambda a: np.nancumprod(a, 0), N),
    "nanmean": (lambda a: np.nanmean(a, axis=1), N),
    "nanvar": (lambda a: np.nanvar(a, 1, ddof=1), N),
    "nanstd": (lambda a: np.nanstd(a, axis=0, keepdims=True), N),
    "nanmax": (lambda a: np.nanmax(a, axis=1), N),
    "nanmin": (lambda a: np.nanmin(a), N),
    "nanmedian": (lambda a: np.nanmedian(a, axis=1), N),
    "nanquantile": (lambda a: np.nanquantile(a, 0.3, axis=0), N),
    "nan_to_num": (lambda a: np.nan_to_num(a, nan=2.0), N),
    # calculus
    "diff": (lambda a: np.diff(a, 2, axis=0), A),
    "diff along the first axis": (lambda a: np.diff(a, axis=0), A),
    "diff with ends": (lambda v: np.diff(v, prepend=0.0, append=v[:1]), V),
    "ediff1d": (lambda v: np.ediff1d(v, to_end=v[0]), V),
    "ediff1d of a matrix": (np.ediff1d, A),
    "trapezoid": (lambda a, w: np.trapezoid(a, np.cumsum(w)), A, W),
    "gradient": (lambda a: np.gradient(a, 0.5)[1], A),
    "gradient at places": (lambda v, w: np.gradient(v, np.cumsum(w)), V, W),
    "interp": (lambda x, p, f: np.interp(x, np.cumsum(p), f), np.array([1.2, 2.0, 4.0]), W, V),
    "interp beyond": (lambda f: np.interp([-1.0, 9.0], [0.0, 1.0, 2.0, 3.0], f, left=-5.0), V),
    "interp round": (lambda f: np.interp([-1.5, 5.2], [0.0, 1.0, 2.0, 3.0], f, period=4), V),
    "unwrap": (lambda v: np.unwrap(v * 4), V),
    "cumulative_sum": (lambda a: np.cumulative_sum(a, axis=1, include_initial=True), A),
    "cumulative_prod": (lambda v: np.cumulative_prod(v, include_initial=True), V),
    # polynomials
    "polyval": (lambda p, x: np.polyval(p, x), V, W),
    "polyadd": (lambda p, q: np.polyadd(p, q[:2]), V, W),
    "polysub": (lambda p, q: np.polysub(p, q[:2]), V, W),
    "polymul": (lambda p, q: np.polymul(p, q), V, W),
    "polyder": (lambda p: np.polyder(p, 2), V),
    "polyint": (lambda p: np.polyint(p, 1, 2.0), V),
    "vander": (lambda x: np.vander(x, 3, increasing=True), V),
    # sets
    "unique": (lambda a: np.unique(np.concatenate([a, a])), A),
    "unique_all": (lambda a: np.unique_all(a).values, A),
    "union1d": (lambda v, w: np.union1d(v, w), V, W),
    "setdiff1d": (lambda v: np.setdiff1d(v, [-7.0, 5.0]), V),
    "setxor1d": (lambda v: np.setxor1d(v, [-7.0, 5.0]), V),
    # entries
    "real and conj": (lambda a: np.real(a) * np.conj(a), A),
    "divmod": (lambda a: np.divmod(a, 0.9)[1], A),
    "divmod of Python": (lambda a: divmod(a, 0.9)[1], A),
    "modf": (lambda a: np.modf(a * 1.1)[0], A),
    "frexp": (lambda a: np.frexp(a)[0], A),
    "ldexp": (lambda a: np.ldexp(a, [0, 1, 2, 3]), A),
    "float_power": (lambda w: np.float_power(w, 1.5), W),
    "float_power of a number": (lambda w: np.float_power(2, w), W),
    "i0": (np.i0, V),
    "jv": (lambda v: scipy.special.jv(1.5, np.abs(v)), V),
    "iv": (lambda v: scipy.special.iv(2, v), V),
    # matrices
    "slogdet": (lambda c: np.linalg.slogdet(c).logabsdet, C),
    "eigh": (lambda c: np.linalg.eigh(c + c.T).eigenvalues, C),
    "eigh from above": (lambda c: np.linalg.eigh(c + c.T, "U")[0], C),
    "eigvalsh": (lambda c: np.linalg.eigvalsh(c @ c.T), C),
    "cholesky from above": (lambda c: np.linalg.cholesky(c @ c.T, upper=True), C),
    "qr": (lambda b: np.linalg.qr(b).R, B),
    "qr of a wide matrix": (lambda a: np.linalg.qr(a)[1], A),
    "qr mode r": (lambda b: np.linalg.qr(b, "r"), B),
    "svd": (lambda a: np.linalg.svd(a, full_matrices=False).S, A),
    "svd of a square matrix": (lambda c: np.abs(np.linalg.svd(c)[0]), C),
    "svdvals": (np.linalg.svdvals, A),
    "singular values alone": (lambda a: np.linalg.svd(a, compute_uv=False), A),
    "pinv": (lambda a: np.linalg.pinv(a, rtol=1e-12), A),
    "matrix_power": (lambda c: np.linalg.matrix_power(c, 5) / 1e3, C),
    "matrix_power of the inverse": (lambda c: np.linalg.matrix_power(c, -2), C),
    "matrix_power 0": (lambda c: np.linalg.matrix_power(c, 0) * c, C),
    "lstsq": (lambda b, v: np.linalg.lstsq(b, v)[0], B, V),
    "residuals of lstsq": (lambda b, v: np.linalg.lstsq(b, v)[1], B, V),
    "tensorinv": (lambda b: np.linalg.tensorinv(np.reshape(b[:3], (3, 3)), 1), B),
    "tensorsolve": (lambda c, v: np.linalg.tensorsolve(c, v[:3]), C, V),
    "spectral norm": (lambda a: np.linalg.norm(a, 2), A),
    "nuclear norm": (lambda a: np.linalg.norm(a[None], "nuc", (1, 2)), A),
    "norm by columns": (lambda a: np.linalg.norm(a, 1), A),
    "norm by rows": (lambda b: np.linalg.norm(b, np.inf, keepdims=True), B),
    "matrix_norm": (np.linalg.matrix_norm, A),
    "vector_norm": (lambda a: np.linalg.vector_norm(a, axis=1, ord=3), A),
    "vector_norm of order 1": (lambda v: np.linalg.vector_norm(v, ord=1), V),
    "norm of order 2 of a vector": (lambda v: np.linalg.norm(v, 2, keepdims=True), V),
    "vector_norm of all": (lambda a: np.linalg.vector_norm(a, keepdims=True), A),
    "cond": (np.linalg.cond, C),
    "cond by columns": (lambda c: np.linalg.cond(c, 1), C),
    # creation
    "linspace": (lambda v: np.linspace(v[0], v[1], 5), V),
    "logspace": (lambda w: np.logspace(w[0], w[1], 4), W),
    "geomspace": (lambda w: np.geomspace(w[0], w[2], 4), W),
    "meshgrid": (lambda v, w: np.meshgrid(v, w)[0] * 2, V, W),
    "meshgrid by index": (lambda v, w: np.meshgrid(v, w, indexing="ij", sparse=True)[1] * 2, V, W),
    "full_like": (
        lambda v: np.full_like(A, v[1]) if isinstance(v, np.ndarray) else pnp.full_like(A, v[1]),
        V,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_numpys_and_derivatives_agree_with_differences(engine, name):
    function, *arrays = CALLS[name]
    tensors = [pb.tensor(array, requires_grad=True) for array in arrays]
    result, expected = function(*tensors), function(*arrays)
    assert isinstance(result, pb.Tensor)
    np.testing.assert_allclose(result.detach().numpy(), expected, rtol=1e-12, atol=1e-13)
    assert (result.dtype, result.shape) == (np.asarray(expected).dtype, np.shape(expected))
    finite = [np.nan_to_num(array, nan=1e9) for array in arrays]
    if all(np.array_equal(array, same) for array, same in zip(arrays, finite, strict=True)):
        assert pb.gradcheck(
            lambda *given: function(*given) ** 2, *arrays, order=2 if engine == "reference" else 1
        )
    else:
        gradients = pb.grad((result**2).sum(), tensors)
        assert all(np.isfinite(gradient.numpy()).all() for gradient in gradients)


def test_what_is_kept_of_equal_entries_takes_the_gradient(engine):
    v = pb.tensor([3.0, 1.0, 3.0, 2.0], requires_grad=True)
    weights = np.array([1.0, 10.0, 100.0])
    assert pb.grad((np.unique(v) * weights).sum(), v)[0].tolist() == [100.0, 1.0, 0.0, 10.0]
    assert pb.grad(np.intersect1d(v, [3.0, 9.0]).sum(), v)[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert pb.grad(np.setdiff1d(v, [3.0]).sum(), v)[0].tolist() == [0.0, 1.0, 0.0, 1.0]


def test_sets_for_the_array_api_are_named_tuples_of_tensors(engine):
    found = np.unique_counts(pb.tensor([3, 1, 3]))
    assert (found.values.tolist(), found.counts.tolist()) == ([1, 3], [1, 2])
    found = np.unique_inverse(pb.tensor([3.0, 1.0, 3.0], requires_grad=True))
    assert found.values.requires_grad
    assert found.inverse_indices.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: np.linalg.qr(x.T, "complete"), pb.errors.NotDifferentiableError, "arbitrary"),
        (lambda x: np.linalg.svd(x), pb.errors.NotDifferentiableError, "full_matrices=False"),
        (lambda x: np.pad(x, 1, "mean"), ValueError, "'mean'"),
        (lambda x: np.quantile(x, 1.5), ValueError, "range"),
        (lambda x: np.quantile(x, 0.5, method="hazen"), ValueError, "hazen"),
        (lambda x: np.gradient(x, edge_order=2), ValueError, "edge_order"),
        (lambda x: np.choose([5], [x, x]), ValueError, "choice"),
        (lambda x: np.linalg.norm(x, 3), ValueError, "norm order"),
        (lambda x: np.linalg.norm(x[None], 2), ValueError, "which: axis"),
        (lambda x: np.cross(x[:, :2], x[:, :2]), ValueError, "3 entries"),
        (
            lambda x: np.take_along_axis(x, x, 0),
            (IndexError, pb.errors.NotDifferentiableError),
            "integer|attribute",
        ),
    ],
)
def test_what_they_refuse(engine, call, error, text):
    with pytest.raises(error, match=text):
        call(pb.tensor(A, requires_grad=True))


def test_without_gradients_what_has_none_runs(engine):
    x = pb.tensor(A)
    q, r = np.linalg.qr(x.T, "complete")
    np.testing.assert_allclose((q @ r).numpy(), A.T, atol=1e-14)
    np.testing.assert_allclose(np.fft.ifft(np.fft.fft(x)).real.numpy(), A, atol=1e-14)
    assert np.linalg.eigvals(x[:3, :3]).shape == (3,)


def test_slices_of_nan_alone_warn(engine):
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        assert np.isnan(np.nanmax(pb.tensor([np.nan, np.nan])).item())


@pytest.mark.parametrize("name", ["concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"])
def test_the_parts_of_one_tensor_are_joined(engine, name):
    array = RNG.standard_normal((2, 2, 3))
    x = pb.tensor(array, requires_grad=True)
    for module in (np, pnp):
        joined = getattr(module, name)(x)
        np.testing.assert_array_equal(joined.detach().numpy(), getattr(np, name)(array))
        (first,) = pb.grad((joined**3).sum(), x, create_graph=True)
        (second,) = pb.grad((first * first).sum(), x)
        np.testing.assert_allclose(first.detach().numpy(), 3 * array**2)
        np.testing.assert_allclose(second.numpy(), 36 * array**3)


DTYPES = {
    "gradient": (np.gradient, A.astype(np.float32)),
    "gradient of integers": (np.gradient, PICK),
    "cov": (np.cov, A.astype(np.float32)),
    "corrcoef": (np.corrcoef, A.astype(np.float32)),
    "modf": (np.modf, np.array([np.inf, -np.inf, np.nan, 1.5, -2.5])),
    "modf of integers": (np.modf, PICK),
    "nanmax": (np.nanmax, PICK),
    "nanmin": (lambda a: np.nanmin(a, axis=0, keepdims=True), PICK),
    "nanmax of bools": (np.nanmax, PICK > 1),
    "median of bools": (np.median, PICK > 1),
    "nanmedian of bools": (lambda a: np.nanmedian(a, axis=0, keepdims=True), PICK > 1),
    "median of no lanes": (lambda a: np.median(a, axis=1), np.zeros((0, 3))),
    "quantile of no lanes": (lambda a: np.quantile(a, [0.2, 0.5], axis=1), np.zeros((0, 3))),
    "fabs of integers": (np.fabs, PICK.astype(np.int32)),
    "fabs of bools": (np.fabs, PICK > 1),
    "rint of integers": (np.rint, PICK.astype(np.uint8)),
    "fabs": (np.fabs, A.astype(np.float32)),
    "rint": (np.rint, A),
}


@pytest.mark.parametrize("name", DTYPES)
def test_values_and_dtypes_are_those_of_numpy(engine, name):
    function, array = DTYPES[name]

    def parts(value):
        return value if isinstance(value, (tuple, list)) else (value,)

    for found, expected in zip(parts(function(pb.tensor(array))), parts(function(array)), strict=True):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("median", [np.median, np.nanmedian])
@pytest.mark.parametrize(("shape", "axis"), [((0,), None), ((0, 3), 0), ((3, 0), None), ((3, 0), 1)])
def test_the_median_of_nothing_is_nan(engine, median, shape, axis):
    array = np.zeros(shape, np.float32)
    x = pb.tensor(array, requires_grad=True)
    found, expected = median(x, axis), median(array, axis)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert np.isnan(found.detach()).all()
    assert pb.grad(found.sum(), x)[0].shape == shape


def test_names_of_a_word_that_give_floats_have_gradients(engine):
    x = pb.tensor([1.5, -2.5], requires_grad=True)
    for module in (np, pnp):
        np.testing.assert_array_equal(pb.grad(module.fabs(x).sum(), x)[0], [1.0, -1.0])
        assert module.rint(x).tolist() == [2.0, -2.0]
    assert pnp.fabs(pb.tensor([1, -2])).dtype == pnp.rint(pb.tensor([1, -2])).dtype == np.float64
    out = pb.tensor(np.zeros(2))
    assert np.fabs(pb.tensor([1, -2]), out=out) is out
    assert out.tolist() == [1.0, 2.0]


def test_a_tensor_says_where_to_split(engine):
    x = pb.tensor(V, requires_grad=True)
    assert [part.shape for part in np.split(x, pb.tensor([1, 3]))] == [(1,), (2,), (1,)]
    assert [part.shape for part in np.array_split(x, pb.tensor(3))] == [(2,), (1,), (1,)]


@pytest.mark.parametrize(
    ("x", "conditions", "pieces"),
    [
        (np.array([1.0, 2.0, 3.0]), [[True, False, True]], [1, 2]),
        (np.array([1, 2, 3]), [[True, False, True]], [lambda x: x * 2, 0]),
        (np.array([1, 2, 3]), [[True, False, False], [False, False, True]], [2.7, lambda x: x / 2]),
        (np.array(2.0), [True], [lambda x: x * 3]),
        (np.array(2.0), [False], [lambda x: x * 3, 7]),
        (np.zeros((0, 2)), [np.zeros((0, 2), bool)], [lambda x: x * 3, 7]),
    ],
)
def test_piecewise_is_of_the_type_and_dtype_of_its_operand(engine, x, conditions, pieces):
    expected = np.piecewise(x, conditions, pieces)
    found = np.piecewise(pb.tensor(x, requires_grad=x.dtype.kind == "f"), conditions, pieces)
    assert isinstance(found, pb.Tensor)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.detach().numpy(), expected)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_nan_to_num_of_complex_values_replaces_both_parts(engine, dtype):
    z = np.array([1 + 2j, complex(np.nan, 1), complex(3, -np.inf), complex(np.inf, np.nan)], dtype)
    x = pb.tensor(z, requires_grad=True)
    found = np.nan_to_num(x, nan=7.0, posinf=9.0)
    np.testing.assert_array_equal(found.detach().numpy(), np.nan_to_num(z, nan=7.0, posinf=9.0))
    assert found.dtype == dtype
    (gradient,) = pb.grad(np.real(found * (0.25 - 0.5j)).sum(), x)
    np.testing.assert_array_equal(gradient.numpy(), np.array([0.25 + 0.5j, 0.5j, 0.25, 0], dtype))


def test_gradient_of_even_and_uneven_spacings_is_numpys(engine):
    values = np.random.default_rng(0).standard_normal((4, 5))
    places = np.array([0.0, 1.0, 1.5, 3.0, 7.0])
    for spacing in (1.0, 0.25, np.arange(5.0), places):
        found = np.gradient(pb.tensor(values), spacing, axis=1)
        np.testing.assert_allclose(found.numpy(), np.gradient(values, spacing, axis=1))
    two = np.gradient(pb.tensor(values[:2].astype(np.float32)), 0.5, axis=0)
    np.testing.assert_array_equal(two.numpy(), np.gradient(values[:2].astype(np.float32), 0.5, axis=0))


def test_padding_refuses_keywords_of_other_modes(engine):
    with pytest.raises(TypeError, match="stat_length"):
        np.pad(pb.tensor([1.0, 2.0]), 1, stat_length=3)


@pytest.mark.parametrize("width", [0, 2, (1, 2), ((0, 3), (2, 0)), ((1,), (2,))])
def test_padding_with_zeros_is_numpys(engine, width):
    array = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    x = pb.tensor(array, requires_grad=True)
    found = np.pad(x, width)
    np.testing.assert_array_equal(found.detach().numpy(), np.pad(array, width))
    seed = np.arange(float(found.size), dtype=np.float32).reshape(found.shape)
    (gradient,) = pb.grad(found, x, grad_outputs=pb.tensor(seed))
    inside = np.pad(np.ones((2, 3), bool), width)
    np.testing.assert_array_equal(gradient.numpy().ravel(), seed[inside])


def test_modf_of_whole_numbers_and_infinities(engine):
    values = np.array([-2.0, -0.0, 0.0, 3.0, np.inf, -np.inf, 1.25, -1.25])
    x = pb.tensor(values, requires_grad=True)
    for found, expected in zip(np.modf(x), np.modf(values), strict=True):
        np.testing.assert_array_equal(found.detach().numpy(), expected)
        np.testing.assert_array_equal(np.signbit(found.detach().numpy()), np.signbit(expected))
    rest = pb.tensor(values[-2:], requires_grad=True)
    np.testing.assert_array_equal(pb.grad(np.modf(rest)[0].sum(), rest)[0].numpy(), [1, 1])


EXTREMES = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, -1e-40, 0.3, -2.5, 7.0, 1e30, -3.4e38]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_functions_of_extremes_are_numpys(engine, dtype):
    with np.errstate(all="ignore"):
        values = np.array(EXTREMES).astype(dtype)
        x, y = (side.ravel() for side in np.meshgrid(values, values))
        pairs = [
            *zip(np.modf(pb.tensor(values)), np.modf(values), strict=True),
            *zip(np.divmod(pb.tensor(x), pb.tensor(y)), np.divmod(x, y), strict=True),
            (np.nan_to_num(pb.tensor(values)), np.nan_to_num(values)),
            (
                np.nan_to_num(pb.tensor(values), nan=2, posinf=3.0, neginf=-4),
                np.nan_to_num(values, nan=2, posinf=3.0, neginf=-4),
            ),
        ]
    for found, expected in pairs:
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected)
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found.numpy()[number]), np.signbit(expected[number]))


def test_quotients_have_no_gradient_and_remainders_have_every_one(engine):
    x, y = (pb.tensor(values, requires_grad=True) for values in ([7.3, -7.3], [2.0, -2.0]))
    quotient, rest = np.divmod(x, y)
    assert not quotient.requires_grad
    gradients = pb.grad((rest * rest).sum(), (x, y), create_graph=True)
    seconds = pb.grad(gradients[0].sum() + gradients[1].sum(), (x, y))
    np.testing.assert_allclose(gradients[1].detach().numpy(), (-2 * rest * quotient).detach().numpy())
    slope = 1 - quotient.detach().numpy()
    np.testing.assert_allclose(seconds[0].numpy(), 2 * slope)
    np.testing.assert_allclose(seconds[1].numpy(), -2 * slope * quotient.numpy())


def test_what_replaces_numbers_takes_no_gradient(engine):
    x = pb.tensor([np.nan, 2.0, np.inf, -np.inf], requires_grad=True)
    (gradient,) = pb.grad((np.nan_to_num(x, posinf=5.0, neginf=1.0) ** 2).sum(), x, create_graph=True)
    np.testing.assert_array_equal(gradient.detach().numpy(), [0, 4, 0, 0])
    np.testing.assert_array_equal(pb.grad(gradient.sum(), x)[0].numpy(), [0, 2, 0, 0])
