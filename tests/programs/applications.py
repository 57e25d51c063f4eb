"""Epidemics, robots, pictures, money, filters: programs of fields that loop over their own numbers."""

import math

import numpy as np

from .samples import normal, positive


def sir_with_lockdown(
    beta, gamma, *, days: int = 12, lockdown: "tuple[int, int]" = (4, 8), n: float = 1000.0
):
    """An epidemic in which some days are of another strength."""
    s, i, r = n - 10.0, 10.0, 0.0
    peak = i
    curve = []
    for day in range(days):
        strength = 0.3 if lockdown[0] <= day < lockdown[1] else 1.0
        new = strength * beta * s * i / n
        s, i, r = s - new, i + new - gamma * i, r + gamma * i
        peak = np.maximum(peak, i)
        curve.append(i)
    return np.array(curve), peak


def seir_age_groups(contacts, susceptible, infected, *, steps: int = 5, dt: float = 0.2):
    """A matrix of contacts between groups."""
    state = np.stack([susceptible, np.zeros_like(susceptible), infected])
    for _ in range(steps):
        force = contacts @ state[2]
        ds = -force * state[0]
        de = -ds - 0.5 * state[1]
        di = 0.5 * state[1] - 0.2 * state[2]
        state = state + dt * np.stack([ds, de, di])
    return state.sum(axis=0), state[2].max()


def denavit_hartenberg(
    theta, *, table: "tuple[tuple[float, float, float], ...]" = ((0.1, 0.5, 0.0), (0.0, 0.4, 1.0))
):
    t = np.eye(4)
    for k, (d, a, alpha) in enumerate(table):
        c, s = np.cos(theta[k]), np.sin(theta[k])
        ca, sa = math.cos(alpha), math.sin(alpha)
        t = t @ np.array(
            [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
        )
    return t[:3, 3]


def ackermann_path(v, steer, *, wheelbase: float = 2.5, dt: float = 0.1):
    """A car that steers."""
    x, y, th = 0.0, 0.0, 0.0
    for k in range(len(v)):
        x = x + v[k] * np.cos(th) * dt
        y = y + v[k] * np.sin(th) * dt
        th = th + v[k] / wheelbase * np.tan(steer[k]) * dt
    return np.hypot(x, y), th


def phong(normals, light, view, *, shininess: int = 8, ambient: float = 0.1):
    """Light on surfaces, by chains of where."""
    light = light / np.linalg.norm(light)
    diffuse = np.maximum(normals @ light, 0.0)
    reflected = 2 * (normals @ light)[:, None] * normals - light
    specular = np.where(diffuse > 0, np.maximum(reflected @ view, 0.0) ** shininess, 0.0)
    return np.clip(ambient + 0.7 * diffuse + 0.2 * specular, 0.0, 1.0)


def ray_sphere(origin, direction, *, radius: float = 1.0, far: float = 100.0):
    """Where rays meet a sphere."""
    b = np.sum(origin * direction, axis=-1)
    c = np.sum(origin**2, axis=-1) - radius**2
    disc = b * b - c
    hit = disc > 0
    root = np.sqrt(np.where(hit, disc, 1.0))
    t = np.where(hit, -b - root, far)
    return np.where(t < 0, far, t)


def bilinear_resize(image, *, rows: int = 3, columns: int = 5):
    """Positions rounded down by `int`."""
    h, w = image.shape
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            y = i * (h - 1) / (rows - 1)
            x = j * (w - 1) / (columns - 1)
            y0, x0 = min(int(y), h - 2), min(int(x), w - 2)
            fy, fx = y - y0, x - x0
            top = image[y0, x0] * (1 - fx) + image[y0, x0 + 1] * fx
            bottom = image[y0 + 1, x0] * (1 - fx) + image[y0 + 1, x0 + 1] * fx
            out[i, j] = top * (1 - fy) + bottom * fy
    return out


def sobel(image):
    """Edges of a picture, by a constant kernel."""
    kernel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])
    h, w = image.shape
    gx = np.zeros((h - 2, w - 2))
    gy = np.zeros((h - 2, w - 2))
    for a in range(3):
        for b in range(3):
            part = image[a : h - 2 + a, b : w - 2 + b]
            gx += kernel[a, b] * part
            gy += kernel[b, a] * part
    return np.sqrt(gx**2 + gy**2 + 1e-6)


