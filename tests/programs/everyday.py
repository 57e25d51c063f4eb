"""Short programs as in notebooks: counters, running totals, tables in lists, values changed in place."""

import math

import numpy as np

from .samples import normal, positive


def exponential_mean_by_while(x, *, alpha: float = 0.3):
    """A `while` loop over time steps."""
    out = np.zeros(len(x))
    out[0] = x[0]
    i = 1
    while i < len(x):
        out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]
        i += 1
    return out


def pairwise_energy(q, x):
    """Two counters, and a sum that grows."""
    energy = 0.0
    i = 0
    while i < len(q):
        j = i + 1
        while j < len(q):
            energy += q[i] * q[j] / np.abs(x[i] - x[j])
            j += 1
        i += 1
    return energy


def distance_table(x, y):
    """A table of all pairs, by a comprehension in another."""
    return np.array([[(a - b) ** 2 for b in y] for a in x])


def gram_matrix(x, *, width: float = 0.7):
    """The same with places, and a function of each entry."""
    n = len(x)
    return np.array([[np.exp(-((x[i] - x[j]) ** 2) / width) for j in range(n)] for i in range(n)])


def vandermonde(x, *, degree: int = 3):
    """Powers of each number in a row."""
    return np.array([[v**k for k in range(degree)] for v in x])


def sum_over_pairs(x, y):
    """One comprehension over two lists."""
    return sum([a * b * np.sin(a - b) for a in x for b in y])


def sum_over_distinct_pairs(x):
    """A condition on places."""
    n = len(x)
    return sum([x[i] * x[j] for i in range(n) for j in range(n) if i != j])


def standardized(x):
    """In place, step by step."""
    z = x.copy()
    z -= z.mean()
    z /= z.std()
    return z


def softmax_in_place(x):
    """A copy that is changed three times."""
    e = x - np.max(x)
    e = np.exp(e)
    e /= np.sum(e)
    return e


def loan_balance(rate, payment, *, months: int = 6, amount: float = 100.0):
    """Interest is added, a payment taken off."""
    balance = amount
    history = []
    for _ in range(months):
        balance *= 1 + rate / 12
        balance -= payment
        history.append(balance)
    return np.array(history)


def payoff_of_a_barrier(path, *, barrier: float = 1.9, strike: float = 1.0):
    """A flag that a loop sets."""
    alive = True
    for price in path:
        if price > barrier:
            alive = False
    payoff = np.maximum(path[-1] - strike, 0.0)
    if not alive:
        payoff = payoff * 0.1
    return payoff


def discounted_sum_backwards(rewards, *, gamma: float = 0.9):
    """Returns of a trajectory, from its end."""
    total = 0.0
    returns = []
    for r in rewards[::-1]:
        total = r + gamma * total
        returns.append(total)
    return np.array(returns[::-1])


def prefix_differences(x):
    """A list with a zero before it, and two parts of it."""
    sums = [x[0] * 0.0]
    for v in x:
        sums.append(sums[-1] + v)
    return np.array(sums[1:]) * np.array(sums[:-1])


def moving_maximum_smooth(x, *, width: int = 3):
    """A soft maximum over a window."""
    out = []
    for i in range(len(x) - width + 1):
        window = x[i : i + width]
        out.append(np.log(np.sum(np.exp(window))))
    return np.array(out)


def simpson_by_while(a, b, *, n: int = 6):
    """An integral of a bell, with odd and even places."""
    h = (b - a) / n
    total = np.exp(-a * a) + np.exp(-b * b)
    k = 1
    while k < n:
        x = a + k * h
        total += (4 if k % 2 == 1 else 2) * np.exp(-x * x)
        k += 1
    return total * h / 3


def leapfrog(q, p, *, steps: int = 5, dt: float = 0.1):
    """Half steps of a pendulum's momentum."""
    p = p - 0.5 * dt * np.sin(q)
    for step in range(steps):
        q = q + dt * p
        if step < steps - 1:
            p = p - dt * np.sin(q)
    p = p - 0.5 * dt * np.sin(q)
    return q, p


def heat_in_place(u, *, steps: int = 3, r: float = 0.2):
    """Inner points of a rod, changed in place from a copy."""
    u = u.copy()
    for _ in range(steps):
        old = u.copy()
        u[1:-1] += r * (old[2:] - 2 * old[1:-1] + old[:-2])
    return u


def center_of_mass(m, r):
    """Two running sums."""
    mass = 0.0
    moment = np.zeros(2)
    for i in range(len(m)):
        mass += m[i]
        moment += m[i] * r[i]
    return moment / mass


def spring_forces(x, *, k: float = 2.0, rest: float = 0.4):
    """Each spring pulls at both of its ends."""
    f = np.zeros_like(x)
    for i in range(len(x) - 1):
        pull = k * (x[i + 1] - x[i] - rest)
        f[i] += pull
        f[i + 1] -= pull
    return f


