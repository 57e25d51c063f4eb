"""Calls of helpers, of other formulas, of NumPy, SciPy and `math`."""

import math

import numpy as np
from scipy import special

import pullback as pb

from .catalog import Section, array, call

SECTION = Section("Calls")
X, Y = array(3, 4), array(3, 4, seed=1)


def affine(x, w=2.0):
    shifted = x + 1
    return shifted * w


def both(x):
    return np.sin(x), np.cos(x)


def clipped(x, low):
    if low is None:
        return x
    if low > 1:
        raise ValueError(f"low is {low}")
    return np.maximum(x, low)


def powers(x, n):
    y = x
    for _ in range(n):
        y = y * np.sin(x)
    return y


@pb.formula
def construct_swish(x, *, beta: float = 1.0):
    s = pb.sigmoid(beta * x)

    def construct_swish_pullback(grad):
        return grad * (s + beta * x * s * (1 - s))

    return x * s, construct_swish_pullback


@pb.formula
def construct_polar(x, y):
    r, phi = np.hypot(x, y), np.arctan2(y, x)

    def construct_polar_pullback(grad_r, grad_phi):
        to_x = grad_r * x / r - grad_phi * y / (r * r)
        to_y = grad_r * y / r + grad_phi * x / (r * r)
        return to_x, to_y

    return (r, phi), construct_polar_pullback


@SECTION.example("a helper of the module", call(X, Y))
def helper_of_the_module(x, y):
    return affine(x) * affine(y, w=x)


@SECTION.example("a helper with several results", call(X))
def helper_of_two(x):
    s, c = both(x)
    return s * c + x


@SECTION.example(
    "a helper that branches, raises, returns", call(X, low=0.9), call(X, low=None), call(X, low=3)
)
def helper_that_branches(x, *, low: "float | None"):
    return np.sin(clipped(x, low)) * x


@SECTION.example("a helper with a loop", call(X, n=3))
def helper_with_a_loop(x, *, n: int):
    return powers(x, n) + powers(np.cos(x), 2)


@SECTION.example("a nested helper, a lambda", call(X, Y))
def nested_helper(x, y):
    def scaled(a, by=y):
        return a * by

    twice = lambda a: 2 * a  # noqa: E731 - a lambda with a name is the construct
    return scaled(np.sin(x)) + twice(scaled(x, by=2.0))


@SECTION.example("another formula", call(X, Y))
def other_formula(x, y):
    return construct_swish(x * y, beta=0.5) + construct_swish(y)


@SECTION.example("another formula with several results", call(X, Y))
def other_formula_of_two(x, y):
    r, phi = construct_polar(x, y)
    return r * np.sin(phi)


@SECTION.example("`scipy.special`", call(X))
def special_functions(x):
    return special.erf(x) * special.logsumexp(x, axis=1, keepdims=True)


@SECTION.example("`math` of sizes and attributes", call(X, n=3))
def math_of_values(x, *, n: int):
    return x * math.sqrt(x.shape[-1]) / math.log(n) + max(n, 2) * float(n) - abs(n - 5) + min(n, x.size)


@SECTION.example("`np.diff`", call(X, Y, n=1), call(X, Y, n=2))
def differences(x, y, *, n: int):
    ends = np.diff(np.sin(x), prepend=0.0, append=y[:, :1])
    return np.diff(x * y, n, axis=0)[:1] * ends[:, :4]


@SECTION.example("`np.pad` by numbers", call(X))
def padded(x):
    round_it = np.pad(np.sin(x), 1, constant_values=0.5)
    return round_it[1:, :-1] * np.pad(x, ((1, 0), (0, 1)), constant_values=((1, 2), (3, 4)))


@SECTION.example("`np.split`, `np.array_split`, `np.hsplit`", call(X))
def split_in_parts(x):
    first, second = np.hsplit(np.sin(x), 2)
    top, middle, _ = np.split(x, [1, 2])
    longer, shorter = np.array_split(first * second, 2)
    return longer * top[:, :1] + shorter * middle[:, 1:3]


@SECTION.example("`np.median`, `np.cross`", call(X, Y))
def medians(x, y):
    middle = np.median(x * y, axis=1, keepdims=True)
    return np.cross(np.sin(x), y, axis=0) * middle + np.median(x)


def construct_bent(x, y):
    return np.sin(x) * y


@SECTION.example("`pb.vjp` of a helper", call(X, Y))
def gradient_inside(x, y):
    value, (to_x, to_y) = pb.vjp(construct_bent, (x, y), y, create_graph=True)
    return value * to_x + to_y


@SECTION.example("`pb.vjp` in `pb.vjp`", call(X, Y))
def gradient_of_a_gradient(x, y):
    def first(x):
        return pb.vjp(lambda x: np.sin(x) * x, x, y, create_graph=True)[1]

    return pb.vjp(first, x, y, create_graph=True)[1]
