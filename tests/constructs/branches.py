"""Ways to go on, of which one is taken."""

import numpy as np

from .catalog import Section, array, call

SECTION = Section("Branches")
X, Y = array(3, 4), array(3, 4, seed=1)


@SECTION.example("`if`, `elif`, `else`", call(X, kind="sin"), call(X, kind="exp"), call(X, kind=""))
def elif_on_a_string(x, *, kind: str = "sin"):
    if kind == "sin":
        y = np.sin(x)
    elif kind == "exp":
        y = np.exp(x)
    else:
        y = x * x
    return y * x


@SECTION.example("`if` on a size", call(X), call(array(4)))
def branch_on_a_size(x):
    if x.ndim == 2 and x.shape[0] > 2:
        t = np.sin(x)
        t = t * x
    else:
        t = np.cos(x)
    return t * t


@SECTION.example("`if` on a scalar attribute", call(X, p=2.0), call(X, p=1.0), call(X, p=3.5))
def branch_on_a_scalar(x, *, p: float = 2.0):
    if p == 2:
        return np.sqrt(np.sum(x * x))
    if p == 1:
        return np.sum(np.abs(x))
    return np.sum(np.abs(x) ** p) ** (1 / p)


@SECTION.example("`if` without `else`", call(X, square=True), call(X, square=False))
def no_else(x, *, square: bool):
    y = np.sin(x)
    if square:
        y = y * y
    return y * x


@SECTION.example("branches in branches", call(X, n=0), call(X, n=1), call(X, n=7))
def nested_branches(x, *, n: int):
    t = x
    if n > 0:
        t = np.sin(x)
        if n > 5:
            t = t * t
            u = t + x
        else:
            u = t
    else:
        u = x
    return u * t


@SECTION.example("a value that one branch has", call(X, deep=True), call(X, deep=False))
def one_sided_value(x, *, deep: bool):
    y = x
    if deep:
        t = np.exp(x)
        y = t * t
    return y


@SECTION.example("a conditional expression", call(X, n=1), call(X, n=3))
def conditional(x, *, n: int):
    return (np.sin(x) if n > 2 else np.cos(x)) * x


@SECTION.example("`and`, `or`, `not`, `in`, `a < b < c`", call(X, n=1, on=True), call(X, n=5, on=False))
def conditions(x, *, n: int, on: bool):
    if (0 < n < 4 and on) or n in (7, 8):
        return np.sin(x)
    return x * x if not on else x


@SECTION.example("early return", call(X, n=0), call(X, n=1), call(X, n=2))
def early_return(x, *, n: int):
    if n == 0:
        return x * x
    t = np.sin(x)
    if n == 1:
        return t
    return t * t


@SECTION.example("early return of several results", call(X, full=True), call(X, full=False))
def early_tuple(x, *, full: bool):
    if full:
        return np.sin(x), np.cos(x)
    return x * x, x


@SECTION.example("`raise` under an `if`", call(X, n=1), call(X, n=-1), call(array(4), n=1))
def raising(x, *, n: int):
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    if x.ndim != 2:
        raise ValueError("a matrix is needed, not an array of shape " + str(x.shape))
    return np.sin(x) * n


@SECTION.example("`raise` in an `else`", call(X, kind="a"), call(X, kind="b"), call(X, kind="c"))
def raising_else(x, *, kind: str):
    if kind == "a":
        y = np.sin(x)
    elif kind == "b":
        y = np.exp(x)
    else:
        raise KeyError(kind)
    return y * y
