"""Values at the edges of shapes, ranges and options: what NumPy gives, and what it refuses."""

import warnings

import numpy as np
import pytest

import pullback as pb

INF, TINY = np.inf, np.nextafter(0.0, 1.0)
GIVEN = {
    "x": np.array([0.0, -0.0, 1.5, -2.0, INF, -INF, np.nan, TINY, -TINY]),
    "a": np.arange(24.0).reshape(2, 3, 4),
    "m": np.arange(12.0).reshape(3, 4) ** 2,
    "n": np.array([3, -1, 2]),
    "f": np.array([1.0, 2.5, 4.0], np.float32),
    "z": np.array([1 + 2j, 3 - 1j, -0.5j]),
    "singular": np.array([[[2.0, 1.0], [1.0, 3.0]], [[2.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]),
    "none": np.zeros(0),
    "no_rows": np.zeros((0, 3)),
}
CALLS = """
np.modf(x)[0] np.modf(x)[1] np.nextafter(x,0.0) np.nextafter(x,INF) np.frexp(x)[0] np.frexp(x)[1]
np.ldexp(x,-1000) np.ldexp(x,1000) np.ldexp(x,2000) np.ldexp(x,5000) np.heaviside(True,f)
np.column_stack([a,a]) np.sum(n,initial=2.5) np.prod(n,initial=2.5) np.max(n,initial=2.5)
np.min(f,initial=np.float64(0.1)) np.nanmax(none,initial=2) np.nanmin(no_rows,axis=0,initial=2)
np.cov(m,ddof=9) np.cov(none) np.cov(m,m[:2]) np.ediff1d(f,to_end=1) np.ediff1d(f,to_begin=[1,2])
np.linspace(-f,0.5,4,dtype=int) np.resize(none,3) np.resize(no_rows,(2,2)) np.nanquantile(none,0.3)
np.nanquantile(no_rows,0.3,axis=0) np.interp([0.5,1.0,2.0,3.0],[0,1,1,2,2],m[:,:2].ravel()[:5])
m.compress([True,False,True],0) m.compress([1,0,1]) np.tril(a,-1) np.triu(a,2) np.tril(m,-9)
np.triu(m,9) np.concatenate([f,f],dtype='c16') np.var(z,dtype=float) np.std(z,dtype=float,ddof=1)
np.std(z,0,dtype='f4',keepdims=True) np.linalg.pinv(m[:,:3],hermitian=True)
np.linalg.pinv(z[:2,None]*z[:2],hermitian=True) np.linalg.svd(m[:,:3],compute_uv=False,hermitian=True)
np.linalg.cond(singular) np.linalg.cond(singular,1) np.linalg.cond(singular,-1)
np.linalg.cond(singular,'fro') np.linalg.cond(singular,INF) np.linalg.cond(singular,-2)
np.kron(a,m) np.kron(m[0],a) np.kron(a,a)
""".split()  # noqa: SIM905 - a table is read more easily than a list of texts


def outcome(call, names):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = eval(call, {"np": np, "INF": INF}, names)
    return found.numpy() if isinstance(found, pb.Tensor) else np.asarray(found)


@pytest.mark.parametrize("call", CALLS)
def test_values_and_dtypes_are_those_of_numpy(engine, call):
    wanted = outcome(call, GIVEN)
    found = outcome(call, {name: pb.tensor(value) for name, value in GIVEN.items()})
    np.testing.assert_allclose(
        found, wanted, 1e-15 if "linalg" not in call else 1e-13, 0 if "linalg" not in call else 1e-15
    )
    if "nextafter" not in call and found.dtype.kind == "f":  # which reaches zero from below as +0
        signs = np.stack([np.signbit(each) & ~np.isnan(each) for each in (found, wanted)])
        np.testing.assert_array_equal(*signs)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("np.fabs(z)", TypeError),
        ("np.nanmean(f,dtype=int)", TypeError),
        ("np.nanvar(f,dtype=int)", TypeError),
        ("np.nanquantile(z,0.5)", TypeError),
        ("np.concatenate([z,z],dtype='f4')", TypeError),
        ("np.stack([z,z],dtype='f4')", TypeError),
        ("np.linspace(f,0.0,-1)", ValueError),
        ("np.vecdot(f[0],f[0])", ValueError),
        ("np.vecdot(f,f[0])", ValueError),
        ("np.linalg.vecdot(f[0],f)", ValueError),
        ("np.fft.rfft2(m,axes=(0,0))", ValueError),
    ],
)
def test_what_they_refuse(engine, call, error):
    given = {"z": np.array([1 + 2j]), "f": GIVEN["f"], "m": GIVEN["m"]}
    with pytest.raises(error):
        eval(call, {"np": np}, {name: pb.tensor(value) for name, value in given.items()})


def test_a_real_type_of_complex_entries_warns(engine):
    z = pb.tensor(GIVEN["z"])
    for function in (np.var, np.std):
        with pytest.warns(np.exceptions.ComplexWarning):
            function(z, dtype=float)


def test_a_hermitian_inverse_reads_the_lower_triangle(engine):
    a = pb.tensor([[2.0, 9.0], [1.0, 3.0]], requires_grad=True)
    (found,) = pb.grad(np.linalg.pinv(a, hermitian=True).sum(), a)
    s = pb.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    (whole,) = pb.grad(np.linalg.inv(s).sum(), s)
    expected = np.tril(whole.numpy() + whole.numpy().T) - np.diag(np.diag(whole.numpy()))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-13)


def test_the_condition_of_regular_matrices_beside_a_singular_one_has_its_gradient(engine):
    given = GIVEN["singular"]
    x = pb.tensor(given, requires_grad=True)
    found = np.linalg.cond(x, 1)
    (by_x,) = pb.grad(found[0], x)
    alone = pb.tensor(given[0], requires_grad=True)
    (expected,) = pb.grad(np.linalg.cond(alone, 1), alone)
    np.testing.assert_allclose(by_x.numpy(), [expected.numpy(), 0 * given[1], 0 * given[2]], rtol=1e-13)


@pytest.mark.parametrize("repeats", [0, 1, 3, (2, 0, 1, 1)])
def test_the_gradient_of_repeats_is_the_sum_over_copies(engine, repeats):
    x = pb.tensor(GIVEN["m"], requires_grad=True)
    for axis in (1, None) if isinstance(repeats, int) else (1,):
        r = np.repeat(x, repeats, axis)
        weights = np.arange(float(r.size)).reshape(r.shape)
        (found,) = pb.grad((r * weights).sum(), x)
        owner = np.repeat(np.arange(12).reshape(3, 4), repeats, axis)
        expected = np.bincount(owner.ravel(), weights.ravel(), 12).reshape(3, 4)
        np.testing.assert_array_equal(found.numpy(), expected)
