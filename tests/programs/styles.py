"""Flags, swaps, states, builtins, negative steps, nested helpers: the language as many people write it."""

import math
from itertools import pairwise

import numpy as np

from .samples import normal, positive


def traffic_light(x, *, steps: int = 6):
    """A machine of three states, each with a gain of its own."""
    state = 0
    total = 0.0
    for i in range(steps):
        if state == 0:
            total = total + np.sin(x)
            state = 1
        elif state == 1:
            total = total * 0.5 + x
            state = 2 if i > 3 else 0
        else:
            total = total - x**2
            state = 0
    return total


def vending_machine(x, *, events: str = "coin,push,coin,coin,push"):
    """A machine that reads events from a text."""
    locked, paid = True, x * 0.0
    for event in events.split(","):
        if event == "coin":
            locked = False
            paid = paid + x
        elif event == "push" and not locked:
            locked = True
            paid = paid * 0.9
    return paid


def newton_with_flag(a, *, limit: int = 20):
    """A loop that a flag ends: nothing happens in the iterations that are left."""
    x = a * 0.5 + 0.5
    done = False
    for _ in range(limit):
        if not done:
            new = 0.5 * (x + a / x)
            done = bool(np.max(np.abs(new - x)) < 1e-12)
            x = new
    return x


def newton_with_break(a, *, limit: int = 20, tolerance: float = 1e-12):
    """The same with a way out."""
    x = a * 0.5 + 0.5
    for _ in range(limit):
        new = 0.5 * (x + a / x)
        if np.abs(new - x).max() < tolerance:
            break
        x = new
    return x


def fibonacci_swap(x, y, *, n: int = 6):
    """A swap of two names in every iteration."""
    a, b = x, y
    for _ in range(n):
        a, b = b, 0.5 * (a + b)
    return b


def rotate_three(x, y, z, *, n: int = 4):
    """Three names that move round."""
    for _ in range(n):
        x, y, z = y, z, np.tanh(x) + z
    return x + 2 * y + 3 * z


def swap_rows(z):
    """Two rows that change places in an array."""
    m = z.copy()
    m[[0, 2]] = m[[2, 0]]
    return m * np.arange(m.shape[0])[:, None]


def swap_through_a_copy(z):
    m = z * 1.0
    row = m[0].copy()
    m[0] = m[1]
    m[1] = row
    return m @ m.T


def welford(x):
    """Running mean and variance."""
    mean = 0.0
    m2 = 0.0
    for count, value in enumerate(x, start=1):
        delta = value - mean
        mean += delta / count
        m2 += delta * (value - mean)
    return mean, m2 / (len(x) - 1)


def exponential_averages(x, *, decays: "tuple[float, ...]" = (0.9, 0.5)):
    """An average for each of several decays."""
    found = []
    for decay in decays:
        average = x[0]
        for value in x[1:]:
            average = decay * average + (1 - decay) * value
        found.append(average)
    return np.array(found)


def running_maximum(x):
    best = x[0]
    out = [best]
    for v in x[1:]:
        best = np.maximum(best, v)
        out.append(best)
    return np.stack(out)


def drawdown(prices):
    """The largest fall from a peak so far."""
    peak = np.maximum.accumulate(prices)
    return np.max((peak - prices) / peak)


def count_weighted(x, *, low: float = 0.6, high: float = 1.6):
    """A chained comparison of numbers, and of an array by two."""
    inside = (low < x) & (x < high)
    if 0 < low < high <= 2:
        return np.sum(x[inside] ** 2) / max(int(np.sum(inside)), 1)
    return np.sum(x)


def clip_by_masks(x, *, low: float = 0.7, high: float = 1.5):
    y = x.copy()
    y[y < low] = low
    y[y > high] = high
    return y * x


def leaky(x):
    """Writes by a mask and by its complement."""
    out = np.empty_like(x)
    positive_part = x > 0
    out[positive_part] = x[positive_part] ** 2
    out[~positive_part] = 0.1 * x[~positive_part]
    return out


