"""Plain functions of NumPy that are compiled: what they compute is known by running them."""

import math

import numpy as np
from scipy import special

import pullback as pb


def arithmetic(a, b):
    return (a + b) * b - a / (1.5 + b * b) + 2


def powers(a, b):
    return a**2 + (a * a + 1) ** 0.5 + b**-1 + (b * b + 0.5) ** 1.5


def functions(a, b):
    return np.exp(-a * a) + np.tanh(b) * np.sin(a) + np.log1p(b * b) + np.arctan2(a, b) + special.erf(a)


def choices(a, b):
    return np.where((a > b) & (b != 0), np.maximum(a, 0), np.minimum(b, a)) + np.sign(a) * np.abs(b)


def rounding(a, b):
    return np.floor(a) + np.ceil(b) + np.trunc(a * 3) + np.round(b * 2) + a % (np.abs(b) + 1)


def strong(a, b):
    return a * np.sqrt(2.0) + b


def weak(a, b):
    return a * math.sqrt(2.0) + b


def total(a, b):
    return (a * b).sum()


def rows(a, b):
    return np.sum(a * b, axis=-1)


def columns(a, b):
    return np.mean(a + b, axis=0, keepdims=True) * a


def extremes(a, b):
    return np.max(a - b, axis=-1, keepdims=True) - np.min(a + b)


def centered(a, b):
    c = a - np.mean(a, axis=-1, keepdims=True)
    return c / np.sqrt(np.mean(c * c, axis=-1, keepdims=True) + 1e-3) * b


def normalized(a, b):
    return special.softmax(a + b, axis=-1) + special.logsumexp(a * b, axis=-1, keepdims=True)


def two_results(a, b):
    t = a * b
    return t + a, np.sum(t, axis=0)


def shapes(a, b):
    return np.swapaxes(a + b, 0, 1)[..., ::-1] * 2, np.transpose(a * b)[:, -1:] - 1, np.transpose(a)


def indexed(a, b):
    return (a * b)[..., 0] * 2, a[-1, None, :1] + 1, (a + b)[0, 0]


def joined(a, b):
    c = a + b
    return np.concatenate([c, a * 2 + c * 0], axis=0) + np.stack([c, c], axis=1)[0].sum()


def sizes(a, b):
    return a * b / a.shape[-1] + a.size - b.ndim


def reshaped(a, b):
    return np.reshape(np.swapaxes(a + b, 0, 1), (-1,)) * 3 + np.expand_dims(a * b, 0).sum()


def called(a, b):
    return pb.sigmoid(a) * pb.softplus(b) + pb.relu(a - b) + pb.gelu(b)


def products(a, b):
    c = np.swapaxes(a * b, -1, -2)
    return np.matmul(a, c) + 1, a @ c @ np.exp(-a)


PROGRAMS = [value for value in list(globals().values()) if getattr(value, "__module__", None) == __name__]
