"""Histograms: sums of weights in bins, differentiable in the weights and, as densities, in the edges.

Into which bin an entry falls is constant between its jumps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...calls.call import arrays, operators
from ...core.dispatch import engine_of
from ...transforms.forward_ad import differentiated
from ..signatures.arguments import cast
from .table import stands_for


@stands_for(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """As `np.histogram_bin_edges`: at even distances from the least entry to the largest, or as given.

    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0, 5.0], requires_grad=True)
    >>> pb.grad(histogram_bin_edges(x, 2)[1], x)[0]
    tensor([0.5, 0. , 0.5])
    """
    edges = np.histogram_bin_edges(arrays(a), arrays(bins), arrays(range), arrays(weights))
    return _edges(a, bins, range, edges)


def _edges(a: Any, bins: Any, range: Any, edges: Any) -> Any:
    """The edges that NumPy has found, with their gradients."""
    if not differentiated((a, bins, range)):
        engine = engine_of(a, bins, range)
        return edges if engine is None else engine.from_numpy(np.array(edges))
    if np.ndim(bins) > 0:
        return operators.positive(bins) if differentiated((bins,)) else np.array(edges)
    if range is None and not np.size(arrays(a)):
        return np.array(edges)
    first, last = (operators.min(a), operators.max(a)) if range is None else range
    if arrays(first) == arrays(last):
        first, last = first - 0.5, last + 0.5
    return cast(np.linspace(first, last, len(edges)), edges.dtype)


@stands_for(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """As `np.histogram`: the sum of the weights in each bin, and the edges of the bins."""
    given = (a, bins, range, weights)
    counts, values = np.histogram(arrays(a), arrays(bins), arrays(range), weights=arrays(weights))
    edges = _edges(a, bins, range, values)
    places = [np.ravel(arrays(a))]
    counts = _weighted(places, [values], weights, counts, given)
    if density:
        counts = counts / np.diff(edges).astype(np.float64) / np.sum(counts)
    return counts, edges


def _weighted(columns: Any, edges: Any, weights: Any, counts: Any, given: Any) -> Any:
    """The counts that NumPy has found, summed again where gradients flow into the weights."""
    if not differentiated((weights,)):
        engine = engine_of(*given)
        return counts if engine is None else engine.from_numpy(np.asarray(counts))
    places, inside = [], np.ones(len(columns[0]), bool)
    for values, ends in zip(columns, edges, strict=True):
        place = np.searchsorted(ends, values, side="right") - 1
        place[values == ends[-1]] = len(ends) - 2
        inside &= (values >= ends[0]) & (values <= ends[-1])
        places.append(place)
    index = tuple(place[inside] for place in places)
    chosen = np.reshape(weights, (-1,))[inside]
    return operators.unslice(cast(chosen, counts.dtype), index=index, shape=counts.shape)


@stands_for(np.histogramdd)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """As `np.histogramdd`: the sum of the weights in each box, and the edges along each axis."""
    given = (sample, bins, range, weights)
    options = {"bins": arrays(bins), "range": arrays(range), "weights": arrays(weights)}
    counts, values = np.histogramdd(arrays(sample), **options)
    columns = list(sample) if isinstance(sample, (list, tuple)) else list(np.atleast_2d(sample.T))
    several = list(bins) if np.ndim(bins) > 0 or isinstance(bins, (list, tuple)) else [bins] * len(columns)
    ranges = [None] * len(columns) if range is None else range
    edges = [
        _edges(column, own, between, found)
        for column, own, between, found in zip(columns, several, ranges, values, strict=True)
    ]
    counts = _weighted([np.asarray(arrays(column)) for column in columns], values, weights, counts, given)
    if density:
        total = np.sum(counts)
        for axis, ends in enumerate(edges):
            widths = [1] * counts.ndim
            widths[axis] = -1
            counts = counts / np.reshape(np.diff(ends), tuple(widths))
        counts = counts / total
    return counts, tuple(edges)


@stands_for(np.histogram2d)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """As `np.histogram2d`: the sum of the weights in each rectangle, and the edges along both axes."""
    if np.ndim(bins) == 1 and len(bins) != 2:
        bins = [bins, bins]
    counts, (first, second) = histogramdd([x, y], bins, range, density, weights)
    return counts, first, second
