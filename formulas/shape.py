"""Shapes: the same entries in another arrangement.

Each is linear, so its pullback is its adjoint: it puts the entries back, and
sums those that were repeated.
"""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula(np.reshape, complex=True)
def reshape(a, *, shape):
    """The entries of `a` in row-major order, in another shape."""
    r = np.reshape(a, shape)

    def reshape_pullback(grad):
        return np.reshape(grad, a.shape)

    return r, reshape_pullback


@reshape.sample_inputs
def _reshape_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"shape": (6, -1)}


@pb.formula(np.transpose, complex=True)
def transpose(a, *, axes=None):
    """Axis k of the result is axis ``axes[k]`` of `a`; without `axes` they are reversed."""
    r = np.transpose(a, axes)

    def transpose_pullback(grad):
        return np.transpose(grad) if axes is None else np.moveaxis(grad, range(a.ndim), axes)

    return r, transpose_pullback


@transpose.sample_inputs
def _transpose_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {}
    yield (rng.standard_normal((2, 3, 4)),), {"axes": (2, 0, -2)}


@pb.formula(np.swapaxes, complex=True)
def swapaxes(a, *, axis1, axis2):
    """Exchanging two axes is its own inverse."""
    r = np.swapaxes(a, axis1, axis2)

    def swapaxes_pullback(grad):
        return np.swapaxes(grad, axis1, axis2)

    return r, swapaxes_pullback


@swapaxes.sample_inputs
def _swapaxes_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"axis1": 0, "axis2": -1}


@pb.formula(np.moveaxis, complex=True)
def moveaxis(a, *, source, destination):
    """Axes moved from `source` to `destination` move back."""
    r = np.moveaxis(a, source, destination)

    def moveaxis_pullback(grad):
        return np.moveaxis(grad, destination, source)

    return r, moveaxis_pullback


@moveaxis.sample_inputs
def _moveaxis_inputs(rng):
    yield (rng.standard_normal((2, 3, 4)),), {"source": (0, 1), "destination": (-1, 0)}


@pb.formula(np.flip, complex=True)
def flip(a, *, axis=None):
    """Reversing the order along axes is its own inverse."""
    r = np.flip(a, axis)

    def flip_pullback(grad):
        return np.flip(grad, axis)

    return r, flip_pullback


@flip.sample_inputs
def _flip_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"axis": -1}


@pb.formula(np.broadcast_to, complex=True)
def broadcast_to(array, *, shape):
    """Each entry of `array` takes the sum over its copies."""
    r = np.broadcast_to(array, shape)

    def broadcast_to_pullback(grad):
        return primitives.sum_to(grad, primitives.like(array))

    return r, broadcast_to_pullback


@broadcast_to.sample_inputs
def _broadcast_to_inputs(rng):
    yield (rng.standard_normal((3, 1)),), {"shape": (2, 3, 4)}


@pb.formula(np.expand_dims, complex=True)
def expand_dims(a, *, axis):
    """New axes of length one, which leave the entries as they are."""
    r = np.expand_dims(a, axis)

    def expand_dims_pullback(grad):
        return np.squeeze(grad, axis)

    return r, expand_dims_pullback


@expand_dims.sample_inputs
def _expand_dims_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"axis": (0, -1)}


@pb.formula(np.squeeze, complex=True)
def squeeze(a, *, axis=None):
    """Axes of length one dropped, which leaves the entries as they are."""
    r = np.squeeze(a, axis)

    def squeeze_pullback(grad):
        return np.reshape(grad, a.shape)

    return r, squeeze_pullback


@squeeze.sample_inputs
def _squeeze_inputs(rng):
    yield (rng.standard_normal((1, 3, 1)),), {"axis": -1}


@pb.formula(
    np.concatenate, jvp=lambda arrays, tangents, *, axis: np.concatenate(tangents, axis=axis), complex=True
)
def concatenate(arrays: list[pb.Tensor], *, axis=0):
    """Each array takes its own stretch of the gradient."""
    r = np.concatenate(arrays, axis=axis)

    def concatenate_pullback(grad):
        return primitives.split_like(grad, primitives.like(arrays), axis=axis)

    return r, concatenate_pullback


@concatenate.sample_inputs
def _concatenate_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 1))],), {"axis": -1}


@pb.formula(np.stack, jvp=lambda arrays, tangents, *, axis: np.stack(tangents, axis=axis), complex=True)
def stack(arrays: list[pb.Tensor], *, axis=0):
    """Each array takes its own slice of the gradient."""
    r = np.stack(arrays, axis=axis)

    def stack_pullback(grad):
        return primitives.unstack_like(grad, primitives.like(arrays), axis=axis)

    return r, stack_pullback


@stack.sample_inputs
def _stack_inputs(rng):
    yield ([rng.standard_normal((2, 3)), rng.standard_normal((2, 3))],), {"axis": -1}


@pb.formula(np.astype, complex=True)
def astype(x, *, dtype):
    """The gradient is cast back to the operand's dtype, as every returned gradient is."""
    r = np.astype(x, dtype)

    def astype_pullback(grad):
        return grad

    return r, astype_pullback


@astype.sample_inputs
def _astype_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"dtype": np.float64}


@pb.formula(np.roll, complex=True)
def roll(a, *, shift, axis=None):
    """Entries moved by `shift` places along `axis`, round the end; they move back by the same, mirrored.

    Mirrored along all axes: one may be named twice, and its shifts add up.
    """
    r = np.roll(a, shift, axis)

    def roll_pullback(grad):
        return np.flip(np.roll(np.flip(grad), shift, axis))

    return r, roll_pullback


@roll.sample_inputs
def _roll_inputs(rng):
    yield (rng.standard_normal((2, 3)),), {"shift": 2}
    yield (rng.standard_normal((2, 4)),), {"shift": 1, "axis": -1}
    yield (rng.standard_normal((3, 4)),), {"shift": (1, -2), "axis": (0, 1)}
    yield (rng.standard_normal((3, 4)),), {"shift": (1, -2, 3), "axis": (1, 0, 1)}
