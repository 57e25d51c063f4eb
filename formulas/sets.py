"""Arrays as sets: the chosen one of equal entries takes the gradient to its place."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.composite(np.unique)
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    """Of equal entries the first one takes the gradient."""
    found = np.unique(pb.stop_gradient(ar), True, True, True, axis, equal_nan=equal_nan)
    index = found[1]
    if axis is None:
        kept = np.reshape(ar, (-1,))[index]
    else:
        kept = np.swapaxes(np.swapaxes(ar, axis, 0)[index], axis, 0)
    results = [kept]
    if return_index:
        results.append(index)
    if return_inverse:
        results.append(found[2])
    if return_counts:
        results.append(found[3])
    return kept if len(results) == 1 else results


@pb.composite(np.unique_all)
def unique_all(x):
    """The entries, their places, which of them stands at each place, and how often it does."""
    return np.unique(x, True, True, True, equal_nan=False)


@pb.composite(np.unique_counts)
def unique_counts(x):
    """The entries, and how often each stands."""
    return np.unique(x, return_counts=True, equal_nan=False)


@pb.composite(np.unique_inverse)
def unique_inverse(x):
    """The entries, and which of them stands at each place."""
    return np.unique(x, return_inverse=True, equal_nan=False)


@pb.composite(np.unique_values)
def unique_values(x):
    """The entries, each once."""
    return np.unique(x, equal_nan=False)


@pb.composite(np.union1d)
def union1d(ar1, ar2):
    """The sorted values that are in one of two arrays."""
    return np.unique(np.append(np.asarray(ar1), np.asarray(ar2)))


@union1d.sample_inputs
def _union1d_inputs(rng):
    yield (np.array([0.3, 1.5, -0.7]), np.array([0.8, 2.5])), {}


@pb.composite(np.setdiff1d)
def setdiff1d(ar1, ar2, assume_unique=False):
    """The sorted values that are in the first array alone."""
    flat = np.reshape(np.asarray(ar1), (-1,))
    kept = flat if assume_unique else np.unique(flat)
    return kept[np.logical_not(np.isin(kept, ar2))]


@setdiff1d.sample_inputs
def _setdiff1d_inputs(rng):
    yield (np.array([0.3, 1.5, -0.7]), np.array([0.8, 2.5])), {}


@pb.composite(np.setxor1d)
def setxor1d(ar1, ar2, assume_unique=False):
    """The sorted values that are in exactly one of two arrays."""
    first = np.setdiff1d(ar1, ar2, assume_unique)
    return np.sort(np.append(first, np.setdiff1d(ar2, ar1, assume_unique)))


@pb.composite(np.intersect1d)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The sorted values that are in both arrays; the entries of the first take the gradient."""
    flat = np.reshape(np.asarray(ar1), (-1,))
    other = np.reshape(np.asarray(ar2), (-1,))
    places = np.intersect1d(
        pb.stop_gradient(flat), pb.stop_gradient(other), assume_unique, return_indices=True
    )
    kept = flat[places[1]]
    return [kept, places[1], places[2]] if return_indices else kept


@intersect1d.sample_inputs
def _intersect1d_inputs(rng):
    yield (np.array([3, 1, 2]) * 0.5, np.array([2, 3, 5])), {}


@pb.composite(np.bincount)
def bincount(x, weights=None, minlength=0):
    """The sum of the weights of each whole number, or how often it stands."""
    places = np.asarray(x)
    counts = np.bincount(places, None, minlength)
    if weights is None:
        return counts
    return primitives.unslice(weights * 1.0, index=places, shape=np.shape(counts))


@bincount.sample_inputs
def _bincount_inputs(rng):
    yield (np.array([0, 2, 2, 1]), rng.standard_normal(4)), {"minlength": 4}
