"""Functions without a closure, each through one formula between two curved ones.

Their pullbacks are derived by inlining the formulas' own, at every order, where
the engine's nested gradients call them one by one.
"""

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives


@pb.derive_pullback
def arithmetic(x, y):
    return (x * y - x / y + (-x) * (+y)) * (x + y)


@pb.derive_pullback
def whole_power(x, y):
    return (x * y) ** 3 + np.square(x) * np.reciprocal(y)


@pb.derive_pullback
def any_power(x, y):
    return np.exp(x) ** (y * y)


@pb.derive_pullback
def exponentials(x, y):
    return np.exp(x * y) * np.expm1(x) + np.sinh(y * y) * np.cosh(x)


@pb.derive_pullback
def logarithms(x, y):
    return np.log(y * y + 1) * np.log1p(x * x) * np.sqrt(y)


@pb.derive_pullback
def trigonometry(x, y):
    return np.sin(x * y) * np.cos(x) + np.tan(x * 0.3) * np.tanh(y * x)


@pb.derive_pullback
def angles(x, y):
    return np.arctan(x * x) * np.arctan2(y * y, x)


@pb.derive_pullback
def kinks(x, y):
    return np.abs(x * x * x) * np.maximum(x * x, y) + np.minimum(x * y, y) * np.remainder(y * y, 0.7)


@pb.derive_pullback
def selection(x, y):
    return np.where(x * x > y, x * x * y, np.clip(x * x * x, -0.5, 2.0)) * x


@pb.derive_pullback
def activations(x, y):
    return pb.sigmoid(x * x) * pb.softplus(x * y) + pb.gelu(x * x) * pb.relu(x * y) + special.erf(x * y)


@pb.derive_pullback
def totals(x, y):
    a = x * y
    return np.sum(a * a, axis=0) * np.mean(a, axis=-1, keepdims=True) * np.mean(a)


@pb.derive_pullback
def largest(x, y):
    a = x * y
    return np.max(a * a, axis=1) * np.min(a, axis=(0, 1)) * np.max(a, axis=0, keepdims=True)[0, 0]


@pb.derive_pullback
def products(x, y):
    return np.prod(x * y, axis=-1) * np.prod(x) * np.cumprod(x * y, axis=0)[-1, 0]


@pb.derive_pullback
def running(x, y):
    return np.cumsum(x * x, axis=0) * np.cumsum(y * x, axis=-1) * primitives.linear_recurrence(x, y * x)


@pb.derive_pullback
def probabilities(x, y):
    a = x * y
    log_weights = special.log_softmax(a, axis=-1)
    return special.softmax(a * x, axis=0) * log_weights * special.logsumexp(a, axis=-1, keepdims=True)


@pb.derive_pullback
def arrangement(x, y):
    a = np.transpose(x * x)
    b = np.reshape(a, (-1,))
    c = np.expand_dims(np.swapaxes(a, 0, 1), 0)
    d = np.broadcast_to(np.squeeze(c, axis=0) * y, (2, 3, 4))
    return d * np.moveaxis(a, 0, 1) * np.flip(x, -1) * b[0]


@pb.derive_pullback
def axes_in_order(x, y):
    a = np.transpose(np.broadcast_to(x * y, (2, 3, 4)), (1, 2, 0))
    return np.flip(a * a, 1) * x[:, :, None]


@pb.derive_pullback
def pieces(x, y):
    a = x * x
    return a[1:] * a[:-1] * y[None, :] * a[-1, 2] * a[::-2][:1]


@pb.derive_pullback
def joined(x, y):
    a = np.concatenate([x * x, x * y], axis=-1)
    b = np.stack([a, a * a], axis=0)
    return b * np.concatenate([a, a[:, ::-1]])[:3]


@pb.derive_pullback
def matrices(x, y):
    a = x * x
    return (a @ np.swapaxes(x, 0, 1)) @ (a @ y) + np.outer(y, a @ y)[0, 1]


@pb.derive_pullback
def casts(x, y):
    return (x * x).astype(np.float64) * y
