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
