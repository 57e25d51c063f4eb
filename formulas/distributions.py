"""Distribution functions by the incomplete gamma and beta functions, in their continuous arguments.

Abramowitz and Stegun, "Handbook of Mathematical Functions", chapter 26. Counts are rounded down, as SciPy
does, and take no gradient; shapes that have no closed derivative refuse it. Outside of its domain a
function is NaN, as SciPy's.
"""

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_SHAPE = "the derivative in the shape of an incomplete gamma function has no closed form"


def _widened(x, other):
    """`x` in the type that both have together: a Python number is of float32 beside an array of that."""
    return np.where(True, x, pb.stop_gradient(other))


def _slope_in_factor(b, u, v):
    """The derivative of P(b, u v) by u: v p(b, u v) = b p(b + 1, u v) / u, which is 0 where v is."""
    zero = u == 0
    z = u * v
    divided = b * primitives.gamma_density(b + 1, np.where(zero, 1, z)) / np.where(zero, 1, u)
    return np.where(zero, v * primitives.gamma_density(b, np.where(zero, z, 1)), divided)


@pb.formula
def gamma_distribution(a, b, x):
    """P(b, a x): dP = p(b, a x) (x da + a dx). DLMF 8.8.13."""
    z = a * x
    r = special.gammainc(_widened(b, z), _widened(z, b))

    def gamma_distribution_pullback(grad):
        refused = primitives.refuse_gradient(grad, argument="`b` of scipy.special.gdtr", why=_SHAPE)
        return grad * _slope_in_factor(b, a, x), refused, grad * _slope_in_factor(b, x, a)

    return r, gamma_distribution_pullback


@pb.formula
def gamma_distribution_tail(a, b, x):
    """Q(b, a x) = 1 - P(b, a x). DLMF 8.8.14."""
    z = a * x
    r = special.gammaincc(_widened(b, z), _widened(z, b))

    def gamma_distribution_tail_pullback(grad):
        refused = primitives.refuse_gradient(grad, argument="`b` of scipy.special.gdtrc", why=_SHAPE)
        return -grad * _slope_in_factor(b, a, x), refused, -grad * _slope_in_factor(b, x, a)

    return r, gamma_distribution_tail_pullback


@gamma_distribution.sample_inputs
@gamma_distribution_tail.sample_inputs
def _gamma_distribution_inputs(rng):
    yield (rng.uniform(0.5, 2.0, (4,)), 2, rng.uniform(0.5, 2.0, (3, 4))), {}


@pb.composite(special.gdtr)
def gdtr(a, b, x):
    """The gamma distribution of rate a and shape b."""
    return np.where(x < 0, np.nan, gamma_distribution(a, b, x))


@pb.composite(special.gdtrc)
def gdtrc(a, b, x):
    """The upper tail of `gdtr`."""
    return np.where(x < 0, np.nan, gamma_distribution_tail(a, b, x))


@pb.composite(special.gdtrix)
def gdtrix(a, b, p):
    """The x with gdtr(a, b, x) = p."""
    return special.gammaincinv(_widened(b, p + a), _widened(p, b + a)) / a


@pb.composite(special.chdtr)
def chdtr(v, x):
    """The chi-square distribution. 26.4.19."""
    return special.gammainc(_widened(v / 2, x), _widened(x / 2, v))


@pb.composite(special.chdtrc)
def chdtrc(v, x):
    """The upper tail of `chdtr`. 26.4.19."""
    return special.gammaincc(_widened(v / 2, x), _widened(x / 2, v))


@pb.composite(special.chdtri)
def chdtri(v, p):
    """The x with chdtrc(v, x) = p."""
    return 2 * special.gammainccinv(_widened(v / 2, p), _widened(p, v))


@pb.composite(special.pdtr)
def pdtr(k, m):
    """Poisson's distribution of the mean m. 26.4.21."""
    return np.where(k < 0, np.nan, special.gammaincc(np.floor(np.maximum(k, 0)) + 1, m))


@pb.composite(special.pdtrc)
def pdtrc(k, m):
    """The upper tail of `pdtr`. 26.4.21."""
    return np.where(k < 0, np.nan, special.gammainc(np.floor(np.maximum(k, 0)) + 1, m))


@pb.composite(special.pdtri)
def pdtri(k, y):
    """The m with pdtr(k, m) = y, k without its fraction."""
    known = np.logical_and(k > -1, y < 1)
    return np.where(known, special.gammainccinv(np.floor(np.maximum(k, 0)) + 1, y), np.nan)


def _failures(k, n, p):
    """k, n - k and p in the type of all three; counts without their fractions, NaN for an infinite n."""
    below = np.floor(_widened(k, n + p))
    count = np.trunc(_widened(n, k + p))
    return below, np.where(np.isfinite(count), count, np.nan) - below, _widened(p, k + n)


@pb.composite(special.bdtr)
def bdtr(k, n, p):
    """The binomial distribution, up to k of n with the probability p. 26.5.24."""
    below, rest, p = _failures(k, n, p)
    inside = special.betainc(np.maximum(rest, 1), np.maximum(below, 0) + 1, 1 - p)
    outside = np.where(np.logical_and(rest == 0, below >= 0), 1 + 0 * p, np.nan)
    found = np.where(np.logical_and(rest > 0, below >= 0), inside, outside)
    return np.where(np.logical_and(p >= 0, p <= 1), found, np.nan)


