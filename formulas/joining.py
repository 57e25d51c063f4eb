"""Arrays put on top of, beside or behind each other."""

import numpy as np

import pullback as pb


@pb.composite(np.vstack)
def vstack(tup: list[pb.Tensor]):
    """Arrays on top of each other; a vector is a row."""
    return np.concatenate([np.reshape(a, (1, -1)) if a.ndim < 2 else a for a in tup], axis=0)


@vstack.sample_inputs
def _vstack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((3,))],), {}


@pb.composite(np.hstack)
def hstack(tup: list[pb.Tensor]):
    """Arrays beside each other, along the second axis; vectors along their only one."""
    parts = [np.reshape(a, (1,)) if a.ndim == 0 else a for a in tup]
    return np.concatenate(parts, axis=0 if parts[0].ndim == 1 else 1)


@hstack.sample_inputs
def _hstack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 1))],), {}
    yield ([rng.standard_normal((2,)), rng.standard_normal((3,))],), {}
