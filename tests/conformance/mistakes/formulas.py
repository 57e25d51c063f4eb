"""Formulas whose derivatives are wrong, or fail."""

import numpy as np

import pullback as pb


@pb.formula
def misshapen(x):
    def misshapen_pullback(grad):
        return np.sum(grad)

    return np.exp(x), misshapen_pullback


@pb.formula(first_order_only=True)
def only_once(x):
    y = np.exp(x)

    def only_once_pullback(grad):
        return grad * y

    return y, only_once_pullback


@pb.formula
def failing(x):
    def failing_pullback(grad):
        if grad.ndim == 1:
            raise ValueError("inside of the closure")
        return grad

    return x * 2.0, failing_pullback


@pb.formula
def undefined_logarithm(x):
    def undefined_logarithm_pullback(grad):
        return grad * np.log(-x)

    return np.exp(x), undefined_logarithm_pullback


@pb.formula
def misgraded(x):
    def misgraded_pullback(grad):
        return grad * 3.0

    return x * 2.0, misgraded_pullback
