"""Tables and recurrences, their minima and maxima softened."""

import numpy as np
from scipy.special import logsumexp

from .samples import normal, positive


def soft_min(*values, gamma=0.5):
    stacked = np.stack(values)
    return -gamma * logsumexp(-stacked / gamma)


def soft_min3(a, b, c, gamma):
    low = np.minimum(np.minimum(a, b), c)
    total = np.exp(-(a - low) / gamma) + np.exp(-(b - low) / gamma) + np.exp(-(c - low) / gamma)
    return low - gamma * np.log(total)


def soft_edit_distance(substitution, insertion, deletion, *, gamma: float = 0.5):
    """A table with its first row and column filled first."""
    n, m = substitution.shape
    d = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        d[i, 0] = d[i - 1, 0] + deletion
    for j in range(1, m + 1):
        d[0, j] = d[0, j - 1] + insertion
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d[i, j] = soft_min3(
                d[i - 1, j] + deletion,
                d[i, j - 1] + insertion,
                d[i - 1, j - 1] + substitution[i - 1, j - 1],
                gamma,
            )
    return d[n, m]


def hard_edit_distance(substitution, gap):
    """With the minimum of a list."""
    n, m = substitution.shape
    d = np.zeros((n + 1, m + 1))
    d[1:, 0] = gap * np.arange(1, n + 1)
    d[0, 1:] = gap * np.arange(1, m + 1)
    for i in range(n):
        for j in range(m):
            options = np.array([d[i, j + 1] + gap, d[i + 1, j] + gap, d[i, j] + substitution[i, j]])
            d[i + 1, j + 1] = np.min(options)
    return d[-1, -1]


def soft_dtw(x, y, *, gamma: float = 1.0):
    """Infinite borders, as in the usual implementation."""
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e6)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            r[i, j] = cost + soft_min3(r[i - 1, j - 1], r[i - 1, j], r[i, j - 1], gamma)
    return r[n, m]


def soft_dtw_lists(x, y, *, gamma: float = 1.0):
    """Rows as Python lists of scalars."""
    cost = (x[:, None] - y[None, :]) ** 2
    rows = [[cost[0, 0]]]
    for j in range(1, len(y)):
        rows[0].append(rows[0][j - 1] + cost[0, j])
    for i in range(1, len(x)):
        row = [rows[i - 1][0] + cost[i, 0]]
        for j in range(1, len(y)):
            row.append(cost[i, j] + soft_min3(rows[i - 1][j], row[j - 1], rows[i - 1][j - 1], gamma))
        rows.append(row)
    return rows[-1][-1]


def dtw_row_by_row(x, y):
    """Only the last row is kept."""
    previous = np.cumsum((x[0] - y) ** 2)
    for i in range(1, x.shape[0]):
        current = np.zeros_like(previous)
        current[0] = previous[0] + (x[i] - y[0]) ** 2
        for j in range(1, y.shape[0]):
            best = np.minimum(np.minimum(previous[j], previous[j - 1]), current[j - 1])
            current[j] = best + (x[i] - y[j]) ** 2
        previous = current
    return previous[-1]


def viterbi_soft(emissions, transitions, *, temperature: float = 1.0):
    """The logarithm of the sum over all paths, sharpened by a temperature."""
    score = emissions[0]
    for t in range(1, len(emissions)):
        candidates = score[:, None] + transitions + emissions[t][None, :]
        score = temperature * logsumexp(candidates / temperature, axis=0)
    return temperature * logsumexp(score / temperature)


def viterbi_max(emissions, transitions):
    """The best path's score."""
    score = emissions[0, :]
    for t in range(1, emissions.shape[0]):
        score = np.max(score[:, np.newaxis] + transitions, axis=0) + emissions[t, :]
    return score.max()


def viterbi_backpointers(emissions, transitions):
    """The best path is traced back, then scored."""
    steps, states = emissions.shape
    score = emissions[0]
    pointers = []
    for t in range(1, steps):
        candidates = score[:, None] + transitions
        pointers.append(np.argmax(candidates, axis=0))
        score = np.max(candidates, axis=0) + emissions[t]
    state = np.argmax(score)
    path = [state]
    for pointer in reversed(pointers):
        state = pointer[state]
        path.append(state)
    path = path[::-1]
    total = emissions[0, path[0]]
    for t in range(1, steps):
        total = total + transitions[path[t - 1], path[t]] + emissions[t, path[t]]
    return total


def knapsack_relaxed(values, *, weights: tuple[int, ...] = (1, 2, 3), capacity: int = 4, gamma: float = 0.3):
    """The soft maximum of taking and leaving; whole weights as an attribute."""
    best = np.zeros(capacity + 1)
    for i in range(len(weights)):
        w = weights[i]
        updated = best.copy()
        for c in range(w, capacity + 1):
            take = best[c - w] + values[i]
            updated[c] = gamma * np.logaddexp(best[c] / gamma, take / gamma)
        best = updated
    return best[capacity]


def knapsack_in_place(values, *, weights: tuple[int, ...] = (2, 1, 3), capacity: int = 4):
    """One row, filled from the right."""
    best = np.zeros(capacity + 1)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = np.maximum(best[c], best[c - weights[i]] + values[i])
    return best[-1]


def matrix_chain(dimensions, *, gamma: float = 1.0):
    """The cost of the best order of products, softened."""
    n = len(dimensions) - 1
    cost = np.zeros((n, n))
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            options = []
            for k in range(i, j):
                join = dimensions[i] * dimensions[k + 1] * dimensions[j + 1]
                options.append(cost[i, k] + cost[k + 1, j] + join)
            cost[i, j] = -gamma * logsumexp(-np.stack(options) / gamma)
    return cost[0, n - 1]


