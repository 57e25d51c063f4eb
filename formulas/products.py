"""Sums of products over named axes: `np.einsum` and what is a case of it; cross products."""

import numpy as np

import pullback as pb


def _contract_tangent(arrays, tangents, *, subscripts):
    """A product's rule: a term for each factor, with its tangent in its place."""
    terms = [
        pb.contract([*arrays[:i], tangent, *arrays[i + 1 :]], subscripts=subscripts)
        for i, tangent in enumerate(tangents)
    ]
    return sum(terms[1:], start=terms[0])


@pb.formula(pb.contract, jvp=_contract_tangent)
def contract(arrays: list[pb.Tensor], *, subscripts):
    """A sum of products is linear in each factor: its gradient is the sum of products of the rest."""
    r = pb.contract(arrays, subscripts=subscripts)

    def contract_pullback(grad):
        return pb.contract_gradients(grad, arrays, subscripts=subscripts)

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


@pb.composite(np.tensordot)
def tensordot(a, b, *, axes=2):
    """Products summed over axes of the first that meet axes of the second."""
    return pb.contract([a, b], subscripts=pb.tensordot_subscripts(np.ndim(a), np.ndim(b), axes))


@tensordot.sample_inputs
def _tensordot_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)), rng.standard_normal((3, 4))), {}
    yield (rng.standard_normal((2, 3, 4)), rng.standard_normal((4, 2, 3))), {"axes": ((0, 2), (1, 0))}
    yield (rng.standard_normal((2,)), rng.standard_normal((3,))), {"axes": 0}


@pb.composite(np.dot)
def dot(a, b):
    """Products summed over the last axis of `a` and the last but one of `b`, or its only one."""
    return pb.contract([a, b], subscripts=pb.dot_subscripts(np.ndim(a), np.ndim(b), -2))


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
    return pb.contract([a, b], subscripts=pb.dot_subscripts(np.ndim(a), np.ndim(b), -1))


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
    r = np.roll(a, -1, -1) * np.roll(b, 1, -1) - np.roll(a, 1, -1) * np.roll(b, -1, -1)
    to = axisc if axis is None else axis
    return r if to == -1 else np.moveaxis(r, -1, to)


def _as_last(a, axis):
    """`a` with an axis as its last one."""
    return a if axis == -1 else np.moveaxis(a, axis, -1)


@pb.composite(np.linalg.cross)
def linalg_cross(x1, x2, *, axis=-1):
    """The same along one axis of all."""
    return np.cross(x1, x2, axis=axis)
