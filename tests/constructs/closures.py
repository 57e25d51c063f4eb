"""Closures: what they capture, and how they are written."""

import numpy as np

from .catalog import Section, array, call

SECTION = Section("Closures")
X, Y = array(3, 4), array(3, 4, seed=1)


@SECTION.example("a captured intermediate", call(X, Y), closure=True)
def captured(x, y):
    t = x + y
    r = t * y

    def captured_pullback(grad):
        return grad * y, grad * t + grad * y

    return r, captured_pullback


@SECTION.example("a lambda", call(X), closure=True)
def as_lambda(x):
    y = np.exp(x)
    return y, lambda grad: grad * y


@SECTION.example("a default argument", call(X), closure=True)
def by_default_argument(x):
    t = np.sin(x)

    def pullback(grad, t=t):
        return 2 * grad * t * np.cos(x)

    return t * t, pullback


@SECTION.example("several results", call(X), closure=True)
def closure_of_two(x):
    s, c = np.sin(x), np.cos(x)

    def pullback(grad_s, grad_c):
        return grad_s * c - grad_c * s

    return (s, c), pullback


@SECTION.example("a rule by hand", call(X, Y), closure=True)
def rule(x, y):
    t = x * y

    def pullback(grad, grad_t):
        g = grad_t + 2 * t * grad
        return g * y, g * x

    return t * t, pullback


@SECTION.example("`is None` of an input and of a gradient", call(X, Y), call(X, None), closure=True)
def asks_for_none(x, y: "Tensor | None" = None):  # noqa: F821 - an annotation of the formula language, never evaluated
    r = x * x if y is None else x * y

    def pullback(grad):
        if y is None:
            return 2 * grad * x, None
        return grad * y, grad * x

    return r, pullback


@SECTION.example("a value captured from a branch", call(X, deep=True), call(X, deep=False), closure=True)
def captured_from_a_branch(x, *, deep: bool):
    if deep:
        t = np.exp(x)
        r = t * t
    else:
        r = x * x

    def pullback(grad):
        if deep:
            return 2 * grad * t * t
        return 2 * grad * x

    return r, pullback


@SECTION.example("a list captured from a loop", call(X, n=3), call(X, n=0), closure=True)
def captured_from_a_loop(x, *, n: int):
    y = x
    terms = []
    for _ in range(n):
        terms.append(y)
        y = np.sin(y)

    def pullback(grad):
        for k in reversed(range(n)):
            grad = grad * np.cos(terms[k])
        return grad

    return y * 1.0, pullback


@SECTION.example("a value captured from a helper", call(X), closure=True)
def captured_from_a_helper(x):
    def shifted(a):
        t = np.exp(a)
        return t + 1, t

    u, t = shifted(x)

    def pullback(grad):
        return 2 * grad * u * t

    return u * u, pullback


@SECTION.example("closures behind an `if`", call(X, up=True), call(X, up=False), closure=True)
def closures_behind_an_if(x, *, up: bool):
    if up:
        t = np.exp(x)
        r = t * x

        def pullback(grad):
            return grad * (t + r)

    else:
        s = np.sin(x)
        r = s * s

        def pullback(grad):
            return 2 * grad * s * np.cos(x)

    return r, pullback


@SECTION.example("early returns with their closures", call(X, n=0), call(X, n=1), call(X, n=2), closure=True)
def early_closures(x, *, n: int):
    if n == 0:
        return x * 1.0, lambda grad: grad
    t = np.exp(x)
    if n == 1:

        def once_pullback(grad):
            return grad * t

        return t, once_pullback
    u = t * t

    def twice_pullback(grad):
        return 2 * grad * u

    return u, twice_pullback


@SECTION.example("`raise` in a closure", call(X, n=1), call(X, n=5), closure=True)
def raise_in_a_closure(x, *, n: int):
    t = np.exp(x)

    def pullback(grad):
        if n > 3:
            raise ValueError(f"the gradient of order {n} is not known")
        return n * grad * t

    return n * t, pullback


@SECTION.example("loops, branches and writes in a closure", call(X, n=3), closure=True)
def busy_closure(x, *, n: int):
    total = x * 0.0
    for k in range(n):
        total = total + x ** (k + 1)

    def pullback(grad):
        g = np.zeros_like(x)
        for k in range(n):
            if k == 0:
                g += grad
            else:
                g += (k + 1) * grad * x**k
        return g

    return total, pullback


@SECTION.example("a helper in a closure", call(X), closure=True)
def helper_in_a_closure(x):
    s = np.sin(x)

    def squared(a):
        return a * a

    def pullback(grad):
        return grad * 2 * s * np.sqrt(1 - squared(s)) * np.sign(np.cos(x))

    return squared(s), pullback


@SECTION.example("a gradient that is None on one side", call(X, Y, n=1), call(X, Y, n=2), closure=True)
def one_sided_gradient(x, y, *, n: int):
    if x.shape[0] > n + 1:
        t = np.sin(x)

        def pullback(grad):
            return grad * y * np.cos(x), grad * t

        return t * y, pullback

    def pullback(grad):
        return grad * 2, (grad if n > 2 else None)

    return x * 2 + (y if n > 2 else 0), pullback


@SECTION.example(
    "closures behind an `if`, with a list and several results",
    call(X, Y, n=1),
    call(X, Y, n=3, kind="iterations"),
    call(X, Y, n=3, kind="product"),
    closure=True,
)
def closures_with_a_list(x, y, *, n: int, kind: str = "sine"):
    if kind == "sine":
        return (np.sin(x), x * y), lambda g, h: (g * np.cos(x) + h * y, h * x)
    if kind == "iterations":
        before = []
        t = x
        for _ in range(n):
            before.append(t)
            t = np.sin(t)

        def through_turns(g, h):
            out = g
            for q in before:
                out = out * np.cos(q)
            return out + h, h * y

        return (t, x + y * y / 2), through_turns
    v = x * y
    return (v, v * v), lambda g, h: (g * y + 2 * h * v * y, g * x + 2 * h * v * x)


@SECTION.example(
    "closures behind an `if`, with writes and branches",
    call(X, Y, n=1),
    call(X, Y, n=3),
    call(X, Y, n=4),
    closure=True,
)
def closures_with_writes(x, y, *, n: int):
    if x.shape[0] > n:
        w = np.zeros_like(x)
        w[1:] = np.sin(x[1:])

        def of_rows(g):
            z = np.zeros_like(x)
            z[1:] = (g * y)[1:] * np.cos(x[1:])
            return z, g * w

        return w * y, of_rows
    c = np.cos(x)
    if n > 3:
        d = c * y
        return d * d, lambda g: (-2 * g * np.sin(x) * y * d, 2 * g * c * d)
    return c * y, lambda g: (-g * np.sin(x) * y, g * c)
