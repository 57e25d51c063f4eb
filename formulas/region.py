"""Regions of an array: what views and in-place writes into a part come down to."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(primitives.take_region, complex=True)
def take_region(a, *, region):
    """The entries of a region take the gradient, the others zero."""
    r = primitives.take_region(a, region=region)

    def take_region_pullback(grad):
        return primitives.spread_region(grad, region=region)

    return r, take_region_pullback


@take_region.sample_inputs
def _take_region_inputs(rng):
    a = rng.standard_normal((4, 5))
    yield (a,), {"region": primitives.region_of(a, a[::-2, 1:4].T)}
    yield (a,), {"region": primitives.region_at(a, ([0, 2, 0, 3], slice(1, 3)))}


@pb.formula(primitives.spread_region, complex=True)
def spread_region(a, *, region):
    """Zeros with `a` added at a region, the adjoint of taking it."""
    r = primitives.spread_region(a, region=region)

    def spread_region_pullback(grad):
        return primitives.take_region(grad, region=region)

    return r, spread_region_pullback


@spread_region.sample_inputs
def _spread_region_inputs(rng):
    base = np.zeros((4, 5))
    yield (rng.standard_normal((4,)),), {"region": primitives.region_of(base, base.diagonal())}
    yield (rng.standard_normal((3, 5)),), {"region": primitives.region_at(base, [1, 3, 1])}


@pb.formula(primitives.clear_region, complex=True)
def clear_region(a, *, region):
    """Entries of a region become zero, and take no gradient: it is its own adjoint."""
    r = primitives.clear_region(a, region=region)

    def clear_region_pullback(grad):
        return primitives.clear_region(grad, region=region)

    return r, clear_region_pullback


@clear_region.sample_inputs
def _clear_region_inputs(rng):
    a = rng.standard_normal((3, 4))
    yield (a,), {"region": primitives.region_of(a, a[1:, ::2])}
