"""Formulas of all kinds, each with operands for it: what they share is `Case`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import pullback as pb
from pullback import special


class Case(NamedTuple):
    """A formula, its operands as shapes (a list of them is a list of tensors), and its attributes.

    `positive` operands are between 0.5 and 1.5, others between -1 and 1; masks are of booleans. The
    closure of a `smooth` one is its derivative; `forward` says whether it has forward mode, and whether
    PyTorch's gradient checker can batch what it is made of.
    """

    formula: Any
    shapes: tuple[Any, ...]
    attributes: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    positive: bool = False
    mask: tuple[int, ...] = ()
    smooth: bool = True
    forward: bool = True


# pointwise, with promoted intermediates


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, simple_pullback


@pb.formula
def broadcast(a, b, c):
    t = a + b
    u = t * c

    def broadcast_pullback(grad):
        return grad * c, grad * c, grad * t

    return u, broadcast_pullback


@pb.formula
def softplus(x):
    t = np.exp(x)
    return np.log1p(t), lambda grad: grad * t / (1 + t)


@pb.formula
def exp_squared(x):
    t = np.exp(x)
    return x * t**2, lambda grad: grad * (t**2 + 2 * x * t**2)


@pb.formula
def chained(x):
    t = np.sin(x)
    u = np.exp(t)
    return u * x, lambda grad: grad * (u + x * u * np.cos(x))


@pb.formula
def mish(x):
    t = np.tanh(np.logaddexp(x, 0.0))
    s = special.expit(x)
    return x * t, lambda grad: grad * (t + x * (1 - t * t) * s)


@pb.formula
def swish(x, *, beta: float = 1.5):
    s = special.expit(beta * x)
    return x * s, lambda grad: grad * (s + beta * x * s * (1 - s))


@pb.formula
def gelu(x):
    phi = 0.5 * (1 + special.erf(x * 0.7071067811865476))
    density = np.exp(-0.5 * x * x) * 0.3989422804014327
    return x * phi, lambda grad: grad * (phi + x * density)


@pb.formula
def rectified(x, *, slope: float = 0.1):
    mask = x > 0
    y = np.where(mask, x * x, slope * x)
    return y, lambda grad: grad * np.where(mask, 2 * x, slope)


@pb.formula
def counted(x, y):
    mask = x > y
    share = np.mean(mask)
    return mask * x * x + share * y, lambda grad: (grad * mask * 2 * x, grad * share)


@pb.formula
def round_through(x):
    r = np.round(x)
    t = r * r
    return t + x, lambda grad: grad


@pb.formula
def hypotenuse(x, y):
    r = np.sqrt(x * x + y * y)
    return r, lambda grad: (grad * x / r, grad * y / r)


@pb.formula
def powers(x, *, n: int = 3):
    p = x ** (n - 1)
    return p * x, lambda grad: n * grad * p


@pb.formula
def clipped(x, *, low: float = -0.5, high: float = 0.5):
    inside = (x > low) & (x < high)
    return np.clip(x, low, high) * x, lambda grad: grad * (np.clip(x, low, high) + inside * x)


@pb.formula
def held(x):
    c = pb.stop_gradient(np.exp(x))
    return c * x, lambda grad: grad * c


# reductions


@pb.formula
def logsumexp(x, *, axis: int = -1):
    m = np.max(x, axis=axis, keepdims=True)
    e = np.exp(x - m)
    s = np.sum(e, axis=axis, keepdims=True)
    p = e / s

    def logsumexp_pullback(grad):
        return np.expand_dims(grad, axis) * p

    return np.squeeze(m + np.log(s), axis), logsumexp_pullback


@pb.formula
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    return p, lambda grad: p * (grad - np.sum(grad * p, axis=-1, keepdims=True))


@pb.formula
def layer_norm(x, *, eps: float = 1e-3):
    c = x - np.mean(x, axis=-1, keepdims=True)
    r = 1 / np.sqrt(np.mean(c * c, axis=-1, keepdims=True) + eps)
    y = c * r

    def layer_norm_pullback(grad):
        inner = np.mean(grad * y, axis=-1, keepdims=True)
        return r * (grad - np.mean(grad, axis=-1, keepdims=True) - y * inner)

    return y, layer_norm_pullback


@pb.formula
def energy(x):
    t = x * x
    return np.sum(t * t), lambda grad: 4 * grad * t * x


@pb.formula
def mean_of(x, *, axis: tuple[int, ...] = (0, 2), keepdims: bool = False):
    m = np.mean(x * x, axis=axis, keepdims=True)
    count = m.size / x.size

    def mean_pullback(grad):
        return 2 * np.reshape(grad, m.shape) * x * count

    return (m if keepdims else np.squeeze(m, axis)), mean_pullback


@pb.formula
def product_of(x):
    p = np.prod(x)
    return p, lambda grad: grad * p / x


@pb.formula
def running(x):
    s = np.cumsum(np.exp(x), axis=-1)
    e = np.exp(x)

    def running_pullback(grad):
        return e * np.flip(np.cumsum(np.flip(grad, -1), axis=-1), -1)

    return s, running_pullback


@pb.formula
def deviation(x):
    c = x - np.mean(x)
    s = np.sqrt(np.mean(c * c))
    return s, lambda grad: grad * c / (s * x.size)


# several results


@pb.formula
def polar(x, y):
    r = np.sqrt(x * x + y * y)
    angle = np.arctan2(y, x)

    def polar_pullback(grad_r, grad_angle):
        return (
            grad_r * x / r - grad_angle * y / (r * r),
            grad_r * y / r + grad_angle * x / (r * r),
        )

    return (r, angle), polar_pullback


@pb.formula(nondifferentiable=(1,))
def largest(x):
    place = np.argmax(x, axis=-1)
    index = np.expand_dims(place, -1)
    top = np.squeeze(np.take_along_axis(x, index, axis=-1), -1)
    t = np.exp(top)

    def largest_pullback(grad, grad_place):
        return np.expand_dims(grad * t, -1) * (np.arange(x.shape[-1]) == index)

    return (t, place), largest_pullback


@pb.formula
def lstm_gates(x, h, c):
    i = special.expit(x + h)
    g = np.tanh(x - h)
    new = c * i + g
    t = np.tanh(new)

    def lstm_pullback(grad_h, grad_c):
        d = grad_c + grad_h * i * (1 - t * t)
        di = (d * c + grad_h * t) * i * (1 - i)
        dg = d * (1 - g * g)
        return di + dg, di - dg, d * i

    return (i * t, new), lstm_pullback


# optional inputs, lists, attributes


@pb.derive_pullback
def weighted(x, *, weights: tuple[float, ...] = (1.0, -2.0)):
    w = np.array(weights) / np.sum(np.abs(weights))
    total = x * 0.0
    for k in range(len(weights)):
        total = total + weights[k] * x**k
    return total * np.mean(np.exp(x[:2]) * w) + np.sum(x[:2] * np.array([0.5, 2.0]))


@pb.formula
def affine(x, w, b: pb.Tensor | None = None):
    t = x @ w

    def affine_pullback(grad):
        return grad @ w.T, x.T @ grad, (None if b is None else np.sum(grad, axis=0))

    return (t if b is None else t + b), affine_pullback


@pb.formula
def joined(arrays: list[pb.Tensor], *, axis: int = 0):
    whole = np.concatenate(arrays, axis=axis)
    t = np.exp(whole)

    def joined_pullback(grad):
        d = grad * t
        return [d[:2] if axis == 0 else d[:, :2], d[2:] if axis == 0 else d[:, 2:]]

    return t, joined_pullback


def horner_text(x, coefficients: list[pb.Tensor]):
    total = np.zeros_like(x)
    for coefficient in coefficients:
        total = np.tanh(total * x + coefficient)
    return total


horner = pb.derive_pullback(horner_text)


def running_peak_text(x):
    """What the loop carries begins as numbers."""
    top, total = -np.inf, 0.0
    for v in x:
        top = np.maximum(top, v * v)
        total = total + np.sqrt(1 + top)
    return np.exp(-total) * x, top


running_peak = pb.derive_pullback(running_peak_text)


@pb.formula
def either(x, *, wave: bool = True, scale: float = 2.0):
    if wave:
        t = np.sin(x)
        y = t * t * scale
    else:
        t = np.exp(x)
        y = t * scale

    def either_pullback(grad):
        return 2 * grad * t * np.cos(x) * scale if wave else grad * t * scale

    return y, either_pullback


def conditioned_text(x, *, order: int = 2):
    if order == 0:
        return np.ones_like(x)
    if order == 1:
        return x
    return (3 * x * x - 1) / 2


legendre = pb.derive_pullback(conditioned_text)


# loops


@pb.formula
def reciprocal(a, *, steps: int = 5):
    x = 0.5 * np.ones_like(a)
    for _ in range(steps):
        x = x * (2 - a * x)
    return x, lambda grad: -grad * x * x


def iterated_text(x, *, steps: int = 3):
    y = x
    for _ in range(steps):
        y = np.sin(y) * x
    return y


iterated = pb.derive_pullback(iterated_text)


def recurrent_text(x, w):
    h = np.zeros_like(x[0])
    for i in range(x.shape[0]):
        h = np.tanh(w @ h + x[i])
    return h


recurrent = pb.derive_pullback(recurrent_text)


# linear algebra


@pb.formula
def quadratic_form(x, a):
    t = a @ x
    return x @ t, lambda grad: (grad * (t + a.T @ x), grad * np.outer(x, x))


@pb.formula
def solved(a, b):
    x = np.linalg.solve(a, b)

    def solved_pullback(grad):
        u = np.linalg.solve(a.T, grad)
        return -np.outer(u, x), u

    return x, solved_pullback


@pb.formula
def inverse(a):
    r = np.linalg.inv(a)
    return r, lambda grad: -r.T @ grad @ r.T


@pb.formula
def log_det(a):
    k = a @ a.T + np.eye(a.shape[0])
    chol = np.linalg.cholesky(k)
    return (
        2 * np.sum(np.log(np.diagonal(chol))),
        lambda grad: 2 * grad * np.linalg.solve(k, a),
    )


@pb.formula
def gp_likelihood(x, y, *, noise: float = 0.1):
    d = np.expand_dims(x, 1) - np.expand_dims(x, 0)
    e = np.exp(-0.5 * d * d)
    k = e + noise * np.eye(x.shape[0])
    inverse = np.linalg.inv(k)
    alpha = inverse @ y
    chol = np.linalg.cholesky(k)
    value = -0.5 * (y @ alpha) - np.sum(np.log(np.diagonal(chol)))

    def gp_pullback(grad):
        g = 0.5 * (np.outer(alpha, alpha) - inverse)
        h = -2 * g * e * d
        return grad * np.sum(h, axis=1), -grad * alpha

    return value, gp_pullback


@pb.formula
def bilinear(x, w, y):
    t = np.einsum("bi,ijk->bjk", x, w)
    r = np.einsum("bjk,bk->bj", t, y)

    def bilinear_pullback(grad):
        return (
            np.einsum("bj,ijk,bk->bi", grad, w, y),
            np.einsum("bi,bj,bk->ijk", x, grad, y),
            np.einsum("bj,bjk->bk", grad, t),
        )

    return r, bilinear_pullback


# indexing and shape


@pb.derive_pullback
def cropped(x, w, *, n: int = 2):
    rows, columns = x.shape
    if columns < n:
        raise ValueError(f"{n} of {columns} columns, of {x.shape}")
    half = rows // 2
    y = x * w
    y[..., :n] = w[:n]
    y[0, ::-1] = x[1] * x[0]
    y[1:, -1] = 0.5
    return y[..., n:] * x[:half, ..., 0, None]


@pb.formula
def differences(x):
    t = x[1:] - x[:-1]
    return (
        t * t,
        lambda grad: (
            2
            * (
                np.concatenate([np.zeros_like(t[:1]), grad * t])
                - np.concatenate([grad * t, np.zeros_like(t[:1])])
            )
        ),
    )


def backwards_text(x):
    return np.exp(x[::-1]) * x


backwards = pb.derive_pullback(backwards_text)


def tiled_text(x, *, reps: int = 2):
    return np.tile(np.sin(x), reps) * np.repeat(x, reps)


tiled = pb.derive_pullback(tiled_text)


def sorted_text(x):
    return np.sort(x * x, axis=-1) * np.arange(1.0, 4.0)


ordered = pb.derive_pullback(sorted_text)


def over_no_axis_text(x):
    scale = 3.0 if x.dtype == np.float64 else 2.0
    return scale * np.max(x, axis=()) * np.mean(x * x, axis=())


over_no_axis = pb.derive_pullback(over_no_axis_text)


def along_axes_text(x):
    count = np.count_nonzero(x > 0, axis=0)
    return np.diagonal(np.stack([x, x * x]), axis1=1, axis2=2) * count + np.roll(x, 1, axis=(0, 1))[:2]


along_axes = pb.derive_pullback(along_axes_text)


@pb.formula
def masked_mean(x, mask):
    count = np.sum(mask.astype(x.dtype))
    t = np.where(mask, x, 0.0)
    s = np.sum(t * t) / count
    return s, lambda grad: (2 * grad * t / count, None)


def by_list_text(x, ids: tuple[int, ...]):
    return x[list(ids)] * x[[k - 1 for k in ids]]


by_list = pb.derive_pullback(by_list_text)


@pb.formula(first_order_only=True)
def once(x):
    t = np.exp(x)
    return t * x, lambda grad: grad * (t + t * x)


@pb.derive_pullback
def pairs(x):
    total = np.sum(x) * 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total = total + np.sin(x[i] * x[j])
    return total


@pb.derive_pullback
def stages(x, *, weights: tuple[float, ...] = (0.25, -0.5, 0.75)):
    slopes = []
    for i in range(len(weights)):
        inner = x
        for j in range(i):
            inner = inner + weights[j + 1 :][0] * slopes[j]
        slopes.append(np.sin(0.0 - -inner))
    total = x * (len(weights) % 2)
    for k in range(1, len(weights)):
        total = total + k * weights[k] * slopes[k - 1]
    return total


@pb.derive_pullback
def distances(x):
    n = x.shape[0]
    table = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            table[i, j] = np.linalg.norm(x[i] - x[j])
    return table


CASES: dict[str, Case] = {
    "simple": Case(simple, ((3, 1), (4,))),
    "broadcast": Case(broadcast, ((3, 1), (2,), (2, 3, 2))),
    "softplus": Case(softplus, ((2, 3),)),
    "exp_squared": Case(exp_squared, ((4,),)),
    "chained": Case(chained, ((3,),)),
    "mish": Case(mish, ((3,),)),
    "swish": Case(swish, ((3,),), {"beta": 0.7}),
    "gelu": Case(gelu, ((2, 2),)),
    "rectified": Case(rectified, ((6,),)),
    "counted": Case(counted, ((2, 3), (3,))),
    "round_through": Case(round_through, ((3,),), smooth=False),
    "hypotenuse": Case(hypotenuse, ((3,), (2, 1))),
    "powers": Case(powers, ((3,),), {"n": 4}),
    "clipped": Case(clipped, ((5,),)),
    "held": Case(held, ((3,),), smooth=False),
    "logsumexp": Case(logsumexp, ((2, 3),)),
    "logsumexp of axis 0": Case(logsumexp, ((2, 3),), {"axis": 0}),
    "softmax": Case(softmax, ((2, 3),)),
    "layer_norm": Case(layer_norm, ((2, 3),)),
    "energy": Case(energy, ((2, 3),)),
    "energy of a number": Case(energy, ((),)),
    "mean_of": Case(mean_of, ((2, 1, 3),)),
    "mean_of kept": Case(mean_of, ((2, 1, 3),), {"axis": (1,), "keepdims": True}),
    "product_of": Case(product_of, ((4,),), positive=True),
    "running": Case(running, ((2, 3),)),
    "deviation": Case(deviation, ((4,),)),
    "polar": Case(polar, ((3,), (3,)), positive=True),
    "largest": Case(largest, ((2, 3),)),
    "lstm_gates": Case(lstm_gates, ((3,), (3,), (2, 3))),
    "affine": Case(affine, ((2, 3), (3, 2), (2,))),
    "affine without b": Case(affine, ((2, 3), (3, 2), None)),
    "weighted": Case(weighted, ((3,),)),
    "weighted by others": Case(weighted, ((3,),), {"weights": (0.5, 3.0)}),
    "joined": Case(joined, ([(2, 2), (1, 2)],)),
    "joined of axis 1": Case(joined, ([(2, 2), (2, 1)],), {"axis": 1}),
    "horner": Case(horner, ((2,), [(2,), (1,), (2,)])),
    "running_peak": Case(running_peak, ((3,),)),
    "either": Case(either, ((3,),)),
    "either not wave": Case(either, ((3,),), {"wave": False}),
    "legendre": Case(legendre, ((3,),)),
    "reciprocal": Case(reciprocal, ((3,),), {"steps": 8}, positive=True),
    "iterated": Case(iterated, ((3,),)),
    "recurrent": Case(recurrent, ((3, 2), (2, 2))),
    "pairs": Case(pairs, ((4,),), positive=True),
    "quadratic_form": Case(quadratic_form, ((3,), (3, 3))),
    "solved": Case(solved, ((3, 3), (3,)), positive=True),
    "inverse": Case(inverse, ((2, 2),), positive=True),
    "log_det": Case(log_det, ((2, 2),)),
    "gp_likelihood": Case(gp_likelihood, ((3,), (3,))),
    "bilinear": Case(bilinear, ((2, 2), (2, 3, 2), (2, 2)), forward=False),
    "cropped": Case(cropped, ((2, 2), (2,)), {"n": 1}),
    "differences": Case(differences, ((4,),)),
    "backwards": Case(backwards, ((4,),)),
    "tiled": Case(tiled, ((3,),)),
    "ordered": Case(ordered, ((3,),)),
    "along axes": Case(along_axes, ((3, 3),), forward=False),
    "over no axis": Case(over_no_axis, ((3,),)),
    "by_list": Case(by_list, ((3, 2),), {"ids": (0, 2)}),
    "stages": Case(stages, ((3,),)),
    "distances": Case(distances, ((3, 2),)),
    "masked_mean": Case(masked_mean, ((2, 3), (2, 3)), mask=(1,)),
}
