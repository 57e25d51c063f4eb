"""Slopes between neighbours, interpolation, and angles without jumps."""

import math

import numpy as np

import pullback as pb

_ONE = np.float64(1)


def _slopes(f, spacing, axis):
    """Central differences inside, one-sided ones at the ends, along an axis."""
    f = np.moveaxis(f, axis, -1)
    n = f.shape[-1]
    if n < 2:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    widths = spacing * np.ones_like(f[..., 1:]) if np.ndim(spacing) == 0 else np.diff(spacing)
    steps = (f[..., 1:] - f[..., :-1]) / widths
    before, after = widths[..., :-1], widths[..., 1:]
    inside = (steps[..., 1:] * before + steps[..., :-1] * after) / (before + after)
    return np.moveaxis(np.concatenate([steps[..., :1], inside, steps[..., -1:]], -1), -1, axis)


@pb.composite(np.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes along each axis: of the neighbours inside, of first order at the ends.

    Along all axes of an array of several, which are not known where a formula is read, the axes are named.
    """
    if edge_order != 1:
        raise ValueError("a formula takes np.gradient with edge_order=1")
    if axis is None:
        if f.ndim != 1:
            raise ValueError("name the axes in a formula: np.gradient(f, axis=(0, 1))")
        axes = (0,)
    else:
        axes = (axis,) if np.ndim(axis) == 0 else axis
    if len(varargs) > 1 and len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    found = []
    for k in range(len(axes)):
        spacing = 1.0 if len(varargs) == 0 else varargs[k % len(varargs)]
        found.append(_slopes(f, spacing, axes[k]))
    return found[0] if len(found) == 1 else found


@pb.composite(np.interp)
def interp(x, xp, fp, left=None, right=None):
    """Straight lines between points, differentiable in all three; in float64, as NumPy computes them."""
    x, xp, fp = np.asarray(x) * _ONE, np.asarray(xp) * _ONE, np.asarray(fp) * _ONE
    if xp.shape[0] == 1:
        raise ValueError("a formula takes np.interp between two points at least")
    place = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, xp.shape[0] - 2)
    low = xp[place]
    width = xp[place + 1] - low
    share = np.where(width == 0, 1.0, (x - low) / np.where(width == 0, 1.0, width))
    r = fp[place] + share * (fp[place + 1] - fp[place])
    r = np.where(x < xp[0], fp[0] if left is None else left, r)
    return np.where(x > xp[-1], fp[-1] if right is None else right, r)


@interp.sample_inputs
def _interp_inputs(rng):
    yield (rng.uniform(0.1, 2.9, (3, 4)), np.array([0.0, 1.0, 2.1, 3.0]), rng.standard_normal(4)), {}


@pb.composite(np.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """With whole periods added, which are constant between their jumps.

    >>> unwrap(pb.tensor([0.0, 3.5, 0.5, 4.0]), period=4.0)
    tensor([ 0. , -0.5,  0.5,  0. ])
    """
    known = pb.stop_gradient(p)
    if isinstance(period, int):  # of whole numbers, half a period may be none
        return p + (np.unwrap(known, discont, axis, period=period) - known)
    rows, half = np.moveaxis(p, axis, 0), period / 2
    steps = np.diff(np.moveaxis(known, axis, 0), axis=0)
    shorter = (steps + half) % period - half
    shorter = np.where((shorter == -half) & (steps > 0), half, shorter)
    added = np.where(np.abs(steps) < (half if discont is None else discont), 0.0, shorter - steps)
    return np.moveaxis(np.concatenate([rows[:1], rows[1:] + np.cumsum(added, axis=0)]), 0, axis)
