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


SAMPLES = [
    (sir_history, (np.array(0.3), np.array(0.1), np.array([0.9, 0.1, 0.0])), {}),
    (rows_of_lists, (normal(2),), {}),
    (grid_by_two_brackets, (normal(2, 3),), {}),
    (parts_of_parts, (normal(2, 3),), {}),
]
