"""Arrays put on top of and beside each other."""

import numpy as np

import pullback as pb


@pb.composite(np.vstack)
def vstack(tup: list[pb.Tensor]):
    """Arrays on top of each other; a vector is a row."""
    parts = []
    for a in tup:
        parts.append(np.reshape(a, (1, -1)) if a.ndim < 2 else a)
    return np.concatenate(parts, axis=0)


@vstack.sample_inputs
def _vstack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((3,))],), {}


@pb.composite(np.hstack)
def hstack(tup: list[pb.Tensor]):
    """Arrays beside each other, along the second axis; vectors along their only one."""
    parts = []
    for a in tup:
        parts.append(np.reshape(a, (1,)) if a.ndim == 0 else a)
    return np.concatenate(parts, axis=0 if tup[0].ndim < 2 else 1)


@hstack.sample_inputs
def _hstack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 1))],), {}
    yield ([rng.standard_normal((2,)), rng.standard_normal((3,))],), {}