def trajectory_until_the_ground(v, *, dt: float = 0.1, limit: int = 40):
    """A bounded loop that ends at the ground."""
    y, x = v * 0.0, v * 0.0
    vy = v
    for _ in range(limit):
        x = x + dt * v
        y = y + dt * vy
        vy = vy - 9.81 * dt
        if y < 0.0:
            break
    return x


def weighted_variance(x, w):
    """Sums in one loop."""
    sw = swx = swxx = 0.0
    for xi, wi in zip(x, w, strict=False):
        sw += wi
        swx += wi * xi
        swxx += wi * xi * xi
    mean = swx / sw
    return swxx / sw - mean**2


def welford(x):
    """A mean and a variance, updated for each number."""
    mean = m2 = 0.0
    count = 0
    for v in x:
        count += 1
        delta = v - mean
        mean += delta / count
        m2 += delta * (v - mean)
    return mean, m2 / count


def autocorrelation(x, *, lags: int = 3):
    """A number for each lag."""
    d = x - x.mean()
    return np.array([np.sum(d[lag:] * d[: len(d) - lag]) / np.sum(d * d) for lag in range(lags)])


def covariance_by_outer(x):
    """Outer products of rows, added up."""
    mean = x.mean(axis=0)
    c = np.zeros((x.shape[1], x.shape[1]))
    for row in x:
        d = row - mean
        c += np.outer(d, d)
    c /= len(x) - 1
    return c


def logistic_loss(w, x, y, *, ridge: float = 0.1):
    """A sum over examples, and a penalty."""
    loss = 0.0
    for i in range(len(y)):
        margin = y[i] * np.dot(w, x[i])
        loss += np.log1p(np.exp(-margin))
    loss /= len(y)
    loss += ridge * np.sum(w**2)
    return loss


def poisson_likelihood(rate, *, counts: tuple[int, ...] = (2, 0, 3)):
    """Factorials of whole numbers."""
    total = 0.0
    for k in counts:
        total += k * np.log(rate) - rate - math.lgamma(k + 1)
    return np.sum(total)


def bond_duration_by_while(y, *, coupon: float = 4.0, periods: int = 5):
    """Present values, and the time that they come at."""
    price = weighted = y * 0.0
    t = 1
    while t <= periods:
        cash = coupon + (100.0 if t == periods else 0.0)
        value = cash / (1 + y) ** t
        price = price + value
        weighted = weighted + t * value
        t += 1
    return weighted / price


def drawdown_by_loop(path):
    """The largest fall from a peak."""
    peak = path[0]
    worst = path[0] * 0.0
    for v in path:
        peak = np.maximum(peak, v)
        worst = np.maximum(worst, (peak - v) / peak)
    return worst


def garch_likelihood(returns, omega, alpha, beta):
    """A variance that remembers."""
    variance = returns.var()
    loss = 0.0
    for r in returns:
        loss += np.log(variance) + r * r / variance
        variance = omega + alpha * r**2 + beta * variance
    return 0.5 * loss


def binomial_tree_in_place(s, *, steps: int = 4, up: float = 1.1, p: float = 0.55):
    """Values at the leaves, folded back in one array."""
    values = np.zeros(steps + 1)
    for j in range(steps + 1):
        values[j] = np.maximum(s * up**j / up ** (steps - j) - 1.0, 0.0)
    n = steps
    while n > 0:
        values[:n] = p * values[1 : n + 1] + (1 - p) * values[:n]
        n -= 1
    return values[0]


def fir_by_loops(x, h):
    """A filter, sample by sample."""
    y = np.zeros(len(x))
    for n in range(len(x)):
        acc = 0.0
        for k in range(len(h)):
            if n - k >= 0:
                acc += h[k] * x[n - k]
        y[n] = acc
    return y


def goertzel(x, *, k: int = 2):
    """The power of one frequency."""
    c = 2 * math.cos(2 * math.pi * k / 8)
    s1 = s2 = 0.0
    for v in x:
        s1, s2 = v + c * s1 - s2, s1
    return s1 * s1 + s2 * s2 - c * s1 * s2


def energy_of_frames(x, *, size: int = 4):
    """Frames that overlap, with a `while`."""
    start = 0
    energies = []
    while start + size <= len(x):
        frame = x[start : start + size]
        energies.append(np.mean(frame**2))
        start += 2
    return np.stack(energies)


def zero_crossings_soft(x, *, sharp: float = 3.0):
    """Products of neighbours."""
    count = 0.0
    for k in range(len(x) - 1):
        count += 1 / (1 + np.exp(sharp * x[k] * x[k + 1]))
    return count


def magnitude_of_a_transform(x):
    """Sums of cosines and sines, `real` and `imag` by hand."""
    n = len(x)
    out = []
    for k in range(n):
        re = im = 0.0
        for t in range(n):
            angle = 2 * np.pi * k * t / n
            re += x[t] * np.cos(angle)
            im -= x[t] * np.sin(angle)
        out.append(re * re + im * im)
    return np.array(out)


