"""Loops, written out or run."""

import numpy as np

from .catalog import Section, array, call

SECTION = Section("Loops")
X, Y = array(3, 4), array(3, 4, seed=1)


@SECTION.example("`for` over literal numbers", call(X))
def literal_range(x):
    y = x
    for k in range(1, 4):
        y = np.sin(y) * k
    return y


@SECTION.example("`for` over `range(n)`", call(X, n=3), call(X, n=0))
def counted(x, *, n: int):
    y = x
    for k in range(n):
        y = np.sin(y) + k * x
    return y


@SECTION.example("`range` with start, stop and step", call(X, n=6))
def stepped(x, *, n: int):
    y = x
    for k in range(1, n, 2):
        y = y + np.sin(k * y)
    return y


@SECTION.example("`reversed(range(n))`", call(X, n=3))
def backwards(x, *, n: int):
    y = x
    for k in reversed(range(n)):
        y = np.sin(y) * (k + 1)
    return y


@SECTION.example("`for` over a list of tensors", call([X, Y, X + Y], X))
def over_a_list(xs: "list[Tensor]", y):  # noqa: F821 - an annotation of the formula language, never evaluated
    product = np.ones_like(y)
    for x in xs:
        product = product * np.sin(x * y)
    return product


@SECTION.example("`enumerate` and `zip` of lists", call([X, Y], [Y, X]))
def zipped(xs: "list[Tensor]", ys: "list[Tensor]"):  # noqa: F821 - an annotation of the formula language, never evaluated
    total = 0.0
    for k, (x, y) in enumerate(zip(xs, ys)):  # noqa: B905
        total = total + np.sin(x) * y * (k + 1)
    return total


@SECTION.example("`for` over the rows of a tensor", call(X, array(4)))
def over_rows(x, y):
    total = 0.0
    for row in x:
        total = total + np.tanh(row * total) * y + row
    return total


@SECTION.example("a list that grows", call(X, n=3))
def collected(x, *, n: int):
    parts = []
    y = x
    for _ in range(n):
        y = np.sin(y)
        parts.append(y)
    return np.stack(parts) * x


@SECTION.example("a list that grows backwards, `.reverse()`", call(X, n=3))
def collected_backwards(x, *, n: int):
    parts, weights = [], []
    y = x
    for k in reversed(range(n)):
        y = np.sin(y) * x
        parts.append(y)
        weights.append(k + 1)
    ordered = np.stack(parts) * weights[0]
    parts.reverse()
    return ordered + parts[0]


@SECTION.example("`append` in a branch, `continue`, `break`", call(array(4), n=5), call(array(4), n=1))
def append_in_a_branch(x, *, n: int):
    parts, weights = [], []
    y = x
    for k in range(n):
        y = np.tanh(y)
        if k == 2:
            continue
        parts.append(y[: k + 1] * x[0])
        if k > 2:
            weights.append(k)
            break
    total = np.concatenate(parts) ** 2
    for weight in weights:
        total = np.sin(total) * weight
    return total


@SECTION.example("`append` in an inner loop, `sum`", call(array(4, 2)))
def append_in_an_inner_loop(x):
    distances = []
    for i in range(x.shape[0]):
        for j in range(i):
            distances.append(np.sum((x[i] - x[j]) ** 2))
    return np.sqrt(np.stack(distances)) * sum(distances)


@SECTION.example("a list that is read while it grows", call(X, n=3))
def read_while_it_grows(x, *, n: int):
    parts = [x]
    for k in range(n):
        parts.append(np.sin(parts[-1]) * len(parts))
        parts.append(parts[k] * x)
    return sum(parts)


@SECTION.example("lists of several lengths behind an `if`", call(X, more=True), call(X, more=False))
def lists_behind_a_branch(x, *, more: bool):
    parts = [x]
    if more:
        parts.append(np.sin(x))
        parts.append(np.cos(x) * x)
    return np.concatenate(parts) ** 2


@SECTION.example("a list comprehension", call([X, Y]))
def comprehension(xs: "list[Tensor]"):  # noqa: F821 - an annotation of the formula language, never evaluated
    return np.stack([np.sin(x) * x for x in xs])


@SECTION.example("a comprehension in a comprehension, with conditions", call(array(4)))
def nested_comprehensions(x):
    n = len(x)
    table = np.array([[x[i] * np.sin(x[j]) for j in range(n)] for i in range(n)])
    return table * sum([x[i] * x[j] for i in range(n) for j in range(n) if i != j])


@SECTION.example("a `while` loop that counts", call(array(4)))
def counting_while(x):
    i, out = 1, x * x
    while i < len(out) and i < 3:
        out[i] += 0.5 * out[i - 1]
        i += 1
    return out * i


