"""Images, tables, networks and parsers: arrays that are walked, filled and compared cell by cell."""

import numpy as np

from .samples import normal, positive


def bilateral_filter(image, *, radius: int = 1, sigma: float = 0.8, contrast: float = 0.5):
    """Weights by distance and by difference of the values, summed over shifted copies."""
    padded = np.pad(image, radius, mode="edge")
    n, m = image.shape
    total, weight = np.zeros_like(image), np.zeros_like(image)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            shifted = padded[radius + dy : radius + dy + n, radius + dx : radius + dx + m]
            near = np.exp(-(dx**2 + dy**2) / (2 * sigma**2))
            w = near * np.exp(-((shifted - image) ** 2) / (2 * contrast**2))
            total += w * shifted
            weight += w
    return total / weight


def canny_gradient(image):
    """Sobel's gradient, thinned along its own direction by a table of neighbours."""
    kx = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    n, m = image.shape
    gx, gy = np.zeros((n - 2, m - 2)), np.zeros((n - 2, m - 2))
    for i in range(3):
        for j in range(3):
            patch = image[i : i + n - 2, j : j + m - 2]
            gx += kx[i, j] * patch
            gy += kx[j, i] * patch
    magnitude = np.hypot(gx, gy)
    out = np.zeros_like(magnitude)
    for y in range(1, n - 3):
        for x in range(1, m - 3):
            if abs(gx[y, x]) > abs(gy[y, x]):
                a, b = magnitude[y, x - 1], magnitude[y, x + 1]
            else:
                a, b = magnitude[y - 1, x], magnitude[y + 1, x]
            if magnitude[y, x] >= a and magnitude[y, x] >= b:
                out[y, x] = magnitude[y, x]
    return out


def integral_image_blur(image, *, r: int = 1):
    """Box sums out of a summed-area table."""
    n, m = image.shape
    table = np.zeros((n + 1, m + 1))
    table[1:, 1:] = image.cumsum(0).cumsum(1)
    out = np.empty_like(image)
    for i in range(n):
        top, bottom = max(i - r, 0), min(i + r + 1, n)
        for j in range(m):
            left, right = max(j - r, 0), min(j + r + 1, m)
            area = (bottom - top) * (right - left)
            box = table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left]
            out[i, j] = box / area
    return out


def median_of_three_by_three(image):
    """The median of each window, by sorting nine shifted copies."""
    n, m = image.shape
    windows = [image[i : n - 2 + i, j : m - 2 + j] for i in range(3) for j in range(3)]
    return np.sort(np.stack(windows, axis=-1), axis=-1)[..., 4]


def sorting_network(values):
    """Batcher's network for eight: pairs of wires, stage by stage."""
    stages = [
        [(0, 1), (2, 3), (4, 5), (6, 7)],
        [(0, 2), (1, 3), (4, 6), (5, 7)],
        [(1, 2), (5, 6)],
        [(0, 4), (1, 5), (2, 6), (3, 7)],
        [(2, 4), (3, 5)],
        [(1, 2), (3, 4), (5, 6)],
    ]
    wires = values.copy()
    for stage in stages:
        for i, j in stage:
            low, high = np.minimum(wires[i], wires[j]), np.maximum(wires[i], wires[j])
            wires[i], wires[j] = low, high
    return wires


def bubble_sort_soft(values, *, sharpness: float = 4.0):
    """Neighbours are exchanged by a sigmoid of their difference."""
    a = values.copy()
    n = len(a)
    for end in range(n - 1, 0, -1):
        for k in range(end):
            p = 1 / (1 + np.exp(-sharpness * (a[k + 1] - a[k])))
            low = p * a[k] + (1 - p) * a[k + 1]
            a[k + 1] = a[k] + a[k + 1] - low
            a[k] = low
    return a


def postfix_machine(tokens, constants):
    """A stack machine: whole numbers stand for constants and operators of a postfix expression."""
    stack = np.zeros(8)
    top = 0
    for token in tokens:
        if token < 10:
            stack[top] = constants[token]
            top += 1
        else:
            right, left = stack[top - 1], stack[top - 2]
            top -= 1
            if token == 10:
                stack[top - 1] = left + right
            elif token == 11:
                stack[top - 1] = left * right
            else:
                stack[top - 1] = left - right
    return stack[0]


def run_lengths(signal, weights):
    """Runs of equal symbols; each counts its length times the weight of its symbol."""
    total = 0.0
    i = 0
    n = len(signal)
    while i < n:
        j = i
        while j < n and signal[j] == signal[i]:
            j += 1
        total += (j - i) ** 1.5 * weights[signal[i]]
        i = j
    return total


