"""Functions with kinks: absolute value, extrema of two, clipping, selection.

At a kink each takes the symmetric choice among its subgradients: 0 for abs,
one half each for two operands that tie. Clipping at a bound follows `x`.
"""

import numpy as np

import pullback as pb


@pb.formula(np.abs, complex=True)
def abs(x):
    """|x|, so d|x| = sign(x) dx, and 0 at 0.

    Of a complex number, whose sign is x / |x|, |x| d|x| = re(conj(x) dx), as |x|**2 = x conj(x).
    """
    r = np.abs(x)

    def abs_pullback(grad):
        return grad * np.conj(np.sign(x))

    return r, abs_pullback


@abs.sample_inputs
def _abs_inputs(rng):
    yield (_away_from(0.0, rng),), {}


@pb.formula(np.copysign)
def copysign(x1, x2):
    """|x1| with the sign of x2: d = d|x1| with that sign; 0 at 0."""
    r = np.copysign(x1, x2)

    def copysign_pullback(grad):
        return grad * (np.sign(x1) * np.copysign(1, x2)), None

    return r, copysign_pullback


@copysign.sample_inputs
def _copysign_inputs(rng):
    yield (_away_from(0.0, rng), rng.standard_normal((4,))), {}


@pb.formula(np.maximum)
def maximum(x, y):
    """The larger operand takes the gradient; operands that tie take half each."""
    r = np.maximum(x, y)

    def maximum_pullback(grad):
        shared = np.where(x == y, grad / 2, 0)
        return np.where(x > y, grad, shared), np.where(x < y, grad, shared)

    return r, maximum_pullback


@maximum.sample_inputs
def _maximum_inputs(rng):
    y = rng.standard_normal((3, 4))
    yield (y + _away_from(0.0, rng), y), {}


@pb.formula(np.minimum)
def minimum(x, y):
    """The smaller operand takes the gradient; operands that tie take half each."""
    r = np.minimum(x, y)

    def minimum_pullback(grad):
        shared = np.where(x == y, grad / 2, 0)
        return np.where(x < y, grad, shared), np.where(x > y, grad, shared)

    return r, minimum_pullback


@minimum.sample_inputs
def _minimum_inputs(rng):
    y = rng.standard_normal((3, 4))
    yield (y + _away_from(0.0, rng), y), {}


@pb.formula(np.fmax)
def fmax(x, y):
    """The larger operand takes the gradient, or the only one that is a number; a tie is shared."""
    r = np.fmax(x, y)

    def fmax_pullback(grad):
        shared = np.where(x == y, grad / 2, 0)
        return (
            np.where((x > y) | np.isnan(y), grad, shared),
            np.where((x < y) | (np.isnan(x) & ~np.isnan(y)), grad, shared),
        )

    return r, fmax_pullback


@fmax.sample_inputs
def _fmax_inputs(rng):
    y = rng.standard_normal((3, 4))
    yield (y + _away_from(0.0, rng), y), {}


@pb.formula(np.fmin)
def fmin(x, y):
    """The smaller operand takes the gradient, or the only one that is a number; a tie is shared."""
    r = np.fmin(x, y)

    def fmin_pullback(grad):
        shared = np.where(x == y, grad / 2, 0)
        return (
            np.where((x < y) | np.isnan(y), grad, shared),
            np.where((x > y) | (np.isnan(x) & ~np.isnan(y)), grad, shared),
        )

    return r, fmin_pullback


@fmin.sample_inputs
def _fmin_inputs(rng):
    y = rng.standard_normal((3, 4))
    yield (y + _away_from(0.0, rng), y), {}


@pb.formula(np.clip)
def clip(x, a_min: pb.Tensor | None = None, a_max: pb.Tensor | None = None):
    """min(max(x, a_min), a_max): whichever of the three is the result takes the gradient.

    On a bound that is `x`. Where the bounds cross, the result is `a_max`.
    """
    r = np.clip(x, a_min, a_max)

    def clip_pullback(grad):
        lower = -np.inf if a_min is None else a_min
        upper = np.inf if a_max is None else a_max
        below = (x < lower) & (lower <= upper)
        above = (x > upper) | (lower > upper)
        return np.where(below | above, 0, grad), np.where(below, grad, 0), np.where(above, grad, 0)

    return r, clip_pullback


@clip.sample_inputs
def _clip_inputs(rng):
    x = _away_from(0.5, rng)
    yield (x, np.full((4,), -0.9), np.full((3, 1), 0.5)), {}
    yield (x, 0.5, None), {}


@pb.formula(np.where, complex=True)
def where(condition, x, y):
    """`x` where the condition holds and `y` elsewhere: each takes the gradient of its own part."""
    r = np.where(condition, x, y)

    def where_pullback(grad):
        return None, np.where(condition, grad, 0), np.where(condition, 0, grad)

    return r, where_pullback


@where.sample_inputs
def _where_inputs(rng):
    yield (rng.standard_normal((3, 4)) > 0, rng.standard_normal((4,)), rng.standard_normal((3, 1))), {}


def _away_from(kink, rng):
    """Normal numbers, none within a tenth of the kinks at +-`kink`, where differences would be wrong."""
    x = rng.standard_normal((3, 4))
    return np.where(np.abs(np.abs(x) - kink) < 0.1, x + 0.3, x)


@pb.formula
def replace_nonfinite(x, nan, high, low):
    """Numbers in the place of NaN, of infinity and of minus infinity, which take the gradient there."""
    r = np.where(np.isnan(x), nan, np.where(x == np.inf, high, np.where(x == -np.inf, low, x)))

    def replace_nonfinite_pullback(grad):
        return (
            np.where(np.isfinite(x), grad, 0),
            np.where(np.isnan(x), grad, 0),
            np.where(x == np.inf, grad, 0),
            np.where(x == -np.inf, grad, 0),
        )

    return r, replace_nonfinite_pullback


@replace_nonfinite.sample_inputs
def _replace_nonfinite_inputs(rng):
    x = np.array([np.nan, 1.0, np.inf, -np.inf, -2.0])
    yield (x, *rng.standard_normal((3, 5))), {}


@pb.composite(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Numbers in the place of NaN and of infinities, the largest of the type; they take no gradient.

    >>> nan_to_num(pb.tensor([1.0, np.nan]))
    tensor([1., 0.])
    """
    if x.dtype == np.float64:
        largest = 1.7976931348623157e308
    elif x.dtype == np.float32:
        largest = 3.4028234663852886e38
    elif x.dtype == np.float16:
        largest = 65504.0
    else:
        return x
    high, low = largest if posinf is None else posinf, -largest if neginf is None else neginf
    return replace_nonfinite(x, nan, high, low)


@pb.composite(np.heaviside)
def heaviside(x1, x2):
    """0 below zero, 1 above it, and `x2` at zero, which takes the gradient there."""
    return np.where(x1 == 0, x2, (np.sign(x1) + 1) / 2)


@heaviside.sample_inputs
def _heaviside_inputs(rng):
    yield (np.array([[-1.0, 1.5, 2.0], [0.3, 0.5, -0.5]]), rng.standard_normal((3,))), {}
    yield (np.array([-1, 0, 2]), rng.standard_normal((2, 3))), {}  # whole numbers: at zero it jumps


@pb.composite(np.fix)
def fix(x):
    """Entries rounded towards zero."""
    return np.trunc(x)
