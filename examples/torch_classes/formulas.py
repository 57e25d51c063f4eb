"""Operators whose published `torch.autograd.Function` has a silently wrong second derivative, as formulas.

Each captures an intermediate, as the class of its name does; here it becomes a hidden output. The mathematics
is written from the sources that are named.
"""

import numpy as np

import pullback as pb
from pullback import special

ROOT_THREE = float(np.sqrt(3.0))


@pb.formula
def mish(x):
    """x tanh(log(1 + exp(x))). D. Misra, "Mish: a self regularized activation function" (2019)."""
    t = np.tanh(np.logaddexp(x, 0.0))

    def mish_pullback(grad):
        return grad * (t + x * (1 - t * t) * special.expit(x))

    return x * t, mish_pullback


@pb.formula
def swish(x):
    """x sigmoid(x). P. Ramachandran, B. Zoph and Q. Le, "Searching for activation functions" (2017)."""
    s = special.expit(x)

    def swish_pullback(grad):
        return grad * (s + x * s * (1 - s))

    return x * s, swish_pullback


@pb.formula
def focal_loss(x, y, *, alpha: float = 0.25, gamma: float = 2.0):
    """-alpha (1 - p)^gamma log(p) where y is 1, -(1 - alpha) p^gamma log(1 - p) where it is 0.

    p is the logistic function of x. T.-Y. Lin et al., "Focal loss for dense object detection" (2017),
    equation 5.
    """
    p = special.expit(x)
    q = 1 - p
    log_p = -np.logaddexp(-x, 0.0)
    log_q = -np.logaddexp(x, 0.0)
    loss = -alpha * y * q**gamma * log_p - (1 - alpha) * (1 - y) * p**gamma * log_q

    def focal_pullback(grad):
        hit = alpha * y * q**gamma * (gamma * p * log_p - q)
        miss = (1 - alpha) * (1 - y) * p**gamma * (p - gamma * q * log_q)
        return grad * (hit + miss), None

    return loss, focal_pullback


@pb.formula
def soft_dice_loss(x, y, *, smooth: float = 1.0):
    """1 - (2 sum(p y) + s) / (sum(p^2) + sum(y) + s) with p = sigmoid(x).

    F. Milletari, N. Navab and S. Ahmadi, "V-Net" (2016), section 3.
    """
    p = special.expit(x)
    numerator = 2 * np.sum(p * y) + smooth
    denominator = np.sum(p * p) + np.sum(y) + smooth

    def dice_pullback(grad):
        slope = 2 * (y * denominator - p * numerator) / (denominator * denominator)
        return -grad * slope * p * (1 - p), None

    return 1 - numerator / denominator, dice_pullback


@pb.formula
def log_normal_cdf(x):
    """The logarithm of the normal distribution function; its slope is the inverse Mills ratio."""
    z = special.ndtr(x)

    def log_normal_cdf_pullback(grad):
        return grad * 0.3989422804014327 * np.exp(-0.5 * x * x) / z

    return np.log(z), log_normal_cdf_pullback


@pb.formula
def rbf_covariance(x, y, length):
    """exp(-(x_i - y_j)^2 / (2 length^2)). Rasmussen and Williams (2006), equation 4.9."""
    s = (np.expand_dims(x, 1) - np.expand_dims(y, 0)) / length
    e = np.exp(-0.5 * s * s)

    def rbf_pullback(grad):
        pull = grad * e * s / length
        return -np.sum(pull, axis=1), np.sum(pull, axis=0), np.sum(pull * s)

    return e, rbf_pullback


@pb.formula
def matern_covariance(x, y, length):
    """(1 + d) exp(-d), d = sqrt(3) |x_i - y_j| / length. Rasmussen and Williams (2006), equation 4.17."""
    s = ROOT_THREE * (np.expand_dims(x, 1) - np.expand_dims(y, 0)) / length
    d = np.abs(s)
    e = np.exp(-d)

    def matern_pullback(grad):
        pull = grad * e * s * ROOT_THREE / length
        return -np.sum(pull, axis=1), np.sum(pull, axis=0), np.sum(grad * e * s * s) / length

    return (1 + d) * e, matern_pullback


@pb.formula
def poincare_distance(u, v):
    """arcosh(1 + 2 |u - v|^2 / ((1 - |u|^2) (1 - |v|^2))).

    M. Nickel and D. Kiela, "Poincare embeddings for learning hierarchical representations" (2017),
    equations 1 and 4.
    """
    a = 1 - np.sum(u * u)
    b = 1 - np.sum(v * v)
    w = u - v
    c = 1 + 2 * np.sum(w * w) / (a * b)
    root = np.sqrt(c * c - 1)

    def poincare_pullback(grad):
        scale = 4 * grad / (a * b * root)
        square = np.sum(w * w)
        return scale * (w + square * u / a), scale * (square * v / b - w)

    return np.arccosh(c), poincare_pullback


@pb.formula
def prior_cross_entropy(x, y, prior):
    """-log(w_y exp(x_y) / sum_j w_j exp(x_j)), summed over rows, with classes in proportions w.

    J. Ren et al., "Balanced meta-softmax for long-tailed visual recognition" (2020), equation 3.
    """
    e = prior * np.exp(x - np.max(x, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)

    def prior_pullback(grad):
        return grad * (p - y), None, None

    return -np.sum(y * np.log(p)), prior_pullback


@pb.formula
def gp_likelihood(x, y, *, noise: float = 0.1):
    """-(y^T K^-1 y + log det K) / 2 of a Gaussian process, K = exp(-(x_i - x_j)^2 / 2) + noise.

    Rasmussen and Williams (2006), equations 5.8 and 5.9.
    """
    d = np.expand_dims(x, 1) - np.expand_dims(x, 0)
    e = np.exp(-0.5 * d * d)
    k = e + noise * np.eye(x.shape[0], dtype=x.dtype)
    inverse = np.linalg.inv(k)
    alpha = inverse @ y
    chol = np.linalg.cholesky(k)

    def gp_pullback(grad):
        weight = 0.5 * (np.outer(alpha, alpha) - inverse)
        return -2 * grad * np.sum(weight * e * d, axis=1), -grad * alpha

    return -0.5 * (y @ alpha) - np.sum(np.log(np.diagonal(chol))), gp_pullback