def barrier_option(
    z, s0, sigma, *, strike: float = 1.0, barrier: float = 1.6, r: float = 0.02, t: float = 1.0
):
    """Paths that end where they meet a barrier."""
    steps = z.shape[1]
    dt = t / steps
    logs = np.cumsum((r - 0.5 * sigma**2) * dt + sigma * math.sqrt(dt) * z, axis=1)
    paths = s0 * np.exp(logs)
    alive = np.all(paths < barrier, axis=1)
    payoff = np.where(alive, np.maximum(paths[:, -1] - strike, 0.0), 0.0)
    return math.exp(-r * t) * payoff.mean()


def garch_likelihood(returns, omega, alpha, beta):
    """A variance that each return changes."""
    variance = np.var(returns)
    total = 0.0
    for r in returns:
        total += 0.5 * (np.log(2 * np.pi * variance) + r * r / variance)
        variance = omega + alpha * r * r + beta * variance
    return total


def amortise(principal, rate, *, months: int = 12, extra: float = 20.0):
    """A loan by a while loop, with an extra payment every third month."""
    payment = principal * rate / (1 - (1 + rate) ** -months)
    balance, paid, k = principal * 1.0, 0.0, 0
    while k < months:
        interest = balance * rate
        pay = payment + (extra if k % 3 == 0 else 0.0)
        balance -= pay - interest
        paid += interest
        k += 1
    return balance, paid


def kalman_1d(z, q, r):
    """A filter of one state."""
    x, p = z[0], 1.0
    log_likelihood = 0.0
    out = np.zeros(len(z))
    for k, obs in enumerate(z):
        p = p + q
        innovation = obs - x
        s = p + r
        gain = p / s
        x = x + gain * innovation
        p = (1 - gain) * p
        out[k] = x
        log_likelihood -= 0.5 * (np.log(s) + innovation**2 / s)
    return out, log_likelihood


def fft_by_butterflies(re, im):
    """Cooley and Tukey, in place, on a length that doubles."""
    n = len(re)
    re, im = re.copy(), im.copy()
    size = 2
    while size <= n:
        half = size // 2
        for start in range(0, n, size):
            for k in range(half):
                angle = -2 * math.pi * k / size
                c, s = math.cos(angle), math.sin(angle)
                i, j = start + k, start + k + half
                tr = c * re[j] - s * im[j]
                ti = c * im[j] + s * re[j]
                re[j], im[j] = re[i] - tr, im[i] - ti
                re[i] += tr
                im[i] += ti
        size *= 2
    return re**2 + im**2


def ema_crossover(price, *, fast: float = 0.5, slow: float = 0.1):
    """A flag that elements set."""
    f = s = price[0]
    pnl, holding = 0.0, False
    for t in range(1, len(price)):
        if holding:
            pnl = pnl + price[t] - price[t - 1]
        f = fast * price[t] + (1 - fast) * f
        s = slow * price[t] + (1 - slow) * s
        holding = bool(f > s)
    return pnl


def edit_distance_soft(a, b, *, gap: float = 1.0):
    """Python's `min` of entries."""
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1))
    d[:, 0] = np.arange(n + 1) * gap
    d[0, :] = np.arange(m + 1) * gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            d[i, j] = min(d[i - 1, j] + gap, d[i, j - 1] + gap, d[i - 1, j - 1] + cost)
    return d[n, m]


def optimal_bst(p):
    """The cheapest search tree."""
    n = len(p)
    cost = np.zeros((n + 1, n + 1))
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            j = i + length
            best = np.inf
            for root in range(i, j):
                best = np.minimum(best, cost[i, root] + cost[root + 1, j])
            cost[i, j] = best + np.sum(p[i:j])
    return cost[0, n]


