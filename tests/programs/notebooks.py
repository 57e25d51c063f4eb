"""Python's own lists, functions and numbers beside arrays: how statisticians, traders, engineers script."""

import math

import numpy as np

from .samples import normal, positive


def leapfrog_in_two_lists(x, v, *, n: int = 4, dt: float = 0.1):
    """Positions and velocities in lists that are made at once."""
    xs, vs = [0.0] * n, [0.0] * n
    xs[0], vs[0] = x[0], v[0]
    for i in range(n - 1):
        half = vs[i] - 0.5 * dt * xs[i] ** 3
        xs[i + 1] = xs[i] + dt * half
        vs[i + 1] = half - 0.5 * dt * xs[i + 1] ** 3
    return np.array(xs) + np.array(vs)


def expectation_maximization(x, mu, logs):
    """A step for a mixture, responsibilities in rows."""
    shares = []
    for e in x:
        p = [
            math.exp(-0.5 * ((e - m) / math.exp(w)) ** 2) / math.exp(w) for m, w in zip(mu, logs, strict=True)
        ]
        total = sum(p)
        shares.append([p[0] / total, p[1] / total])
    r = np.array(shares)
    return (r * x[:, None]).sum(0) / r.sum(0)


def average_price(z, spot, volatility):
    """Simulated paths, an average along each."""
    paths, steps = z.shape
    dt = 1 / steps
    total = 0.0
    for i in range(paths):
        s, along = spot[0], 0.0
        for t in range(steps):
            s *= math.exp(-0.5 * volatility[0] ** 2 * dt + volatility[0] * math.sqrt(dt) * z[i, t])
            along += s
        payoff = along / steps - 1.0
        if payoff > 0:
            total += payoff
    return total / paths


def tree_of_values(spot, rates):
    """Values at the last layer, and back through the layers in place."""
    n = len(rates)
    values = [max(spot[0] * 1.1 ** (2 * j - n) - 1.0, 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            values[j] = 0.5 * (values[j] + values[j + 1]) * math.exp(-rates[i])
    return values[0]


def direct_form(x):
    """A biquad whose output grows by `+=`."""
    x1 = x2 = y1 = y2 = 0.0
    out = []
    for s in x:
        y = 0.2 * s + 0.3 * x1 + 0.2 * x2 + 0.5 * y1 - 0.25 * y2
        x2, x1 = x1, s
        y2, y1 = y1, y
        out += [y]
    return np.array(out)


def soft_needleman_wunsch(s, gap):
    """Alignments by a soft maximum, which Python's functions of numbers compute."""
    n, m = s.shape
    f = np.zeros((n + 1, m + 1))
    f[:, 0] = -gap[0] * np.arange(n + 1)
    f[0, :] = -gap[0] * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            ways = [f[i - 1, j - 1] + s[i - 1, j - 1], f[i - 1, j] - gap[0], f[i, j - 1] - gap[0]]
            most = max(ways)
            f[i, j] = most + math.log(sum(math.exp(c - most) for c in ways))
    return f[n, m]


def discounted(rewards, values):
    """Advantages from the last step to the first, put in front of each other."""
    advantages = []
    g, after = 0.0, 0.0
    for r, v in zip(reversed(rewards), reversed(values), strict=True):
        g = r + 0.9 * after - v + 0.8 * g
        after = v
        advantages.insert(0, g)
    return np.array(advantages) * values


def nearest_centre(x, c):
    """A step of k-means in lists."""
    sums, counts = [0.0] * len(c), [0] * len(c)
    for e in x:
        distances = [(e - m) ** 2 for m in c]
        k = distances.index(min(distances))
        sums[k] += e
        counts[k] += 1
    return np.array([s / max(n, 1) for s, n in zip(sums, counts, strict=True)])


def adaptive_simpson(a):
    """An integral by halves."""

    def f(t):
        return math.exp(-a[0] * t * t)

    def simpson(low, high, depth):
        middle = (low + high) / 2
        if depth == 0:
            return (high - low) / 6 * (f(low) + 4 * f(middle) + f(high))
        return simpson(low, middle, depth - 1) + simpson(middle, high, depth - 1)

    return simpson(0.0, 1.0, 2)


def hermite_slopes(x, y):
    """Slopes at the ends beside those between."""
    h = [x[i + 1] - x[i] for i in range(len(x) - 1)]
    m = [(y[i + 1] - y[i]) / h[i] for i in range(len(x) - 1)]
    slopes = [m[0]] + [(m[i - 1] + m[i]) / 2 for i in range(1, len(m))] + [m[-1]]
    return sum(h[i] ** 2 * (slopes[i] - slopes[i + 1]) for i in range(len(h)))


SAMPLES = [
    (leapfrog_in_two_lists, (normal(1), normal(1)), {}),
    (expectation_maximization, (normal(4), np.array([-1.0, 1.0]), 0.1 * normal(2)), {}),
    (average_price, (normal(2, 3), np.array([1.1]), np.array([0.3])), {}),
    (tree_of_values, (1 + positive(1), 0.1 * positive(3)), {}),
    (direct_form, (normal(5),), {}),
    (soft_needleman_wunsch, (normal(2, 3), positive(1)), {}),
    (discounted, (normal(4), normal(4)), {}),
    (nearest_centre, (normal(5), normal(2)), {}),
    (adaptive_simpson, (positive(1),), {}),
    (hermite_slopes, (np.cumsum(positive(4)), normal(4)), {}),
]
