"""Writes in place, to arrays that the formula made."""

import numpy as np

from .catalog import Section, array, call

SECTION = Section("Writes in place")
X, Y = array(3, 4), array(3, 4, seed=1)


@SECTION.example("augmented assignment", call(X, Y))
def augmented(x, y):
    t = np.sin(x)
    t += y * x
    t *= t
    t -= 1
    t /= y
    return t


@SECTION.example("augmented assignment of a number, with another name", call(array(4)))
def augmented_number(x):
    total, last = 0.0, 0.0
    for value in x:
        last = total
        total += value * value
    total *= last
    return total


@SECTION.example("augmented assignment by a broadcast", call(X, array(4)))
def augmented_by_a_row(x, w):
    t = x * x
    t *= w
    return t


@SECTION.example("`out[i] = v`", call(X, array(4)))
def write_a_row(x, w):
    out = np.zeros_like(x)
    out[0] = np.sin(w)
    out[2] = x[1] * w
    return out * out


@SECTION.example("`out[:, 1:] = v` over what was there", call(X))
def write_a_slice(x):
    out = np.exp(x)
    out[:, 1:] = x[:, :-1] * out[:, :-1]
    out[..., 0] = 0.5
    return out * x


@SECTION.example("`out[:, 1:] += v`", call(X, Y))
def add_to_a_slice(x, y):
    out = x * y
    out[:, 1:] += np.sin(y)[:, 1:]
    out[0] *= x[0]
    return out


@SECTION.example("`out[mask] = v`", call(X))
def write_where(x):
    out = np.sin(x)
    out[x > 1] = 0.0
    return out * x


@SECTION.example("`out[mask] = v`, of as many values", call(X))
def write_chosen(x):
    out = x * 1.0
    out[x > 1] = np.sin(x)[x > 1] * 2
    out[x[:, 0] > 1] *= 0.5
    return out * x


@SECTION.example("`out[rows, columns] = v`, places twice", call(X, np.array([2, 0, 2]), np.array([1, 3, 1])))
def write_at_places(x, rows, columns):
    out = np.exp(x)
    out[rows, columns] = x[0, 1:]
    out[rows] *= x[:1]
    return out * x


@SECTION.example("`np.empty_like`, filled row by row", call(X, array(4)))
def fill_rows(x, w):
    out = np.empty_like(x)
    previous = w
    for k in range(x.shape[0]):
        previous = np.tanh(previous * x[k])
        out[k] = previous
    return out


@SECTION.example("`np.zeros(shape)`, filled in a loop", call(X, n=5))
def fill_zeros(x, *, n: int):
    out = np.zeros((n, 4))
    for k in range(n):
        out[k] = x[0] * k
        if k > 2:
            out[k, 1:] += np.sin(x[1, 1:])
    return out * out


@SECTION.example("a recurrence in place", call(X))
def running(x):
    out = x * 1.0
    for k in range(1, x.shape[0]):
        out[k] += out[k - 1] * x[k]
    return out


@SECTION.example("Cholesky's factor, entry by entry", call(np.eye(3) * 3 + 0.1 * array(3, 3)))
def cholesky(a):
    low = np.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(i):
            s = a[i, j]
            for k in range(j):
                s = s - low[i, k] * low[j, k]
            low[i, j] = s / low[j, j]
        low[i, i] = np.sqrt(a[i, i] - np.sum(low[i, :i] ** 2))
    return low


@SECTION.example("a write in a branch", call(X, pad=True), call(X, pad=False))
def write_in_a_branch(x, *, pad: bool):
    out = np.sin(x)
    if pad:
        out[0] = x[1]
        out[-1, -1] = 2.0
    return out * x


@SECTION.example("a write before the closure is defined", call(X), closure=True)
def write_then_capture(x):
    out = np.exp(x)
    out[0] = x[0] * 2

    def write_then_capture_pullback(grad):
        g = grad * 2 * out
        through = g * np.exp(x)
        through[0] = 2 * g[0]
        return through

    return out * out, write_then_capture_pullback