def rk45_adaptive(x, *, tolerance: float = 1e-3, end: float = 1.0):
    """Steps that grow until a time is reached."""

    def f(t, y):
        return -2.0 * y + np.sin(t)

    t, h = 0.0, 0.25
    while t < end:
        h = min(h, end - t)
        k1 = f(t, x)
        k2 = f(t + h / 2, x + h / 2 * k1)
        k3 = f(t + h, x - h * k1 + 2 * h * k2)
        x = x + h / 6 * (k1 + 4 * k2 + k3)
        t += h
        h *= 1.1
    return x


def spring_pendulum(q, p, *, dt: float = 0.05, steps: int = 6, consts: "tuple[float, float]" = (10.0, 9.81)):
    """Symplectic steps."""
    k, g = consts
    for _ in range(steps):
        r = np.sqrt(np.sum(q**2))
        force = -k * (r - 1.0) * q / r
        force[1] -= g
        p = p + dt * force
        q = q + dt * p
    return 0.5 * np.sum(p * p) + 0.5 * k * (np.linalg.norm(q) - 1.0) ** 2 + g * q[1]


def heat_crank_nicolson(u, *, r: float = 0.4, steps: int = 3):
    """A tridiagonal system per step."""
    n = len(u)
    a, b, c = -r / 2, 1 + r, -r / 2
    for _ in range(steps):
        d = u.copy()
        d[1:-1] += r / 2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        cp = np.zeros(n)
        dp = np.zeros(n)
        cp[0], dp[0] = 0.0, d[0]
        for i in range(1, n - 1):
            m = b - a * cp[i - 1]
            cp[i] = c / m
            dp[i] = (d[i] - a * dp[i - 1]) / m
        dp[n - 1] = d[n - 1]
        x = dp.copy()
        for i in range(n - 2, -1, -1):
            x[i] = dp[i] - cp[i] * x[i + 1]
        u = x
    return u


def logistic_irls(x, y, w):
    """Newton's steps for a regression."""
    for _ in range(2):
        eta = x @ w
        mu = 1.0 / (1.0 + np.exp(-eta))
        s = mu * (1 - mu) + 1e-3
        hessian = x.T @ (s[:, None] * x) + 0.1 * np.eye(x.shape[1])
        w = w + np.linalg.solve(hessian, x.T @ (y - mu) - 0.1 * w)
    return w


def mixture_em(x, means, *, rounds: int = 3, weights: "tuple[float, ...]" = (0.5, 0.5), spread: float = 0.7):
    """Rounds of expectation and maximization, with a zip in a comprehension."""
    for _ in range(rounds):
        scores = np.stack(
            [np.log(w) - 0.5 * ((x - m) / spread) ** 2 for w, m in zip(weights, means, strict=False)]
        )
        scores = scores - scores.max(axis=0, keepdims=True)
        resp = np.exp(scores)
        resp /= resp.sum(axis=0)
        means = (resp @ x) / resp.sum(axis=1)
    return means


def theil_sen_soft(x, y, *, sharp: float = 2.0):
    """Slopes of near pairs, by an early `continue`."""
    slopes = []
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if j - i > 3:
                continue
            slopes.append((y[j] - y[i]) / (x[j] - x[i]))
    slopes = np.array(slopes)
    centre = np.mean(slopes)
    w = np.exp(-sharp * np.abs(slopes - centre))
    return np.sum(w * slopes) / np.sum(w)


def moving_window(x, *, width: int = 3):
    """A sum that moves, by a while loop."""
    acc = np.sum(x[:width])
    out = [acc / width]
    i = width
    while i < len(x):
        acc += x[i] - x[i - width]
        out.append(acc / width)
        i += 1
    return np.array(out)


def horner_both(coeffs, t):
    """A polynomial and its derivative, backwards."""
    value, slope = coeffs[-1], 0.0
    for c in reversed(coeffs[:-1]):
        slope = slope * t + value
        value = value * t + c
    return value, slope


