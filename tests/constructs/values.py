"""Inputs, attributes and results."""

import math

import numpy as np

from .catalog import Section, array, call

SECTION = Section("Inputs, attributes, results")
HALF = 0.5
X, Y = array(3, 4), array(3, 4, seed=1)


@SECTION.example("a tuple of results", call(X, Y))
def two_results(x, y):
    s = np.sin(x) * y
    return s, s * y


@SECTION.example("a tuple of one result", call(X))
def one_in_a_tuple(x):
    return (np.sin(x),)


@SECTION.example("an optional tensor", call(X, Y), call(X, None))
def optional_tensor(x, y: "Tensor | None" = None):  # noqa: F821 - an annotation of the formula language, never evaluated
    if y is None:
        return np.sin(x)
    return np.sin(x) * y


@SECTION.example("a list of tensors", call([X, Y, X * Y]))
def list_of_tensors(xs: "list[Tensor]"):  # noqa: F821 - an annotation of the formula language, never evaluated
    return np.concatenate(xs, axis=0) * 2 + np.sum(xs[0])


@SECTION.example("parts of shapes, put together to others", call(X, k=2), call(array(2, 3, 4), k=1))
def parts_of_shapes(x, *, k: int):
    n, m = x.shape[-2:]
    rows = np.reshape(np.sin(x), x.shape[:-1] + (1, m))  # noqa: RUF005 - sums of tuples are what is tried
    stacked = np.broadcast_to(rows, (k, *rows.shape)) * np.full(x.shape[:-1] + (1, 1), 2.0)  # noqa: RUF005 - a tuple behind a part is tried
    return stacked * n * np.ones((k,) + x.shape[-1:])  # noqa: RUF005 - a tuple before a part is tried


@SECTION.example("an `int` attribute", call(X, n=2), call(X, n=3))
def int_attribute(x, *, n: int):
    return np.sin(x) * n + x**n


@SECTION.example("a `float` attribute", call(X, slope=0.3))
def float_attribute(x, *, slope: float = 0.1):
    return np.where(x > 1, x * x, slope * x)


@SECTION.example("a `bool` attribute", call(X, exact=True), call(X, exact=False))
def bool_attribute(x, *, exact: bool):
    return np.tanh(x) if exact else x - x**3 / 3


@SECTION.example("a `str` attribute", call(X, reduction="mean"), call(X, reduction="none"))
def str_attribute(x, *, reduction: str = "mean"):
    loss = np.square(x)
    return np.mean(loss) if reduction == "mean" else loss


@SECTION.example("an attribute before the `*`", call(X, slope=0.3), call(X, slope=0.3, reduction="sum"))
def positional_attribute(x, slope: float, reduction: str = "mean"):
    y = np.where(x > 0, x, slope * x) * x
    return np.mean(y) if reduction == "mean" else np.sum(y)


@SECTION.example("axes as an attribute", call(X, axis=(0, 1)), call(X, axis=1), call(X, axis=None))
def axes_attribute(x, *, axis: "int | tuple[int, ...] | None" = None):
    return np.sum(np.sin(x) * x, axis=axis, keepdims=True) * x


@SECTION.example("a dtype as an attribute", call(X, dtype=np.float64))
def dtype_attribute(x, *, dtype: "dtype" = np.float64):  # noqa: F821 - an annotation of the formula language, never evaluated
    return np.sin(x).astype(dtype) * x


@SECTION.example("a number of the module", call(X))
def module_number(x):
    return HALF * x * x + math.sqrt(2) * np.sqrt(2.0) * np.pi


@SECTION.example("sizes and shapes", call(X))
def sizes(x):
    rows, columns = x.shape
    return np.reshape(x, (columns, rows)) / x.size * x.shape[-1] + x.ndim


@SECTION.example("`np.einsum`", call(X, array(4, 5)))
def einsum(x, y):
    return np.einsum("ij,jk->ik", x, y)


@SECTION.example("`np.einsum` of three, and a diagonal", call(array(3, 3), array(3, 2), array(2)))
def einsum_of_three(x, y, z):
    return np.einsum("ii,ij,j->i", x, y, z)


@SECTION.example("reductions, `@`, broadcasting", call(X, array(4)))
def reductions(x, w):
    centered = x - np.mean(x, axis=-1, keepdims=True)
    return centered @ w + np.max(x, axis=1)


@SECTION.example("`np.eye`, `np.tri`", call(array(3, 3), k=1), call(array(2, 2), k=0))
def made_of_numbers(x, *, k: int):
    n = x.shape[0]
    lower = np.where(np.tri(n, dtype=bool), x, 0.0)
    return lower @ (x + 2 * np.eye(n)) + np.eye(n, k=k) * x


@SECTION.example("`np.arange` of a length and a step", call(X, k=2))
def arange_by_steps(x, *, k: int):
    return np.sin(x)[np.arange(x.shape[0], step=k)] * 2


@SECTION.example("`np.full`, `np.full_like`, `np.identity`", call(array(3, 3), k=2))
def filled(x, *, k: int):
    first = np.full((k, 3), 0.5) * x[:k] + np.full(x.shape, k)[:k]
    return np.sum(first, axis=0) * np.identity(3) + np.full_like(x, 2.5) @ x


@SECTION.example("arrays of several dtypes joined", call(X))
def joined_dtypes(x):
    return np.concatenate([x, np.ones((3, 1)), np.full((3, 2), 7)], axis=1) * np.sin(x[:, :1])


@SECTION.example("`if` on a dtype", call(X))
def chosen_by_dtype(x):
    if x.dtype == np.bool_:
        return np.where(x, 1.0, 0.0)
    return np.sin(x) * 2 if x.dtype == np.float64 else np.cos(x) * x


@SECTION.example("`np.kron`, `np.vecdot`, `np.trapezoid`, `np.ptp`", call(X, array(4)))
def composed_functions(x, w):
    blocks = np.kron(x, w)[:, :4] * np.vecdot(x, w)[:, None]
    return blocks * np.ptp(x, axis=1, keepdims=True) + np.trapezoid(x, dx=0.5)[:, None]


@SECTION.example("`np.diag`, `np.rot90`, `np.column_stack`, `np.polyval`", call(X, array(3)))
def rearranging_functions(x, w):
    beside = np.column_stack([w, np.rot90(x)[:3], np.append(w, w)[:3]])
    return np.diag(w) @ beside * np.polyval(w, np.sin(w))[:, None]