def smith_waterman(scores, gap, *, gamma: float = 0.2):
    """Local alignment with a soft maximum of four ways, and the best cell of the table."""
    n, m = scores.shape
    table = np.zeros((n + 1, m + 1))
    best = 0.0
    for i, row in enumerate(scores, start=1):
        for j, score in enumerate(row, start=1):
            ways = np.array([0.0, table[i - 1, j - 1] + score, table[i - 1, j] - gap, table[i, j - 1] - gap])
            table[i, j] = gamma * np.log(np.sum(np.exp(ways / gamma)))
            best = max(best, table[i, j])
    return best


def inside_outside(rules, words):
    """The inside table of a grammar in Chomsky's form: spans from short to long."""
    n, k = words.shape
    inside = np.zeros((n, n, k))
    for i in range(n):
        inside[i, i] = words[i]
    for span in range(2, n + 1):
        for i in range(n - span + 1):
            j = i + span - 1
            for split in range(i, j):
                inside[i, j] += np.einsum("abc,b,c->a", rules, inside[i, split], inside[split + 1, j])
    return np.log(inside[0, n - 1, 0])


def clip_polygon(points, *, edge: float = 0.3):
    """Sutherland and Hodgman's step for one edge; the area of what is left."""
    kept = []
    n = len(points)
    for i in range(n):
        a, b = points[i - 1], points[i]
        if (a[0] < edge and b[0] >= edge) or (a[0] >= edge and b[0] < edge):
            t = (edge - a[0]) / (b[0] - a[0])
            kept.append(a + t * (b - a))
        if b[0] >= edge:
            kept.append(b)
    area = 0.0
    for i in range(len(kept)):
        p, q = kept[i - 1], kept[i]
        area += p[0] * q[1] - q[0] * p[1]
    return 0.5 * abs(area)


def marching_contour_length(field, *, level: float = 0.0):
    """The length of a contour: crossings of the sides of each cell, joined in pairs."""
    total = 0.0
    rows, columns = field.shape
    for i in range(rows - 1):
        for j in range(columns - 1):
            corners = [(0, 0), (0, 1), (1, 1), (1, 0)]
            crossings = []
            for k in range(4):
                (y0, x0), (y1, x1) = corners[k], corners[(k + 1) % 4]
                a, b = field[i + y0, j + x0] - level, field[i + y1, j + x1] - level
                if a * b < 0:
                    t = a / (a - b)
                    crossings.append(np.stack([y0 + t * (y1 - y0), x0 + t * (x1 - x0)]))
            if len(crossings) == 2:
                total += np.sqrt(np.sum((crossings[0] - crossings[1]) ** 2))
    return total


def goertzel_bank(samples, *, bins: tuple[int, ...] = (1, 2, 3)):
    """The power of a few frequencies, a recurrence for each."""
    n = len(samples)
    powers = np.zeros(len(bins))
    for b, k in enumerate(bins):
        w = 2 * np.pi * k / n
        coefficient = 2 * np.cos(w)
        s1 = s2 = 0.0
        for x in samples:
            s1, s2 = x + coefficient * s1 - s2, s1
        powers[b] = s1**2 + s2**2 - coefficient * s1 * s2
    return powers / powers.sum()


def rows_by_views(matrix):
    """Each row is normalized through a view of it, then takes part of the one above."""
    a = matrix.copy()
    for i in range(a.shape[0]):
        row = a[i]
        row[:] = row / np.sqrt(np.sum(row**2))
        if i > 0:
            row[1:] += 0.5 * a[i - 1, :-1]
    return a


PROGRAM = np.array([0, 1, 11, 2, 10, 0, 12])

SAMPLES = [
    (bilateral_filter, (normal(4, 5),), {}),
    (canny_gradient, (normal(6, 6),), {}),
    (integral_image_blur, (normal(3, 4),), {}),
    (median_of_three_by_three, (normal(5, 4),), {}),
    (sorting_network, (normal(8),), {}),
    (bubble_sort_soft, (normal(4),), {}),
    (postfix_machine, (PROGRAM, positive(3)), {}),
    (run_lengths, (np.array([0, 0, 2, 1, 1, 1, 0]), positive(3)), {}),
    (smith_waterman, (normal(3, 4), np.array(0.4)), {}),
    (inside_outside, (positive(2, 2, 2), positive(4, 2)), {}),
    (clip_polygon, (np.array([[-0.5, -0.4], [1.0, -0.6], [1.2, 0.8], [-0.3, 0.9]]),), {}),
    (marching_contour_length, (normal(4, 4),), {}),
    (goertzel_bank, (normal(7),), {}),
    (rows_by_views, (normal(3, 4),), {}),
]