def stencil_in_place(u, *, steps: int = 3, r: float = 0.1):
    """An augmented assignment to a slice."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += r * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def scale_columns(z, w):
    m = z.copy()
    for j in range(m.shape[1]):
        m[:, j] *= w[j]
    m[::2] -= 1.0
    m[-1] /= 2.0
    return m


def backward_substitution(u, b):
    """From the last unknown to the first."""
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - u[i, i + 1 :] @ x[i + 1 :]) / u[i, i]
    return x


def palindromic(x):
    """Negative steps in slices."""
    return np.sum(x * x[::-1]) + np.sum(x[-2::-2]) + np.sum(x[3:0:-1] * x[1:4])


def distances(x, y):
    """A table by np.newaxis."""
    difference = x[:, np.newaxis] - y[np.newaxis, :]
    return np.sqrt(np.sum(difference**2, axis=-1) + 1e-6)


def soft_assign(x, centres, *, temperature: float = 0.5):
    d = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    w = np.exp(-d / temperature)
    return (w / w.sum(axis=1, keepdims=True)).T @ x


def builtins_of_lists(x, y):
    """sum, min, max and abs of Python."""
    terms = [x[0] * y[1], x[1] * y[0], abs(x[2] - y[2])]
    return sum(terms) * max(terms) - min(terms) + max(x[0], y[0]) + abs(-y[1])


def power_sum(x, *, degree: int = 4):
    return sum(x**k / math.factorial(k) for k in range(1, degree + 1))


def trapezoid_pairs(x, y):
    """Neighbours by zip of a slice."""
    area = 0.0
    for (x0, x1), (y0, y1) in zip(zip(x, x[1:]), zip(y, y[1:])):  # noqa: B905, RUF007 - as people write it
        area += 0.5 * (x1 - x0) * (y0 + y1)
    return area


def trapezoid_pairwise(x, y):
    return sum((b - a) * 0.5 for a, b in pairwise(x)) * np.mean(y)


def weighted_reversed(x, w):
    total = 0.0
    for xi, wi in zip(reversed(x), w):  # noqa: B905 - as people write it
        total = total * wi + xi
    return total


def enumerate_of_zip(x, y):
    out = np.zeros_like(x)
    for i, (a, b) in enumerate(zip(x, y)):  # noqa: B905 - as people write it
        out[i] = a * b + i
    return out


def lists_of_lists(x, *, rows: int = 3):
    """A table as nested comprehensions."""
    table = [[np.sin(x[0] * i) + x[1] * j for j in range(2)] for i in range(rows)]
    return np.array([sum(row) for row in table])


def triangle_of_lists(x, *, depth: int = 4):
    """Pascal's rule on a list that is built anew."""
    row = [x]
    for _ in range(depth):
        row = [x, *[a + b for a, b in pairwise(row)], x]
    return row[len(row) // 2]


def work_list(x, *, depth: int = 3):
    """Recursion by a list of what is left to do."""
    todo = [x]
    total = 0.0
    for _ in range(depth):
        following = []
        for part in todo:
            total = total + np.sum(part**2)
            following.append(part * 0.5)
            following.append(np.sin(part))
        todo = following
    return total


def nested_helpers(x, *, scale: float = 0.5):
    """Functions inside, which read what surrounds them, and call each other."""

    def bump(t):
        return np.exp(-(t**2) / scale)

    def twice(f, t):
        return f(f(t))

    return twice(bump, x) + bump(x)


def helper_with_defaults(x):
    def ramp(t, low=0.2, *, high=1.0):
        return np.clip(t, low, high) ** 2

    return ramp(x) + ramp(x, 0.5) + ramp(x, high=2.0)


def checked(x, *, kind: str = "mean"):
    """An error with the values that caused it."""
    if x.ndim != 1:
        raise ValueError(f"expected one axis, got {x.ndim} ({x.shape!r})")
    if kind not in ("mean", "sum"):
        raise ValueError(f"unknown kind {kind!r}: use 'mean' or 'sum'")
    return np.mean(x) if kind == "mean" else np.sum(x)


def by_table(x, *, name: str = "relu"):
    """A text that chooses a function from a dictionary."""
    functions = {"relu": np.maximum(x, 0.0), "tanh": np.tanh(x), "square": x * x}
    return functions[name]


def matched(x, *, kind: str = "cubic"):
    match kind:
        case "linear":
            return x
        case "quadratic" | "square":
            return x**2
        case _:
            return x**3


def walrus(x):
    if (total := np.sum(x)) > 1.0:
        return x / total
    return x


def asserted(x, y):
    assert x.shape == y.shape, "shapes differ"
    return x * y


def string_of_letters(x, *, program: str = "aabba"):
    """A word whose letters are steps."""
    for letter in program:
        x = np.sin(x) if letter == "a" else 0.5 * x**2
    return x


def lindenmayer(x, *, rounds: int = 3):
    """A text that grows by its own rules."""
    text = "a"
    for _ in range(rounds):
        text = text.replace("a", "ab")
    return x * len(text)


def early_ways_out(x, *, mode: int = 2):
    if mode == 0:
        return x
    y = np.sin(x)
    if mode == 1:
        return y
    for k in range(3):
        y = y * x + k
        if np.sum(y) > 3.0:
            return y / 2
    return -y


def try_and_except(x):
    try:
        y = np.linalg.inv(x)
    except np.linalg.LinAlgError:
        y = x
    return y


def mean_of_matching(x, *, parity: int = 0):
    """A comprehension with a condition on the position."""
    chosen = [value for i, value in enumerate(x) if i % 2 == parity]
    return sum(chosen) / len(chosen)


def starred(x):
    first, *rest = x
    return first * sum(rest)


def diagonal_by_index(z):
    i = np.arange(min(z.shape))
    m = z.copy()
    m[i, i] = 0.0
    return np.sum(m, axis=1) + z[i, i].sum()


def cumulative_by_hand(x):
    out = np.zeros(len(x) + 1)
    for i in range(1, len(x) + 1):
        out[i] = out[i - 1] + x[i - 1]
    return (out[1:] - out[:-1]) ** 2 + out[-1]


def ternaries(x, *, n: int = 3):
    y = x if n > 2 else 2 * x
    return (y if n % 2 else -y) * (1 if x.size > 2 else 0)


SAMPLES = [
    (traffic_light, (positive(3),), {}),
    (vending_machine, (positive(3),), {}),
    (newton_with_flag, (positive(3),), {}),
    (newton_with_break, (positive(3),), {}),
    (fibonacci_swap, (positive(3), positive(3, seed=1)), {}),
    (fibonacci_swap, (positive(3), positive(3, seed=1)), {"n": 0}),
    (rotate_three, (positive(3), positive(3, seed=1), positive(3, seed=2)), {}),
    (swap_rows, (normal(3, 2),), {}),
    (swap_through_a_copy, (normal(3, 2),), {}),
    (welford, (positive(5),), {}),
    (exponential_averages, (positive(4),), {}),
    (running_maximum, (positive(5),), {}),
    (drawdown, (positive(6),), {}),
    (count_weighted, (positive(6),), {}),
    (clip_by_masks, (positive(6),), {}),
    (leaky, (normal(6),), {}),
    (stencil_in_place, (positive(6),), {}),
    (scale_columns, (normal(4, 3), positive(3)), {}),
    (backward_substitution, (normal(3, 3) + 4 * np.eye(3), positive(3)), {}),
    (palindromic, (positive(5),), {}),
    (distances, (normal(3, 2), normal(4, 2, seed=1)), {}),
    (soft_assign, (normal(4, 2), normal(2, 2, seed=1)), {}),
    (builtins_of_lists, (positive(3), positive(3, seed=1)), {}),
    (power_sum, (positive(3),), {}),
    (trapezoid_pairs, (positive(4), positive(4, seed=1)), {}),
    (trapezoid_pairwise, (positive(4), positive(4, seed=1)), {}),
    (weighted_reversed, (positive(4), positive(4, seed=1)), {}),
    (enumerate_of_zip, (positive(4), positive(4, seed=1)), {}),
    (lists_of_lists, (positive(2),), {}),
    (triangle_of_lists, (positive(2),), {}),
    (work_list, (positive(3),), {}),
    (nested_helpers, (positive(3),), {}),
    (helper_with_defaults, (positive(3),), {}),
    (checked, (positive(3),), {}),
    (checked, (positive(3),), {"kind": "sum"}),
    (by_table, (normal(3),), {"name": "square"}),
    (matched, (positive(3),), {}),
    (walrus, (positive(3),), {}),
    (asserted, (positive(3), positive(3, seed=1)), {}),
    (string_of_letters, (positive(3),), {}),
    (lindenmayer, (positive(3),), {}),
    (early_ways_out, (positive(3),), {}),
    (early_ways_out, (positive(3),), {"mode": 1}),
    (try_and_except, (normal(3, 3) + 4 * np.eye(3),), {}),
    (mean_of_matching, (positive(5),), {}),
    (starred, (positive(4),), {}),
    (diagonal_by_index, (normal(3, 3),), {}),
    (cumulative_by_hand, (positive(4),), {}),
    (ternaries, (positive(3),), {}),
]
