"""Sums of products over named axes: `np.einsum` and what is a case of it; cross products."""

import numpy as np

import pullback as pb
from pullback import primitives


def _contract_tangent(arrays, tangents, *, subscripts):
    """A product's rule: a term for each factor, with its tangent in its place."""
    terms = [
        primitives.contract([*arrays[:i], tangent, *arrays[i + 1 :]], subscripts=subscripts)
        for i, tangent in enumerate(tangents)
    ]
    return sum(terms[1:], start=terms[0])


@pb.formula(primitives.contract, jvp=_contract_tangent, complex=True)
def contract(arrays: list[pb.Tensor], *, subscripts):
    """A sum of products is linear in each factor: its gradient is the sum of products of the rest."""
    r = primitives.contract(arrays, subscripts=subscripts)

    def contract_pullback(grad):
        return primitives.contract_gradients(grad, arrays, subscripts=subscripts)

    return r, contract_pullback


@contract.sample_inputs
def _contract_inputs(rng):
    def normal(*shape):
        return rng.standard_normal(shape)

    yield ([normal(2, 3), normal(3, 4)],), {"subscripts": "ij,jk->ik"}
    yield ([normal(2, 3), normal(3, 4), normal(4, 2)],), {"subscripts": "ij,jk,ki"}
    yield ([normal(5, 2, 3), normal(3, 2)],), {"subscripts": "...ij,jk->...ki"}
    yield ([normal(3, 3)],), {"subscripts": "ii->i"}
    yield ([normal(3, 3, 2), normal(3)],), {"subscripts": "iij,i->"}
    yield ([normal(2, 3), normal(4)],), {"subscripts": "ij,k->k"}
    yield ([normal(2, 3), normal(2, 1)],), {"subscripts": "ij,ij->i"}


def _meet(a, b, axis_a, axis_b):
    """Refuses axes of other lengths: one of length 1 is not repeated, as it is in `np.einsum`."""
    if np.shape(a)[axis_a] != np.shape(b)[axis_b]:
        raise ValueError(
            f"shapes {np.shape(a)} and {np.shape(b)} not aligned: the axes that are summed differ in length"
        )


@pb.composite(np.tensordot)
def tensordot(a, b, *, axes=2):
    """Products summed over axes of the first that meet axes of the second."""
    if np.ndim(axes) == 0:
        for k in range(axes):
            _meet(a, b, np.ndim(a) - axes + k, k)
    return primitives.contract(
        [a, b], subscripts=primitives.tensordot_subscripts(np.ndim(a), np.ndim(b), axes)
    )


@tensordot.sample_inputs
def _tensordot_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)), rng.standard_normal((3, 4))), {}
    yield (rng.standard_normal((2, 3, 4)), rng.standard_normal((4, 2, 3))), {"axes": ((0, 2), (1, 0))}
    yield (rng.standard_normal((2,)), rng.standard_normal((3,))), {"axes": 0}


@pb.composite(np.dot)
def dot(a, b):
    """Products summed over the last axis of `a` and the last but one of `b`, or its only one."""
    if np.ndim(a) > 0 and np.ndim(b) > 0:
        _meet(a, b, -1, -2 if np.ndim(b) > 1 else -1)
    return primitives.contract([a, b], subscripts=primitives.dot_subscripts(np.ndim(a), np.ndim(b), -2))


@dot.sample_inputs
def _dot_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((3, 4))), {}
    yield (rng.standard_normal((3,)), rng.standard_normal((3,))), {}
    yield (rng.standard_normal(()), rng.standard_normal((3,))), {}
    yield (rng.standard_normal((2, 3)), rng.standard_normal((4, 3, 2))), {}


@pb.composite(np.vdot)
def vdot(a, b):
    """The sum of products of all entries."""
    return np.matmul(np.reshape(a, (-1,)), np.reshape(b, (-1,)))


@vdot.sample_inputs
def _vdot_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((2, 3))), {}


@pb.composite(np.inner)
def inner(a, b):
    """Products summed over the last axes of both."""
    if np.ndim(a) > 0 and np.ndim(b) > 0:
        _meet(a, b, -1, -1)
    return primitives.contract([a, b], subscripts=primitives.dot_subscripts(np.ndim(a), np.ndim(b), -1))


@inner.sample_inputs
def _inner_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((4, 3))), {}
    yield (rng.standard_normal(()), rng.standard_normal((3,))), {}


@pb.composite(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Of vectors with three entries, the one normal to both: r_i = a_j b_k - a_k b_j, i, j, k in a circle.

    >>> cross(pb.tensor([1.0, 0.0, 0.0]), pb.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    a = _as_last(a, axisa if axis is None else axis)
    b = _as_last(b, axisb if axis is None else axis)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError(
            f"np.cross of tensors takes vectors of 3 entries, not {a.shape[-1]} and {b.shape[-1]}"
        )
    a0, a1, a2, b0, b1, b2 = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    r = np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], -1)
    to = axisc if axis is None else axis
    return r if to == -1 else np.moveaxis(r, -1, to)


