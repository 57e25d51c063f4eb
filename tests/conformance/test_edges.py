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
np.triu(m,9) np.concatenate([f,f],dtype='c16')
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
    np.testing.assert_allclose(found, wanted, 1e-15, 0)
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
        ("np.fft.rfft2(m,axes=(0,0))", ValueError),
    ],
)
def test_what_they_refuse(engine, call, error):
    given = {"z": np.array([1 + 2j]), "f": GIVEN["f"], "m": GIVEN["m"]}
    with pytest.raises(error):
        eval(call, {"np": np}, {name: pb.tensor(value) for name, value in given.items()})
