"""Discrete Fourier transforms along an axis.

With w = exp(-2 pi i / n), `fft` multiplies by the matrix w**(j k), which is symmetric, so its transpose is
the transform itself. Of a real input `rfft` gives the first half of that; `irfft` takes that half for a whole
whose other half are the conjugates. W. Briggs and V. Henson, "The DFT: An Owner's Manual for the Discrete
Fourier Transform" (1995), chapters 2 and 4. Transforms along several axes are one after the other; on
tensors stand for them those of `engine/numpy/written/fourier.py`, which take every argument of NumPy's.
"""

import numpy as np

import pullback as pb
from pullback import primitives


def _of_length(x, length, axis):
    """The first entries along an axis, or all of them and zeros behind."""
    have = x.shape[axis]
    if have == length:
        return x
    x = np.swapaxes(x, axis, -1)
    if have > length:
        x = x[..., :length]
    else:
        x = np.concatenate([x, np.astype(np.zeros((*x.shape[:-1], length - have)), x.dtype)], -1)
    return np.swapaxes(x, axis, -1)


def _inverse(norm):
    """The norm that scales the transform as this one scales its inverse."""
    return "forward" if norm is None or norm == "backward" else "backward" if norm == "forward" else norm


@pb.formula(np.fft.fft, complex=True)
def fft(a, *, n=None, axis=-1, norm=None):
    """The transform of `n` entries along an axis, as many as there are or with zeros behind."""
    r = np.fft.fft(a, n, axis, norm)

    def fft_pullback(grad):
        back = _of_length(np.fft.fft(grad, None, axis, norm), a.shape[axis], axis)
        return primitives.sum_to(back, primitives.like(a))

    return r, fft_pullback


@fft.sample_inputs
def _fft_inputs(rng):
    yield from _inputs(rng)


@pb.formula(np.fft.ifft, complex=True)
def ifft(a, *, n=None, axis=-1, norm=None):
    """The inverse transform, with the conjugate of w: it is its own transpose as well."""
    r = np.fft.ifft(a, n, axis, norm)

    def ifft_pullback(grad):
        back = _of_length(np.fft.ifft(grad, None, axis, norm), a.shape[axis], axis)
        return primitives.sum_to(back, primitives.like(a))

    return r, ifft_pullback


@ifft.sample_inputs
def _ifft_inputs(rng):
    yield from _inputs(rng)


@pb.formula(np.fft.rfft, complex=True)
def rfft(a, *, n=None, axis=-1, norm=None):
    """The first half of `fft`: back goes a gradient with zeros for the other half."""
    r = np.fft.rfft(a, n, axis, norm)

    def rfft_pullback(grad):
        length = a.shape[axis] if n is None else n
        return _of_length(np.real(np.fft.fft(grad, length, axis, norm)), a.shape[axis], axis)

    return r, rfft_pullback


@rfft.sample_inputs
def _rfft_inputs(rng):
    yield (rng.standard_normal((2, 5)),), {}
    yield (rng.standard_normal((2, 6)),), {"n": 4}
    yield (rng.standard_normal((5, 2)),), {"n": 8, "axis": 0, "norm": "ortho"}


@pb.formula(np.fft.irfft, complex=True)
def irfft(a, *, n=None, axis=-1, norm=None):
    """A real result of a half whose entries stand for their conjugates too, but for those at the ends.

    Of the first entry, and the last of an even `n`, the real part is read.
    """
    r = np.fft.irfft(a, n, axis, norm)

    def irfft_pullback(grad):
        length = r.shape[axis]
        back = np.swapaxes(np.conj(np.fft.rfft(np.real(grad), None, axis, _inverse(norm))), axis, -1)
        k = np.arange(length // 2 + 1)
        twice = back * np.where((k == 0) | (2 * k == length), 1, 2)
        return _of_length(np.swapaxes(twice, axis, -1), a.shape[axis], axis)

    return r, irfft_pullback


@irfft.sample_inputs
def _irfft_inputs(rng):
    yield from _inputs(rng)


def _inputs(rng):
    def values(*shape):
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)

    yield (values(2, 5),), {}
    yield (values(2, 6),), {"n": 5}
    yield (values(5, 2),), {"n": 8, "axis": 0, "norm": "ortho"}
    yield (values(2, 4),), {"norm": "forward"}


def _along(a, s, axes, norm):
    for k in range(len(axes)):
        a = np.fft.fft(a, None if s is None else s[k], axes[k], norm)
    return a


def _back_along(a, s, axes, norm):
    for k in range(len(axes)):
        a = np.fft.ifft(a, None if s is None else s[k], axes[k], norm)
    return a


@pb.composite(np.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None):
    """The transform along two axes."""
    return _along(a, s, axes, norm)


@pb.composite(np.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    """The inverse transform along two axes."""
    return _back_along(a, s, axes, norm)


@pb.composite(np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None):
    """The transform along several axes, all of them where none are named."""
    return _along(a, s, tuple(range(a.ndim)) if axes is None else axes, norm)


@pb.composite(np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None):
    """The inverse transform along several axes, all of them where none are named."""
    return _back_along(a, s, tuple(range(a.ndim)) if axes is None else axes, norm)


def _of_real(a, s, axes, norm):
    half = np.fft.rfft(a, None if s is None else s[-1], axes[-1], norm)
    return _along(half, None if s is None else s[:-1], axes[:-1], norm)


def _to_real(a, s, axes, norm):
    half = _back_along(a, None if s is None else s[:-1], axes[:-1], norm)
    return np.fft.irfft(half, None if s is None else s[-1], axes[-1], norm)


@pb.composite(np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    """The transform of real values along two axes, half of it along the last."""
    return _of_real(a, s, axes, norm)


@pb.composite(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None):
    """The transform of real values along several axes, half of it along the last."""
    return _of_real(a, s, tuple(range(a.ndim)) if axes is None else axes, norm)


@pb.composite(np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    """Real values of half of their transform along two axes."""
    return _to_real(a, s, axes, norm)


@pb.composite(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None):
    """Real values of half of their transform along several axes."""
    return _to_real(a, s, tuple(range(a.ndim)) if axes is None else axes, norm)


@pb.composite(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None):
    """The real transform of values of which half is given, whose other half are the conjugates."""
    return np.fft.irfft(np.conj(a), n, axis, _inverse(norm))


@pb.composite(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None):
    """Half of the values whose transform is real."""
    return np.conj(np.fft.rfft(a, n, axis, _inverse(norm)))