def _as_last(a, axis):
    """`a` with an axis as its last one."""
    return a if axis == -1 else np.moveaxis(a, axis, -1)


@pb.composite(np.linalg.cross)
def linalg_cross(x1, x2, *, axis=-1):
    """The same along one axis of all."""
    return np.cross(x1, x2, axis=axis)


@pb.composite(np.linalg.matmul)
def linalg_matmul(x1, x2):
    """The same as `np.matmul`."""
    return np.matmul(x1, x2)


@linalg_matmul.sample_inputs
def _linalg_matmul_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((3, 4))), {}


@pb.composite(np.linalg.tensordot)
def linalg_tensordot(x1, x2, *, axes=2):
    """The same as `np.tensordot`."""
    return np.tensordot(x1, x2, axes=axes)


@linalg_tensordot.sample_inputs
def _linalg_tensordot_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((3, 4))), {"axes": 1}


@pb.composite(np.linalg.outer)
def linalg_outer(x1, x2):
    """Of vectors alone the matrix x1_i x2_j."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are {x1.ndim} and {x2.ndim}.")
    return np.outer(x1, x2)


@linalg_outer.sample_inputs
def _linalg_outer_inputs(rng):
    yield (rng.standard_normal((3,)), rng.standard_normal((2,))), {}


def _vecdot(x1, x2, axis):
    _meet(x1, x2, axis, axis)
    return np.einsum("...i,...i->...", _as_last(x1, axis), _as_last(x2, axis))


@pb.composite(np.vecdot)
def vecdot(x1, x2, *, axis=-1):
    """Products summed over an axis that both have."""
    return _vecdot(x1, x2, axis)


@vecdot.sample_inputs
def _vecdot_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((3,))), {}
    yield (rng.standard_normal((3, 2)), rng.standard_normal((3, 2))), {"axis": 0}


@pb.composite(np.linalg.vecdot)
def linalg_vecdot(x1, x2, *, axis=-1):
    """The same as `np.vecdot`."""
    return _vecdot(x1, x2, axis)


@linalg_vecdot.sample_inputs
def _linalg_vecdot_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((3,))), {}


@pb.composite(np.kron)
def kron(a: pb.Tensor, b: pb.Tensor):
    """Each entry of the first times all of the second, as blocks.

    >>> kron(pb.tensor([1.0, 10.0]), pb.tensor([1.0, 2.0]))
    tensor([ 1.,  2., 10., 20.])
    """
    ndim = max(np.ndim(a), np.ndim(b))
    if ndim > 2:
        return _kron_of_stacks(a, b, ndim)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    rows = np.expand_dims(a, 0) if np.ndim(a) == 1 else a
    columns = np.expand_dims(b, 0) if np.ndim(b) == 1 else b
    r = rows[:, None, :, None] * columns[None, :, None, :]
    width = rows.shape[1] * columns.shape[1]
    if ndim == 1:
        return np.reshape(r, (width,))
    return np.reshape(r, (rows.shape[0] * columns.shape[0], width))


def _kron_of_stacks(a, b, ndim):
    """The same of any number of axes: those of the two alternate in their product."""
    between, inside, sizes = [], [], []
    for k in range(ndim):
        outer = np.shape(a)[k - ndim] if k >= ndim - np.ndim(a) else 1
        inner = np.shape(b)[k - ndim] if k >= ndim - np.ndim(b) else 1
        between.append(outer)
        between.append(1)
        inside.append(1)
        inside.append(inner)
        sizes.append(outer * inner)
    return np.reshape(np.reshape(a, between) * np.reshape(b, inside), sizes)


@kron.sample_inputs
def _kron_inputs(rng):
    yield (rng.standard_normal((2, 3)), rng.standard_normal((2, 2))), {}
    yield (rng.standard_normal((3,)), rng.standard_normal((2, 2))), {}
    yield (rng.standard_normal((3,)), rng.standard_normal((2,))), {}
    yield (rng.standard_normal((3, 1, 2)), rng.standard_normal((2, 2))), {}


@pb.composite(np.matvec)
def matvec(x1, x2):
    """Each matrix of a stack times each vector."""
    _meet(x1, x2, -1, -1)
    return np.einsum("...ij,...j->...i", x1, x2)


@pb.composite(np.vecmat)
def vecmat(x1, x2):
    """Each vector times each matrix of a stack."""
    _meet(x1, x2, -1, -2)
    return np.einsum("...i,...ij->...j", x1, x2)


@pb.composite(np.linalg.multi_dot)
def linalg_multi_dot(arrays):
    """The product of all, from the first to the last."""
    r = arrays[0]
    for factor in arrays[1:]:
        r = np.matmul(r, factor)
    return r