def climbing_stairs(cost):
    """Two names that move along, soft minima."""
    before = cost[0]
    now = cost[1]
    for i in range(2, len(cost)):
        best = -np.log(np.exp(-before) + np.exp(-now))
        before, now = now, cost[i] + best
    return now


def largest_subarray_soft(x):
    """Kadane's sums, with the running best."""
    current = best = x[0]
    for i in range(1, len(x)):
        current = np.maximum(x[i], current + x[i])
        best = np.maximum(best, current)
    return best


def grid_paths(cost):
    """A table that is filled from its edges."""
    rows, cols = cost.shape
    best = np.zeros_like(cost, dtype=float)
    best[0, 0] = cost[0, 0]
    for j in range(1, cols):
        best[0, j] = best[0, j - 1] + cost[0, j]
    for i in range(1, rows):
        best[i, 0] = best[i - 1, 0] + cost[i, 0]
        for j in range(1, cols):
            best[i, j] = cost[i, j] + np.minimum(best[i - 1, j], best[i, j - 1])
    return best[rows - 1, cols - 1]


def edit_cost_by_rows(a, b):
    """A row that becomes the next one, kept in lists."""
    row = [np.sum(b[:j]) for j in range(len(b) + 1)]
    for i in range(len(a)):
        new = [row[0] + a[i]]
        for j in range(len(b)):
            swap = row[j] + (a[i] - b[j]) ** 2
            new.append(np.minimum(np.minimum(row[j + 1] + a[i], new[j] + b[j]), swap))
        row = new
    return row[-1]


def running_total_and_last(x):
    """A number under two names."""
    total = last = 0.0
    out = np.zeros(len(x))
    for i in range(len(x)):
        last = total
        total += x[i] ** 2
        out[i] = total * (1 + last)
    return out


def clipped_gradient_steps(w, target, *, steps: int = 4, rate: float = 0.3):
    """Updates in place, of which none is long."""
    w = w.copy()
    for _ in range(steps):
        g = 2 * (w - target)
        norm = np.sqrt(np.sum(g * g))
        if norm > 1.0:
            g /= norm
        w -= rate * g
    return w


SAMPLES = [
    (exponential_mean_by_while, (normal(5),), {}),
    (pairwise_energy, (normal(4), positive(4).cumsum()), {}),
    (distance_table, (normal(3), normal(2, seed=1)), {}),
    (gram_matrix, (normal(3),), {}),
    (vandermonde, (positive(3),), {}),
    (sum_over_pairs, (normal(3), normal(2, seed=1)), {}),
    (sum_over_distinct_pairs, (normal(4),), {}),
    (standardized, (normal(5),), {}),
    (softmax_in_place, (normal(4),), {}),
    (loan_balance, (np.array(0.05), np.array(7.0)), {}),
    (payoff_of_a_barrier, (np.array([1.0, 1.4, 1.7]),), {}),
    (discounted_sum_backwards, (normal(4),), {}),
    (prefix_differences, (normal(4),), {}),
    (moving_maximum_smooth, (normal(5),), {}),
    (simpson_by_while, (np.array(0.2), np.array(1.3)), {}),
    (leapfrog, (np.array(0.4), np.array(0.3)), {}),
    (heat_in_place, (normal(6),), {}),
    (center_of_mass, (positive(3), normal(3, 2)), {}),
    (spring_forces, (positive(4).cumsum(),), {}),
    (trajectory_until_the_ground, (np.array(3.1),), {}),
    (weighted_variance, (normal(4), positive(4)), {}),
    (welford, (normal(5),), {}),
    (autocorrelation, (normal(6),), {}),
    (covariance_by_outer, (normal(4, 2),), {}),
    (logistic_loss, (normal(2), normal(3, 2, seed=1), np.array([1.0, -1.0, 1.0])), {}),
    (poisson_likelihood, (np.array(1.4),), {}),
    (bond_duration_by_while, (np.array(0.05),), {}),
    (drawdown_by_loop, (positive(5),), {}),
    (garch_likelihood, (normal(4), np.array(0.1), np.array(0.2), np.array(0.6)), {}),
    (binomial_tree_in_place, (np.array(1.05),), {}),
    (fir_by_loops, (normal(5), normal(3, seed=1)), {}),
    (goertzel, (normal(6),), {}),
    (energy_of_frames, (normal(8),), {}),
    (zero_crossings_soft, (normal(5),), {}),
    (magnitude_of_a_transform, (normal(4),), {}),
    (climbing_stairs, (positive(5),), {}),
    (largest_subarray_soft, (normal(5),), {}),
    (grid_paths, (positive(3, 3),), {}),
    (edit_cost_by_rows, (positive(3), positive(2, seed=1)), {}),
    (running_total_and_last, (normal(4),), {}),
    (clipped_gradient_steps, (normal(3), normal(3, seed=1)), {}),
]
