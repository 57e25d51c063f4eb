"""Derived formulas that call derived formulas, with branches and hidden outputs of their own."""

import numpy as np

import pullback as pb
from pullback.transpile.verify import verify


def _spread(a, axis=None, keepdims=False):
    """Stands for the function whose derivative the first composite is."""


def _middle(a, axis=None, keepdims=False):
    """Stands for the second one."""


def _whole(a, axis=None, keepdims=False):
    """Stands for the third one."""


@pb.composite(_spread)
def spread_of(a, *, axis=None, keepdims: bool = False):
    d = a - np.mean(a, axis=axis, keepdims=True)
    if keepdims:
        e = np.exp(d)
        r = np.mean(d * e, axis=axis, keepdims=True)
    else:
        r = np.mean(np.sin(d) * d, axis=axis)
    return r


@pb.composite(_middle)
def middle_of(a, *, axis=None, keepdims: bool = False):
    if a.ndim == 1:
        return np.sqrt(1 + spread_of(a, axis=axis, keepdims=keepdims) ** 2)
    if a.ndim == 2:
        return np.exp(spread_of(a, axis=axis, keepdims=keepdims))
    return spread_of(np.sin(a), axis=axis, keepdims=keepdims) * 2


@pb.composite(_whole)
def whole_of(a, *, axis=None, keepdims: bool = False):
    if keepdims:
        s = np.sin(a)
        b = middle_of(s, axis=axis, keepdims=keepdims)
    else:
        b = middle_of(a * a, axis=axis)
    return b * spread_of(b)


def test_promotion_ends_and_is_right_to_third_order(engine):
    for formula in (spread_of, middle_of, whole_of):
        verify(formula.operator.formula)
    x = np.random.default_rng(0).standard_normal((2, 2))
    assert pb.gradcheck(lambda x: whole_of(x, axis=0), x, order=3)
    assert pb.gradcheck(lambda x: whole_of(x, axis=0, keepdims=True), x, order=2)