@SECTION.example("parts of a list that grows, turned round", call(array(4)))
def parts_of_a_list(x):
    sums = [x[0] * x[1]]
    for value in x:
        sums.append(sums[-1] + value * value)
    return np.array(sums[1:]) * np.array(sums[::-1][:-1])


@SECTION.example("loops in loops", call(X, n=2, m=2))
def nested_loops(x, *, n: int, m: int):
    for k in range(n):
        for _ in range(m):
            x = np.sin(x) + 0.1 * x * k
    return x


@SECTION.example("a loop whose length an outer iteration sets", call(array(4), n=4), call(array(4), n=0))
def triangle(x, *, n: int):
    y = x
    for i in range(n):
        for j in range(i):
            t = np.sin(y) * x[j]
            y = t * np.exp(-t)
        for j in range(i + 1, n):
            y = np.tanh(y) * 0.5 + x[j]
    return y


@SECTION.example("slices that grow in a loop", call(array(4), n=3))
def growing_slices(x, *, n: int):
    total, parts = 0.0, []
    for i in range(n):
        t = np.exp(x[:i]) * x[i]
        total = total + np.sum(t * np.sin(t))
        parts.append(t)
    return total * np.concatenate(parts)


@SECTION.example("a value that is broadcast from one iteration to the next", call(array(3), array(2, 3), n=3))
def broadcast_in_a_loop(x, z, *, n: int):
    total = 0.0
    for _ in range(n):
        total = total + np.sum(x * np.sin(x))
        x = x * z
    return total * x


@SECTION.example("`for` over tensors of several shapes", call([array(1, 3), array(2, 3), array(2)]))
def over_several_shapes(xs: "list[Tensor]"):  # noqa: F821 - an annotation of the formula language, never evaluated
    total = 0.0
    for x in xs:
        t = np.exp(x) * 0.5
        total = total + np.sum(t * np.sin(t))
    return total


@SECTION.example("a branch in a loop", call(X, n=4))
def branch_in_a_loop(x, *, n: int):
    y = x
    for k in range(n):
        if k % 2 == 0:
            y = np.sin(y)
        else:
            t = np.exp(-y)
            y = t * x
    return y


@SECTION.example("a loop in a branch", call(X, n=3), call(X, n=0))
def loop_in_a_branch(x, *, n: int):
    y = x
    if n > 0:
        for _ in range(n):
            y = np.sin(y) * x
    return y


@SECTION.example("early return in a loop", call(X, n=4, stop=2), call(X, n=4, stop=9), call(X, n=0, stop=0))
def return_in_a_loop(x, *, n: int, stop: int):
    y = x
    for k in range(n):
        y = np.sin(y) + 0.5 * x
        if k == stop:
            return y * y
    return y


@SECTION.example("`break` and `continue`", call(X, n=5, stop=3), call(X, n=3, stop=9), call(X, n=0, stop=0))
def break_and_continue(x, *, n: int, stop: int):
    y = x
    for k in range(n):
        if k == stop:
            break
        y = np.sin(y) + 0.5 * x
        if k == 1:
            continue
        y = y * x
    return y * x


@SECTION.example(
    "`break` and `return` in written-out loops", call(X, stop=1), call(X, stop=2), call(X, stop=7)
)
def break_in_a_literal_loop(x, *, stop: int):
    y = x
    for k in range(2):
        if k == stop:
            break
        y = np.sin(y) + x
    for k in range(4):
        if k == stop + 1:
            break
        if k == stop:
            return y
        y = y + np.cos(x)
    return y * x


@SECTION.example("early return in a written-out loop", call(X, stop=1), call(X, stop=5))
def return_in_a_literal_loop(x, *, stop: int):
    y = x
    for k in range(3):
        if k == stop:
            return y * y
        y = np.sin(y) + 0.5 * x
    return y


@SECTION.example("`raise` in a loop", call(X, n=2), call(X, n=5))
def raise_in_a_loop(x, *, n: int):
    y = x
    for k in range(n):
        if k > 3:
            raise ValueError(f"iteration {k} of {n} is one too many")
        y = np.sin(y)
    return y


@SECTION.example("a value of the last iteration", call(X, n=3))
def last_iteration(x, *, n: int):
    y = x
    for _ in range(n):
        t = np.sin(y)
        y = t * x
    return y * t


@SECTION.example("a list that an inner loop reads before it grows", call(array(3, 2)))
def gram_schmidt(x):
    basis = []
    for j in range(x.shape[1]):
        v = x[:, j]
        for u in basis:
            v = v - (u @ v) * u
        basis.append(v / np.sqrt(np.sum(v * v)))
    return np.stack(basis, axis=1)