@pb.composite(special.bdtrc)
def bdtrc(k, n, p):
    """The upper tail of `bdtr`. 26.5.24."""
    below, rest, p = _failures(k, n, p)
    inside = special.betainc(np.maximum(below, 0) + 1, np.maximum(rest, 1), p)
    outside = np.where(below < 0, 1 + 0 * (p + rest), np.where(rest == 0, 0 * p, np.nan))
    found = np.where(np.logical_and(rest > 0, below >= 0), inside, outside)
    return np.where(np.logical_and(p >= 0, p <= 1), found, np.nan)


@pb.composite(special.bdtri)
def bdtri(k, n, y):
    """The p with bdtr(k, n, p) = y."""
    below, rest, y = _failures(k, n, y)
    return special.betainccinv(below + 1, rest, y)


def _counts(k, n, p):
    """All three in one type, k and n without their fractions."""
    return np.trunc(_widened(k, n + p)), np.trunc(_widened(n, k + p)), _widened(p, k + n)


@pb.composite(special.nbdtr)
def nbdtr(k, n, p):
    """The negative binomial distribution, up to k failures before n successes. 26.5.26."""
    k, n, p = _counts(k, n, p)
    known = np.logical_and(n > 0, k >= 0)
    return np.where(known, special.betainc(np.where(known, n, 1), k + 1, p), np.nan)


@pb.composite(special.nbdtrc)
def nbdtrc(k, n, p):
    """The upper tail of `nbdtr`. 26.5.26."""
    k, n, p = _counts(k, n, p)
    known = np.logical_and(n > 0, k >= 0)
    return np.where(known, special.betaincc(np.where(known, n, 1), k + 1, p), np.nan)


@pb.composite(special.nbdtri)
def nbdtri(k, n, y):
    """The p with nbdtr(k, n, p) = y."""
    k, n, y = _counts(k, n, y)
    return np.where(k >= 0, special.betaincinv(n, k + 1, y), np.nan)


def _degrees(dfn, dfd, x):
    """All three in one type."""
    return _widened(dfn, dfd + x), _widened(dfd, dfn + x), _widened(x, dfn + dfd)


def _sides(dfn, dfd, x):
    """dfn x and dfd over their sum, of which the smaller one is exact; the other is one half."""
    total = dfd + dfn * x
    below = dfn * x <= dfd
    return below, np.where(below, dfn * x / total, 0.5), np.where(below, 0.5, dfd / total)


@pb.composite(special.fdtr)
def fdtr(dfn, dfd, x):
    """The F distribution. 26.5.28."""
    dfn, dfd, x = _degrees(dfn, dfd, x)
    far = x == np.inf
    below, z, rest = _sides(dfn, dfd, np.where(far, 0, x))
    inner = np.where(below, special.betainc(dfn / 2, dfd / 2, z), special.betaincc(dfd / 2, dfn / 2, rest))
    known = np.logical_and(np.minimum(dfn, dfd) > 0, x >= 0)
    return np.where(known, np.where(far, 1, inner), np.nan)


@pb.composite(special.fdtrc)
def fdtrc(dfn, dfd, x):
    """The upper tail of `fdtr`. 26.5.28."""
    dfn, dfd, x = _degrees(dfn, dfd, x)
    far = x == np.inf
    below, z, rest = _sides(dfn, dfd, np.where(far, 0, x))
    inner = np.where(below, special.betaincc(dfn / 2, dfd / 2, z), special.betainc(dfd / 2, dfn / 2, rest))
    known = np.logical_and(np.minimum(dfn, dfd) > 0, x >= 0)
    return np.where(known, np.where(far, 0, inner), np.nan)


@pb.composite(special.fdtri)
def fdtri(dfn, dfd, p):
    """The x with fdtr(dfn, dfd, x) = p."""
    dfn, dfd, p = _degrees(dfn, dfd, p)
    z, rest = special.betaincinv(dfn / 2, dfd / 2, p), special.betainccinv(dfd / 2, dfn / 2, p)
    return dfd * z / (dfn * rest)


def _density_of_student(df, t):
    """(1 + t^2 / df)^(-(df + 1) / 2) / (sqrt(df) beta(df / 2, 1 / 2)), 26.7.1."""
    normal = np.isinf(df)
    known = np.where(normal, 1, df)
    kernel = (known + 1) / 2 * np.log1p(t * t / known)
    of_student = np.exp(-special.betaln(known / 2, 0.5) - kernel) / np.sqrt(known)
    return np.where(normal, np.exp(-t * t / 2) / np.sqrt(2 * np.pi), of_student)


@pb.formula(special.stdtr)
def stdtr(df, t):
    """Student's distribution: its density in t. 26.7.1."""
    r = special.stdtr(df, t)

    def stdtr_pullback(grad):
        in_df = primitives.refuse_gradient(
            grad, argument="`df` of scipy.special.stdtr", why="the derivative in it has no closed form"
        )
        return in_df, grad * _density_of_student(df, t)

    return r, stdtr_pullback


@stdtr.sample_inputs
def _stdtr_inputs(rng):
    yield (4, rng.uniform(-2.0, 2.0, (3, 4))), {}


@pb.formula(special.stdtrit)
def stdtrit(df, p):
    """The t with stdtr(df, t) = p, by the inverse function theorem."""
    r = special.stdtrit(df, p)

    def stdtrit_pullback(grad):
        in_df = primitives.refuse_gradient(
            grad,
            argument="`df` of scipy.special.stdtrit",
            why="the derivative in it has no closed form",
        )
        return in_df, grad / _density_of_student(df, r)

    return r, stdtrit_pullback


@stdtrit.sample_inputs
def _stdtrit_inputs(rng):
    yield (4, rng.uniform(0.1, 0.9, (3, 4))), {}