def longest_common_soft(similarity):
    """Rewards for matches, a soft maximum in between."""
    n, m = similarity.shape
    table = np.zeros((n + 1, m + 1))
    for i in range(n):
        for j in range(m):
            skip = np.logaddexp(table[i, j + 1], table[i + 1, j])
            table[i + 1, j + 1] = np.logaddexp(skip, table[i, j] + similarity[i, j])
    return table[-1, -1]


def minimum_path_sum(grid):
    """From the upper left to the lower right."""
    rows, columns = grid.shape
    cost = grid.copy()
    for i in range(1, rows):
        cost[i, 0] += cost[i - 1, 0]
    for j in range(1, columns):
        cost[0, j] += cost[0, j - 1]
    for i in range(1, rows):
        for j in range(1, columns):
            cost[i, j] += np.minimum(cost[i - 1, j], cost[i, j - 1])
    return cost[-1, -1]


def seam_energy(energy):
    """Row by row with shifted copies, as for seam carving."""
    m = energy[0]
    for i in range(1, energy.shape[0]):
        left = np.concatenate([np.array([1e3]), m[:-1]])
        right = np.concatenate([m[1:], np.array([1e3])])
        m = energy[i] + np.minimum(np.minimum(left, m), right)
    return np.min(m)


def bellman_ford_soft(weights, *, source: int = 0, gamma: float = 0.2):
    """Distances in a dense graph."""
    n = weights.shape[0]
    dist = np.full(n, 10.0)
    dist[source] = 0.0
    for _ in range(n - 1):
        candidates = dist[:, None] + weights
        relaxed = -gamma * np.log(np.sum(np.exp(-candidates / gamma), axis=0))
        dist = np.minimum(dist, relaxed)
    return dist


def floyd_warshall(weights):
    """All pairs, in place."""
    d = weights.copy()
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = np.minimum(d[i, j], d[i, k] + d[k, j])
    return d


def value_iteration(rewards, transition, *, discount: float = 0.9, sweeps: int = 3, tau: float = 0.5):
    """States by actions; the soft Bellman operator."""
    n_states, n_actions = rewards.shape
    v = np.zeros(n_states)
    for _ in range(sweeps):
        q = np.zeros((n_states, n_actions))
        for a in range(n_actions):
            q[:, a] = rewards[:, a] + discount * transition[a] @ v
        v = tau * logsumexp(q / tau, axis=1)
    return v


def ctc_like(log_probs, *, labels: tuple[int, ...] = (1, 2)):
    """Alignments of a label sequence, blanks between."""
    extended = [0]
    for label in labels:
        extended.append(label)
        extended.append(0)
    size = len(extended)
    alpha = np.full(size, -1e5)
    alpha[0] = log_probs[0, 0]
    alpha[1] = log_probs[0, extended[1]]
    for t in range(1, log_probs.shape[0]):
        new = np.full(size, -1e5)
        for s in range(size):
            total = alpha[s]
            if s >= 1:
                total = np.logaddexp(total, alpha[s - 1])
            if s >= 2 and extended[s] != 0 and extended[s] != extended[s - 2]:
                total = np.logaddexp(total, alpha[s - 2])
            new[s] = total + log_probs[t, extended[s]]
        alpha = new
    return -np.logaddexp(alpha[size - 1], alpha[size - 2])


def partition_of_segments(scores, *, longest: int = 3):
    """A semi-Markov model: a list of logsumexps, one per prefix."""
    n = scores.shape[0]
    alpha = [np.zeros(())]
    for end in range(1, n + 1):
        terms = []
        for length in range(1, min(longest, end) + 1):
            terms.append(alpha[end - length] + scores[end - 1] * length)
        alpha.append(logsumexp(np.array(terms)))
    return alpha[-1]


def fibonacci_weights(a, b, *, n: int = 6):
    """A recurrence of two terms."""
    x, y = a, b
    for _ in range(n):
        x, y = y, x + 0.5 * y
    return x * y


def soft_min_of_three(a, b, c):
    """A helper of any number of arguments."""
    return soft_min(a, b, c) + soft_min(a * b, c)


SAMPLES = [
    (soft_edit_distance, (positive(2, 3), np.array(0.7), np.array(0.9)), {}),
    (soft_edit_distance, (positive(0, 2), np.array(0.7), np.array(0.9)), {}),
    (hard_edit_distance, (positive(2, 3), np.array(0.7)), {}),
    (soft_dtw, (normal(3), normal(3, seed=1)), {}),
    (soft_dtw_lists, (normal(3), normal(3, seed=1)), {}),
    (dtw_row_by_row, (normal(3), normal(4)), {}),
    (viterbi_soft, (normal(4, 3), normal(3, 3)), {}),
    (viterbi_max, (normal(4, 3), normal(3, 3)), {}),
    (viterbi_backpointers, (normal(4, 3), normal(3, 3)), {}),
    (knapsack_relaxed, (positive(3),), {}),
    (knapsack_in_place, (positive(3),), {}),
    (matrix_chain, (positive(4),), {}),
    (longest_common_soft, (normal(2, 3),), {}),
    (minimum_path_sum, (positive(3, 3),), {}),
    (seam_energy, (positive(3, 4),), {}),
    (bellman_ford_soft, (positive(3, 3),), {}),
    (floyd_warshall, (positive(3, 3),), {}),
    (value_iteration, (normal(3, 2), positive(2, 3, 3) / 3), {}),
    (ctc_like, (normal(4, 3),), {}),
    (partition_of_segments, (normal(4),), {}),
    (fibonacci_weights, (positive(3), positive(3, seed=1)), {}),
    (fibonacci_weights, (positive(3), positive(3, seed=1)), {"n": 0}),
    (soft_min_of_three, (np.array(0.5), np.array(0.8), np.array(1.4)), {}),
]
