"""Arrays put on top of and beside each other."""

import numpy as np

import pullback as pb


@pb.formula(np.vstack, jvp=lambda tup, tangents: np.vstack(tangents))
def vstack(tup: list[pb.Tensor]):
    """Arrays on top of each other, a vector as a row: each takes its own rows of the gradient."""
    r = np.vstack(tup)

    def vstack_pullback(grad):
        return pb.split_like(grad, pb.like(tup), axis=0)

    return r, vstack_pullback


@vstack.sample_inputs
def _vstack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((3,))],), {}


@pb.formula(np.hstack, jvp=lambda tup, tangents: np.hstack(tangents))
def hstack(tup: list[pb.Tensor]):
    """Arrays beside each other along the second axis, vectors along their only one.

    Each takes its own columns of the gradient.
    """
    r = np.hstack(tup)

    def hstack_pullback(grad):
        return pb.split_like(grad, pb.like(tup), axis=0 if grad.ndim == 1 else 1)

    return r, hstack_pullback


@hstack.sample_inputs
def _hstack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 1))],), {}
    yield ([rng.standard_normal((2,)), rng.standard_normal(())],), {}
