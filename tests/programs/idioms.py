"""Idioms of people who come from lists of lists, C or MATLAB: parts of parts written, rows from tuples."""

import numpy as np

from .samples import normal


def sir_history(beta, gamma, start, *, steps: int = 4, dt: float = 0.5):
    """A tuple of numbers as a row of an array."""
    s, i, r = start
    history = np.zeros((steps, 3))
    for k in range(steps):
        infected, recovered = beta * s * i * dt, gamma * i * dt
        s -= infected
        i += infected - recovered
        r += recovered
        history[k] = s, i, r
    return history


def rows_of_lists(x):
    """Lists, of lists and of numbers, written to parts of an array and added to them."""
    table = np.ones((3, 2))
    table[:2] = [[x[0], 1.0], [x[1] ** 2, x[0] * x[1]]]
    table[:2, 0] = 3.0, 2.0
    table[2] += [x[1], 4]
    return table * x


def grid_by_two_brackets(cost):
    """A table indexed as a list of lists is."""
    rows, columns = cost.shape
    best = np.zeros((rows + 1, columns + 1))
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            best[i][j] = max(best[i - 1][j], best[i][j - 1]) + cost[i - 1][j - 1]
    return best[-1][-1], best[1][1:]


def parts_of_parts(x):
    """Slices of slices that are changed in place."""
    y = np.zeros((4, 5))
    y[1:3][:, 1:4] += x
    y[1:3][0] *= 2.0
    y[0][:], y[3][1:3] = y[1], y[2][1:3] ** 2
    return y * y


def each_with_each(points, centers, *, axes: int = 1):
    """Axes of one entry, so many as an attribute or the other array says."""
    apart = points.reshape(points.shape + (1,) * centers.ndim) - centers
    return np.expand_dims(np.exp(-(apart**2)), tuple(range(axes))) + np.subtract.outer(points, centers) ** 3


def horner_of_a_tuple(x, *, coefficients: tuple[float, ...] = (1.0, -2.0, 0.5)):
    """A polynomial whose coefficients are an attribute, from its end."""
    result = x * 0.0
    for c in coefficients[::-1]:
        result = result * x + c
    inner = coefficients[-1]
    for c in coefficients[-2::-1]:
        inner = inner * result + c
    return inner


def soft_histogram(x, *, bins: int = 4, low: float = 0.0, high: float = 2.0):
    """Edges at even distances between attributes."""
    edges = np.linspace(low, high, bins + 1)
    below = 1 / (1 + np.exp(-(x[:, None] - edges[None]) / 0.2))
    return np.sum(below[:, :-1] - below[:, 1:], axis=0) / x.size


def tracked(x, observed, *, dt: float = 0.1):
    """A filter by matrices that are written out."""
    move = np.array([[1, dt], [0, 1.0]])
    gain, spread = np.array([0.6, 0.2]), np.eye(2)
    for z in observed:
        x, spread = move @ x, move @ spread @ move.T + 0.01 * np.eye(2)
        x = x + gain * (z - x[0]) / (1 + spread[0, 0])
    return x, spread


def over_positions(image, kernel):
    """Positions of arrays, with a way out and a loop inside."""
    total = 0.0
    for i, j in np.ndindex(image.shape):
        if i == 1 and j == 2:
            break
        for (a, b), weight in np.ndenumerate(kernel):
            if a <= i and b <= j:
                total += weight * image[i - a, j - b] ** 2
    return total


SAMPLES = [
    (each_with_each, (normal(3), normal(2, 2)), {}),
    (each_with_each, (normal(3), normal(2)), {"axes": 2}),
    (horner_of_a_tuple, (normal(3),), {}),
    (soft_histogram, (normal(5),), {}),
    (over_positions, (normal(2, 3), normal(2, 2)), {}),
    (tracked, (normal(2), normal(3)), {}),
    (sir_history, (np.array(0.3), np.array(0.1), np.array([0.9, 0.1, 0.0])), {}),
    (rows_of_lists, (normal(2),), {}),
    (grid_by_two_brackets, (normal(2, 3),), {}),
    (parts_of_parts, (normal(2, 3),), {}),
]
