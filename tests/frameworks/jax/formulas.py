"""Formulas of every kind, with arguments for each: what `pullback.jax` is compared on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import special

import pullback as pb


class Case(NamedTuple):
    """A formula with one set of arguments; `reverse` where its closure has no transpose."""

    formula: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    reverse: bool = False

    def __str__(self):
        return " ".join([self.formula.__name__, *(f"{k}={v}" for k, v in self.kwargs.items())])


RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.standard_normal(shape)


def positive(*shape):
    return RNG.uniform(0.5, 1.5, shape)


# Pointwise.
@pb.formula
def cube(x):
    return x**3, lambda grad: grad * (3 * x**2)


@pb.formula
def swish(x):
    s = pb.sigmoid(x)

    def swish_pullback(grad):
        return grad * (s + x * s * (1 - s))

    return x * s, swish_pullback


@pb.formula
def softsign(x):
    d = 1 + np.abs(x)

    def softsign_pullback(grad):
        return grad / (d * d)

    return x / d, softsign_pullback


@pb.formula
def mish(x):
    t = np.tanh(np.log1p(np.exp(x)))

    def mish_pullback(grad):
        return grad * (t + x * (1 - t * t) * pb.sigmoid(x))

    return x * t, mish_pullback


@pb.formula
def normal_density(x):
    r = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    return r, lambda grad: -grad * x * r


@pb.formula
def normal_cdf(x):
    def normal_cdf_pullback(grad):
        return grad * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)

    return 0.5 * special.erfc(-x / np.sqrt(2.0)), normal_cdf_pullback


@pb.formula
def log_gamma(x):
    return special.gammaln(x), lambda grad: grad * special.digamma(x)


@pb.formula
def scaled_exponential(x, *, alpha=1.5, scale=1.05):
    """Chosen entry by entry."""
    above = x > 0
    e = alpha * np.exp(np.minimum(x, 0))

    def scaled_exponential_pullback(grad):
        return grad * np.where(above, scale, scale * e)

    return scale * np.where(above, x, e - alpha), scaled_exponential_pullback


@pb.formula
def logarithmic_mean(x, y):
    d = np.log(x) - np.log(y)

    def logarithmic_mean_pullback(grad):
        return grad * (1 / d - (x - y) / (x * d * d)), grad * (-1 / d + (x - y) / (y * d * d))

    return (x - y) / d, logarithmic_mean_pullback


@pb.formula
def simple(a, b):
    """An intermediate that is promoted."""
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, simple_pullback


@pb.formula
def broadcast_chain(a, b, c):
    """An intermediate smaller than the result."""
    t = a * b
    u = t * c

    def broadcast_chain_pullback(grad):
        gt = grad * c
        return gt * b, gt * a, grad * t

    return u, broadcast_chain_pullback


@pb.formula
def straight_through(x):
    return np.round(x), lambda grad: grad


@pb.formula
def hard_clip(x, *, low=-0.5, high=0.5):
    """A mask that is saved."""
    inside = (x >= low) & (x <= high)
    return np.clip(x, low, high), lambda grad: np.where(inside, grad, 0)


@pb.formula
def dead_zone(x):
    mask = np.abs(x) > 0.3
    return x * mask, lambda grad: grad * mask


# Closures that are no derivative's transpose.
@pb.formula
def clipped_gradient(x):
    return x * 1.0, lambda grad: np.clip(grad, -0.1, 0.1)


# Reductions.
@pb.formula
def sum_of_squares(x):
    return np.sum(x * x), lambda grad: 2 * grad * x


@pb.formula
def mean_over(x, *, axis=-1):
    n = x.shape[axis]

    def mean_over_pullback(grad):
        return np.broadcast_to(np.expand_dims(grad, axis), x.shape) / n

    return np.sum(x, axis=axis) / n, mean_over_pullback


@pb.formula
def root_mean_square(x, *, axis=-1):
    r = np.sqrt(np.mean(x * x, axis=axis, keepdims=True))
    y = x / r

    def root_mean_square_pullback(grad):
        return (grad - y * np.mean(grad * y, axis=axis, keepdims=True)) / r

    return y, root_mean_square_pullback


@pb.formula
def layer_norm(x, gain, bias, *, epsilon=1e-5):
    centered = x - np.mean(x, axis=-1, keepdims=True)
    inv = 1 / np.sqrt(np.mean(centered * centered, axis=-1, keepdims=True) + epsilon)
    z = centered * inv

    def layer_norm_pullback(grad):
        g = grad * gain
        along = np.mean(g, axis=-1, keepdims=True) + z * np.mean(g * z, axis=-1, keepdims=True)
        return (g - along) * inv, grad * z, grad

    return z * gain + bias, layer_norm_pullback


@pb.formula
def softmax_rows(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    y = e / np.sum(e, axis=-1, keepdims=True)

    def softmax_rows_pullback(grad):
        return y * (grad - np.sum(grad * y, axis=-1, keepdims=True))

    return y, softmax_rows_pullback


@pb.formula
def log_sum_exp(x):
    r = special.logsumexp(x, axis=-1)
    return r, lambda grad: np.expand_dims(grad, -1) * np.exp(x - np.expand_dims(r, -1))


@pb.formula
def weighted_variance(x, w):
    total = np.sum(w)
    mean = np.sum(w * x) / total
    d = x - mean
    v = np.sum(w * d * d) / total

    def weighted_variance_pullback(grad):
        return grad * (2 * w * d / total), grad * ((d * d - v) / total)

    return v, weighted_variance_pullback


@pb.formula
def running_product(x):
    r = np.cumprod(x, axis=-1)

    def running_product_pullback(grad):
        return np.flip(np.cumsum(np.flip(grad * r, -1), axis=-1), -1) / x

    return r, running_product_pullback


@pb.formula
def cross_entropy(logits, labels):
    """Labels are whole numbers, which have no gradient."""
    z = logits - special.logsumexp(logits, axis=-1, keepdims=True)
    picked = np.take_along_axis(z, np.expand_dims(labels, -1), axis=-1)
    hot = np.arange(logits.shape[-1]) == np.expand_dims(labels, -1)

    def cross_entropy_pullback(grad):
        return grad * (np.exp(z) - hot) / labels.size, None

    return -np.mean(picked), cross_entropy_pullback


# Several results, and some without a gradient.
@pb.formula
def polar(x, y):
    r = np.hypot(x, y)
    angle = np.arctan2(y, x)

    def polar_pullback(grad_r, grad_angle):
        return (
            grad_r * x / r - grad_angle * y / (r * r),
            grad_r * y / r + grad_angle * x / (r * r),
        )

    return (r, angle), polar_pullback


@pb.formula
def sine_and_cosine(x):
    s, c = np.sin(x), np.cos(x)
    return (s, c), lambda grad_s, grad_c: grad_s * c - grad_c * s


@pb.formula
def mean_and_scale(x):
    m = np.mean(x)
    d = x - m
    s = np.sqrt(np.mean(d * d))

    def mean_and_scale_pullback(grad_m, grad_s):
        return (grad_m + grad_s * d / s) / x.size

    return (m, s), mean_and_scale_pullback


@pb.formula(nondifferentiable=(1,))
def largest(x):
    """The largest entry of each row, and its place."""
    i = np.argmax(x, axis=-1)
    places = np.expand_dims(i, -1)
    here = np.arange(x.shape[-1]) == places

    def largest_pullback(grad, grad_i):
        return np.expand_dims(grad, -1) * here

    return (np.take_along_axis(x, places, axis=-1)[..., 0], i), largest_pullback


# Optional inputs and lists.
@pb.formula
def affine(x, weight, bias: pb.Tensor | None = None):
    y = x @ weight
    if bias is not None:
        y = y + bias

    def affine_pullback(grad):
        gx = grad @ np.swapaxes(weight, -1, -2)
        gw = np.swapaxes(x, -1, -2) @ grad
        return gx, gw, grad if bias is not None else None

    return y, affine_pullback


@pb.formula
def scaled(x, scale: pb.Tensor | None = None):
    r = x * x if scale is None else x * x * scale

    def scaled_pullback(grad):
        if scale is None:
            return 2 * grad * x, None
        return 2 * grad * x * scale, grad * x * x

    return r, scaled_pullback


@pb.formula
def product_of(parts: list[pb.Tensor]):
    total = parts[0]
    for k in range(1, len(parts)):
        total = total * parts[k]

    def product_of_pullback(grad):
        return [grad * total / part for part in parts]

    return total, product_of_pullback


@pb.formula
def joined(parts: list[pb.Tensor], *, axis=0):
    r = np.concatenate(parts, axis=axis)
    return r * r, lambda grad: pb.primitives.split_like(2 * grad * r, pb.primitives.like(parts), axis)


# Attributes that decide.
@pb.formula
def norm_of(x, *, kind="two"):
    if kind == "one":
        r = np.sum(np.abs(x))
        s = np.sign(x)
    else:
        r = np.sqrt(np.sum(x * x))
        s = x / r

    def norm_of_pullback(grad):
        return grad * s

    return r, norm_of_pullback


@pb.formula
def loss(x, y, *, reduction="mean"):
    d = x - y
    r = np.log(np.cosh(d))
    slope = np.tanh(d)
    if reduction == "mean":
        return np.mean(r), lambda grad: (grad * slope / r.size, -grad * slope / r.size)
    if reduction == "sum":
        return np.sum(r), lambda grad: (grad * slope, -grad * slope)
    return r, lambda grad: (grad * slope, -grad * slope)


@pb.formula
def windows(x, *, width=2):
    n = x.shape[-1] - width + 1
    index = np.expand_dims(np.arange(n), -1) + np.arange(width)
    w = x[index]

    def windows_pullback(grad):
        return pb.primitives.unslice(2 * np.expand_dims(grad, -1) * w, index, x.shape)

    return np.sum(w * w, axis=-1), windows_pullback


# Linear algebra.
@pb.formula
def quadratic_form(x, a):
    y = a @ x
    return x @ y, lambda grad: (grad * (y + a.T @ x), grad * np.expand_dims(x, -1) * x)


@pb.formula
def solution(a, b):
    x = np.linalg.solve(a, b)

    def solution_pullback(grad):
        g = np.linalg.solve(np.swapaxes(a, -1, -2), grad)
        return -g @ np.swapaxes(x, -1, -2), g

    return x, solution_pullback


@pb.formula
def inverse(a):
    r = np.linalg.inv(a)
    return r, lambda grad: -r.T @ grad @ r.T


@pb.formula
def log_determinant(a):
    _, r = np.linalg.slogdet(a)
    return r, lambda grad: grad * np.linalg.inv(a).T


@pb.formula
def bilinear(x, a, y):
    return np.einsum("i,ij,j->", x, a, y), lambda grad: (
        grad * (a @ y),
        grad * np.expand_dims(x, -1) * y,
        grad * (x @ a),
    )


# Loops over counts that are known.
@pb.formula
def newton_root(x, *, steps=4):
    r = 0.5 * (1 + x)
    for _ in range(steps):
        r = 0.5 * (r + x / r)
    return r, lambda grad: grad / (2 * r)


@pb.formula
def horner(x, *, coefficients=(1.0, -2.0, 0.5, 3.0)):
    y = 0 * x
    slope = 0 * x
    for c in coefficients:
        slope = slope * x + y
        y = y * x + c
    return y, lambda grad: grad * slope


@pb.formula
def recurrence(x, w):
    """h <- tanh(w h + x), unrolled; every state is captured."""
    h = x * 0
    states = []
    for _ in range(3):
        states.append(h)
        h = np.tanh(w * h + x)

    def recurrence_pullback(grad):
        gx, gw = 0 * x, 0 * w
        after = h
        for k in range(3):
            g = grad * (1 - after * after)
            after = states[2 - k]
            gx = gx + g
            gw = gw + np.sum(g * after)
            grad = g * w
        return gx, gw

    return h, recurrence_pullback


@pb.derive_pullback
def derived(x, y):
    """A closure that is derived."""
    t = np.exp(x) * y
    return np.sin(t) + t * x


CASES = [
    Case(cube, (normal(4),), {}),
    Case(swish, (normal(3, 2),), {}),
    Case(softsign, (normal(4),), {}),
    Case(mish, (normal(4),), {}),
    Case(normal_density, (normal(4),), {}),
    Case(normal_cdf, (normal(4),), {}),
    Case(log_gamma, (positive(4),), {}),
    Case(scaled_exponential, (normal(5),), {"alpha": 1.2}),
    Case(logarithmic_mean, (positive(3) + 2, positive(3)), {}),
    Case(simple, (normal(3, 2), normal(2)), {}),
    Case(broadcast_chain, (normal(3), normal(3), normal(2, 3)), {}),
    Case(straight_through, (3 * normal(4),), {}),
    Case(hard_clip, (normal(6),), {}),
    Case(dead_zone, (normal(5),), {}),
    Case(clipped_gradient, (normal(3),), {}, reverse=True),
    Case(sum_of_squares, (normal(2, 3),), {}),
    Case(mean_over, (normal(2, 3),), {"axis": 0}),
    Case(root_mean_square, (normal(2, 3),), {}),
    Case(layer_norm, (normal(2, 4), normal(4), normal(4)), {}),
    Case(softmax_rows, (normal(2, 3),), {}),
    Case(log_sum_exp, (normal(2, 3),), {}),
    Case(weighted_variance, (normal(4), positive(4)), {}),
    Case(running_product, (positive(2, 3),), {}),
    Case(cross_entropy, (normal(3, 4), np.array([0, 2, 3])), {}),
    Case(polar, (positive(3), normal(3)), {}),
    Case(sine_and_cosine, (normal(3),), {}),
    Case(mean_and_scale, (normal(5),), {}),
    Case(largest, (normal(2, 3),), {}),
    Case(affine, (normal(2, 3), normal(3, 2), normal(2)), {}),
    Case(affine, (normal(2, 3), normal(3, 2)), {}),
    Case(scaled, (normal(3),), {}),
    Case(scaled, (normal(3), normal(3)), {}),
    Case(product_of, ([positive(3), positive(3), positive(3)],), {}),
    Case(joined, ([normal(2, 2), normal(1, 2)],), {"axis": 0}),
    Case(norm_of, (normal(4),), {"kind": "one"}),
    Case(norm_of, (normal(4),), {"kind": "two"}),
    Case(loss, (normal(3), normal(3)), {"reduction": "none"}),
    Case(loss, (normal(3), normal(3)), {}),
    Case(windows, (normal(5),), {"width": 3}),
    Case(quadratic_form, (normal(3), normal(3, 3)), {}),
    Case(solution, (normal(3, 3) + 3 * np.eye(3), normal(3, 2)), {}),
    Case(inverse, (normal(3, 3) + 3 * np.eye(3),), {}),
    Case(log_determinant, (normal(3, 3) + 3 * np.eye(3),), {}),
    Case(bilinear, (normal(2), normal(2, 3), normal(3)), {}),
    Case(newton_root, (positive(3),), {"steps": 5}),
    Case(horner, (normal(3),), {}),
    Case(recurrence, (normal(3), normal()), {}),
    Case(derived, (normal(3), normal(3)), {}),
]
