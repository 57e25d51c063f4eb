"""Products under NumPy's names stand on `matmul` and sums where these compute the same."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

RNG = np.random.default_rng(5)
M, K, V, W, S = (RNG.standard_normal(shape) for shape in ((3, 4), (4, 2), (4,), (3,), (2, 3, 4)))
CALLS = {
    "einsum ij,jk->ik": (lambda m, k: pnp.einsum("ij,jk->ik", m, k), (M, K)),
    "einsum ij,jk->ki": (lambda m, k: pnp.einsum("ij,jk->ki", m, k), (M, K)),
    "einsum ji,jk->ik": (lambda m, k: pnp.einsum("ji,jk->ik", m, k), (M.T, K)),
    "einsum ji,kj->ki": (lambda m, k: pnp.einsum("ji,kj -> ki", m, k), (M.T, K.T)),
    "einsum ij,j->i": (lambda m, v: pnp.einsum("ij,j->i", m, v), (M, V)),
    "einsum i,ij->j": (lambda w, m: pnp.einsum("i,ij->j", w, m), (W, M)),
    "einsum i,i->": (lambda v, w: pnp.einsum("i,i->", v, w), (V, V + 1)),
    "einsum ij,ij->i": (lambda m, n: pnp.einsum("ij,ij->i", m, n), (M, M + 1)),
    "einsum ij->j": (lambda m: pnp.einsum("ij->j", m), (M,)),
    "einsum ijk->j": (lambda s: pnp.einsum("ijk->j", s), (S,)),
    "einsum of one row": (lambda m, n: pnp.einsum("ij,ij->i", m, n), (M, M[:, :1])),
    "einsum of one column": (lambda m, k: pnp.einsum("ij,jk->ik", m, k), (M, K[:1])),
    "einsum ii->i": (lambda s: pnp.einsum("ii->i", s), (M[:, :3],)),
    "tensordot": (lambda m, k: pnp.tensordot(m, k, 1), (M, K)),
    "tensordot of vectors": (lambda v, w: pnp.tensordot(v, w, axes=1), (V, V + 1)),
    "dot": (lambda m, k: pnp.dot(m, k), (M, K)),
    "dot of a vector": (lambda m, v: pnp.dot(m, v), (M, V)),
    "dot of vectors": (lambda v, w: pnp.dot(v, w), (V, V[::-1])),
    "dot of a stack": (lambda s, v: pnp.dot(s, v), (S, V)),
    "dot of a number": (lambda m, n: pnp.dot(m, n), (M, V[0])),
    "inner": (lambda m, v: pnp.inner(m, v), (M, V)),
    "inner of vectors": (lambda v, w: np.inner(v, w), (V, V + 1)),
    "inner of matrices": (lambda m, n: pnp.inner(m, n), (M, M + 1)),
    "vdot": (lambda v, w: pnp.vdot(v, w), (V, V + 1)),
    "vecdot": (lambda m, n: pnp.vecdot(m, n), (M, M + 1)),
    "vecdot of vectors": (lambda v, w: pnp.vecdot(v, w), (V, V + 1)),
    "vecdot along the first axis": (lambda m, n: pnp.vecdot(m, n, axis=0), (M, M + 1)),
    "vecdot of a row": (lambda m, v: pnp.vecdot(m, v), (M, V)),
    "multi_dot": (lambda m, k: pnp.linalg.multi_dot([m, k]), (M, K)),
}
if hasattr(np, "matvec"):
    CALLS |= {
        "matvec": (lambda m, v: pnp.matvec(m, v), (M, V)),
        "matvec of a stack": (lambda s, v: pnp.matvec(s, v), (S, V)),
        "matvec of both": (lambda s, v: pnp.matvec(s, v), (S, S[:, 0])),
        "vecmat": (lambda w, m: pnp.vecmat(w, m), (W, M)),
        "vecmat of a stack": (lambda w, s: pnp.vecmat(w, s), (W, S)),
        "vecmat of both": (lambda w, s: pnp.vecmat(w, s), (S[:, :, 0], S)),
    }


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.complex128])
def test_values_and_dtypes_are_numpys(engine, name, dtype):
    call, arrays = CALLS[name]
    given = [(array * 3).astype(dtype) * (1 + 1j if dtype is np.complex128 else 1) for array in arrays]
    given = [array.astype(dtype) for array in given]
    expected = call(*given)
    found = call(*map(pb.tensor, given))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-5 if dtype is np.float32 else 1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_agree_with_differences(engine, name):
    call, arrays = CALLS[name]
    assert pb.gradcheck(call, *arrays, order=2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pnp.tensordot(pb.tensor(M), pb.tensor(M), 1),
        lambda: pnp.inner(pb.tensor(M), pb.tensor(W)),
        lambda: pnp.inner(pb.tensor(V), pb.tensor(W)),
        lambda: pnp.dot(pb.tensor(V), pb.tensor(V[:1])),
        lambda: pnp.vdot(pb.tensor(V), pb.tensor(W)),
        lambda: pnp.vecdot(pb.tensor(M), pb.tensor(M[:, :1])),
        lambda: pnp.vecdot(pb.tensor(V), pb.tensor(V[:1])),
        lambda: pnp.einsum("ij,jk->ik", pb.tensor(M), pb.tensor(M)),
        lambda: pnp.einsum("ij,jk->ik", pb.tensor(M), pb.tensor(V)),
        lambda: pnp.linalg.multi_dot([pb.tensor(M), pb.tensor(M)]),
    ],
)
def test_operands_that_do_not_fit_are_refused(engine, call):
    with pytest.raises(ValueError, match=r"match|aligned|fit|subscript|dimension|broadcast"):
        call()


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_a_number_is_convolved_as_a_vector_of_one_entry(engine, mode):
    v = np.array([0.5, 1.0, -0.5])
    assert pb.gradcheck(lambda a: np.convolve(a, v, mode), np.array(2.0))
    assert pb.gradcheck(lambda a: np.convolve(v, a, mode), np.array(2.0))
