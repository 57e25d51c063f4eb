"""Reading parts of arrays."""

import numpy as np

from .catalog import Section, array, call

SECTION = Section("Indexing")
X = array(3, 4)
ROWS, COLUMNS = np.array([2, 0, 2]), np.array([1, 3, 1])


@SECTION.example("numbers, slices, `...`, `None`", call(X))
def basic(x):
    return x[1] * x[..., -1:, None, 0] + x[::-1, 1:3].sum() * x[0, 2]


@SECTION.example("a slice by sizes", call(X, k=2))
def slice_by_sizes(x, *, k: int):
    n = x.shape[1] // 2
    return x[:, :n] * x[:, n:] + x[:, k : k + 1]


@SECTION.example("an array of positions", call(X, ROWS))
def take(x, rows: "Tensor"):  # noqa: F821 - an annotation of the formula language, never evaluated
    return np.sin(x)[rows] * 2


@SECTION.example("arrays of positions, one per axis", call(X, ROWS, COLUMNS))
def pairs(x, rows, columns):
    return np.sin(x)[rows, columns] * x[0, 0]


@SECTION.example("an array and slices", call(X, COLUMNS))
def array_and_slice(x, columns):
    return x[:, columns] * x[1:2, columns]


@SECTION.example("a mask", call(X))
def masked(x):
    return np.sum(np.sin(x)[x > 1] ** 2) * x


@SECTION.example("entries where a mask is true, as a result", call(X))
def selected(x):
    chosen = np.sin(x)[x > 1]
    return chosen * chosen, np.exp(x[:, 1:])[x[:, 1:] < 1]


@SECTION.example("arrays, numbers, `None` and slices", call(array(3, 4, 2), ROWS, COLUMNS))
def mixed_index(x, rows, columns):
    apart = x[rows, :, 1] * x[1, :, columns % 2]
    return apart, x[None, rows, columns] * x[..., columns % 2][1, 2, 0], x[rows[:, None], columns]


@SECTION.example("`x[i, j]` in a loop", call(X, n=3))
def elements(x, *, n: int):
    total = 0.0
    for k in range(n):
        total = total + x[k, k] * np.sin(x[k, 0])
    return total * x


@SECTION.example("a slice behind an `if`", call(X, n=2), call(X, n=3))
def chosen_slice(x, *, n: int):
    t = np.sin(x)
    i = slice(0, n) if x.shape[0] > n else slice(1, None)
    return t[i] * x[i]


@SECTION.example("a number, `...`, `None` or a slice behind an `if`", call(X, n=2), call(X, n=3))
def chosen_item(x, *, n: int):
    few = x.shape[0] > n
    at = 1 if few else slice(0, 2)
    whole = ... if few else slice(0, 2)
    axis = None if few else slice(0, 2)
    pair = (slice(0, 2), None) if few else (slice(1, 3), 0)
    t = np.exp(x)
    return t[at].sum() * t[whole].sum(0) + t[axis].sum() * t[pair].sum()


@SECTION.example("a bound that may be `None`", call(X, n=2), call(X, n=3))
def bound_or_none(x, *, n: int):
    stop = None if x.shape[0] > n else 2
    y = np.exp(x)[:stop] * x[:stop]
    if stop is None:
        return y
    return y * stop


@SECTION.example("a slice that each iteration of a loop chooses", call(X, n=2))
def slice_of_an_iteration(x, *, n: int):
    out = x * x
    for k in range(x.shape[0] - 1):
        i = slice(0, n) if k % 2 == 0 else slice(1, 3)
        t = np.sin(out[i])
        out[i] = t * t
    return out


@SECTION.example("a slice captured from a branch", call(X, n=2), call(X, n=3), closure=True)
def captured_slice(x, *, n: int):
    i = slice(0, 2) if x.shape[0] > n else None
    t = np.sin(x)

    def pullback(grad):
        if i is None:
            return grad[0] * np.cos(x)
        whole = np.zeros_like(x)
        whole[i] = grad * np.cos(x[i])
        return whole

    return t[i], pullback


@SECTION.example("an array of positions, in a loop", call(X, ROWS))
def positions_in_a_loop(x, rows):
    total = 0.0
    for k in range(x.shape[1]):
        total = total + np.sin(x[rows, k]).sum()
        if k > 0:
            total = total * x[rows, 0].sum()
    return total


@SECTION.example("an array of positions behind an `if`", call(X, ROWS, n=2), call(X, ROWS, n=3))
def chosen_positions(x, rows, *, n: int):
    i = rows if x.shape[0] > n else np.argsort(-x[:, 0])
    return np.sin(x)[i] * x[i]