def power_iteration(a, *, rounds: int = 6):
    """The largest eigenvalue."""
    v = np.ones(a.shape[0]) / np.sqrt(a.shape[0])
    for _ in range(rounds):
        v = a @ v
        v /= np.linalg.norm(v)
    return v @ a @ v


def tax(
    income,
    *,
    brackets: "tuple[float, ...]" = (0.5, 1.0, 1.5),
    rates: "tuple[float, ...]" = (0.1, 0.2, 0.3, 0.4),
):
    """Brackets as constants."""
    total, low = 0.0, 0.0
    for high, rate in zip(brackets, rates, strict=False):
        total = total + rate * np.clip(income - low, 0.0, high - low)
        low = high
    return total + rates[-1] * np.maximum(income - low, 0.0)


def quadtree_sum(z, *, leaf: int = 1):
    """Levels that halve, by a while loop on a size."""
    level, total, weight = z, 0.0, 1.0
    while level.shape[0] > leaf:
        level = level[::2, ::2] + level[1::2, ::2] + level[::2, 1::2] + level[1::2, 1::2]
        total = total + weight * np.sum(level**2)
        weight *= 0.5
    return total


def color_grade(
    rgb,
    *,
    gamma: float = 2.2,
    matrix: "tuple[tuple[float, ...], ...]" = ((0.9, 0.1, 0.0), (0.0, 1.0, 0.0), (0.1, 0.0, 0.9)),
):
    m = np.array(matrix)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** gamma)
    mixed = linear @ m.T
    luma = mixed @ np.array([0.2126, 0.7152, 0.0722])
    return np.where(luma[:, None] > 0.5, mixed, mixed**0.9)


def two_pointers(x, *, target: float = 2.0):
    """Two positions that meet."""
    i, j, best = 0, len(x) - 1, 0.0
    while i < j:
        best = best + np.exp(-((x[i] + x[j] - target) ** 2))
        if (i + j) % 2:
            i += 1
        else:
            j -= 1
    return best


SAMPLES = [
    (sir_with_lockdown, (np.array(0.5), np.array(0.2)), {}),
    (seir_age_groups, (positive(2, 2), positive(2), positive(2, seed=1) * 0.1), {}),
    (denavit_hartenberg, (positive(2),), {}),
    (ackermann_path, (positive(4), positive(4, seed=1) * 0.3), {}),
    (phong, (normal(4, 3), positive(3), normal(3, seed=2)), {}),
    (ray_sphere, (normal(4, 3), normal(4, 3, seed=3)), {}),
    (bilinear_resize, (positive(3, 4),), {}),
    (sobel, (positive(4, 5),), {}),
    (barrier_option, (normal(6, 3), np.array(1.0), np.array(0.3)), {}),
    (garch_likelihood, (normal(5), np.array(0.1), np.array(0.2), np.array(0.6)), {}),
    (amortise, (np.array(1000.0), np.array(0.01)), {}),
    (kalman_1d, (positive(4), np.array(0.1), np.array(0.3)), {}),
    (fft_by_butterflies, (positive(8), positive(8, seed=1)), {}),
    (ema_crossover, (positive(6),), {}),
    (edit_distance_soft, (positive(3), positive(4)), {}),
    (optimal_bst, (positive(4),), {}),
    (rk45_adaptive, (positive(2),), {}),
    (spring_pendulum, (positive(2), positive(2, seed=1)), {}),
    (heat_crank_nicolson, (positive(6),), {}),
    (logistic_irls, (normal(6, 2), (normal(6) > 0) * 1.0, positive(2)), {}),
    (mixture_em, (normal(6), np.array([-0.5, 0.7])), {}),
    (theil_sen_soft, (np.arange(5.0) + positive(5) * 0.1, positive(5)), {}),
    (moving_window, (positive(6),), {}),
    (horner_both, (positive(4), np.array(0.7)), {}),
    (power_iteration, (positive(3, 3),), {}),
    (tax, (positive(4),), {}),
    (quadtree_sum, (positive(4, 4),), {}),
    (color_grade, (positive(3, 3) / 2,), {}),
    (two_pointers, (positive(5),), {}),
]
