"""Algorithms as text books and lecture notes write them: until it converges, with tolerances and counters."""

import math

import numpy as np

from .samples import normal, positive


def newton_root(c, *, x0: float = 1.0, tol: float = 1e-10, max_iter: int = 50):
    """x^3 + x = c, by steps until one is small."""
    x = x0
    for _ in range(max_iter):
        fx = x**3 + x - c
        dfx = 3 * x**2 + 1
        step = fx / dfx
        x = x - step
        if np.abs(step) < tol:
            break
    return x


def secant(c, *, tol: float = 1e-9):
    """A `while` that two entries decide."""
    x0, x1 = 0.5 * c, 1.5 * c
    f0, f1 = x0 * x0 - c, x1 * x1 - c
    count = 0
    while np.abs(f1) > tol and count < 30:
        x2 = x1 - f1 * (x1 - x0) / (f1 - f0)
        x0, f0 = x1, f1
        x1, f1 = x2, x2 * x2 - c
        count += 1
    return x1


def fixed_point(a, b, *, tol: float = 1e-9, max_iter: int = 100):
    """x = cos(a x) + b, of a vector."""
    x = np.zeros_like(a)
    for _ in range(max_iter):
        x_new = 0.5 * np.cos(a * x) + b
        if np.linalg.norm(x_new - x) < tol:
            return x_new
        x = x_new
    return x


def golden_section(a, *, lo: float = -2.0, hi: float = 3.0, iterations: int = 10):
    """The least of (x - a)^2 + x^4 / 10: the interval follows comparisons."""
    phi = (math.sqrt(5) - 1) / 2
    left, right = lo, hi
    for _ in range(iterations):
        c = right - phi * (right - left)
        d = left + phi * (right - left)
        if (c - a) ** 2 + c**4 / 10 < (d - a) ** 2 + d**4 / 10:
            right = d
        else:
            left = c
    m = 0.5 * (left + right)
    return (m - a) ** 2 + m**4 / 10


def sor_until(a, b, *, omega: float = 1.1, tol: float = 1e-8, max_iter: int = 60):
    """Relaxation with a residual after each sweep."""
    n = b.shape[0]
    x = np.zeros(n)
    for _ in range(max_iter):
        for i in range(n):
            sigma = 0.0
            for j in range(n):
                if j != i:
                    sigma += a[i, j] * x[j]
            x[i] = (1 - omega) * x[i] + omega / a[i, i] * (b[i] - sigma)
        residual = np.linalg.norm(a @ x - b)
        if residual < tol:
            break
    return x


def power_method(a, v, *, tol: float = 1e-10, max_iter: int = 200):
    """The largest eigenvalue, until it does not change."""
    lam_old = 0.0
    v = v / np.linalg.norm(v)
    for _ in range(max_iter):
        w = a @ v
        lam = v @ w
        v = w / np.linalg.norm(w)
        if np.abs(lam - lam_old) < tol:
            break
        lam_old = lam
    return lam


def euler_maruyama(mu, sigma, dw, *, dt: float = 0.05):
    n_steps = len(dw)
    s = np.empty(n_steps + 1)
    s[0] = 1.0
    for t in range(n_steps):
        drift = mu * s[t] * dt
        diffusion = sigma * s[t] * dw[t]
        s[t + 1] = s[t] + drift + diffusion
    return s


def crank_nicolson_thomas(u0, alpha, *, nt: int = 3):
    """A tridiagonal system in each step of time, solved in place."""
    n = len(u0)
    u = u0.copy()
    for _ in range(nt):
        rhs = u.copy()
        rhs[1:-1] = u[1:-1] + 0.5 * alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
        c = np.zeros(n)
        d = np.zeros(n)
        c[0] = -0.5 * alpha / (1 + alpha)
        d[0] = rhs[0] / (1 + alpha)
        for i in range(1, n):
            m = 1 + alpha + 0.5 * alpha * c[i - 1]
            c[i] = -0.5 * alpha / m
            d[i] = (rhs[i] + 0.5 * alpha * d[i - 1]) / m
        u[n - 1] = d[n - 1]
        for i in range(n - 2, -1, -1):
            u[i] = d[i] - c[i] * u[i + 1]
    return u


def sandpile_energy(h, *, threshold: float = 1.0):
    """A grid whose entries flow to their neighbours where they are too high."""
    rows, cols = h.shape
    new = h.copy()
    for i in range(rows):
        for j in range(cols):
            if h[i, j] > threshold:
                excess = h[i, j] - threshold
                new[i, j] -= excess
                if i + 1 < rows:
                    new[i + 1, j] += 0.5 * excess
                if j + 1 < cols:
                    new[i, j + 1] += 0.5 * excess
    return (new**2).sum()


def ewma_volatility(returns, lam):
    """RiskMetrics."""
    var = returns[0] ** 2
    out = [var]
    for r in returns[1:]:
        var = lam * var + (1 - lam) * r**2
        out.append(var)
    return np.sqrt(np.array(out))


def cds_spread(hazard, recovery, *, maturity: int = 5, r: float = 0.03):
    protection = premium = 0.0
    survival = 1.0
    for year in range(1, maturity + 1):
        df = math.exp(-r * year)
        new_survival = np.exp(-hazard * year)
        protection += (1 - recovery) * df * (survival - new_survival)
        premium += df * 0.5 * (survival + new_survival)
        survival = new_survival
    return protection / premium


def heston_path(v0, kappa, theta, xi, z1, z2, *, dt: float = 0.1, rho: float = -0.5):
    """Full truncation: the variance that is used is never below zero."""
    logs, v = 0.0, v0
    for a, b in zip(z1, z2, strict=False):
        v_plus = np.maximum(v, 0.0)
        w = rho * a + math.sqrt(1 - rho**2) * b
        logs += -0.5 * v_plus * dt + np.sqrt(v_plus * dt) * a
        v += kappa * (theta - v_plus) * dt + xi * np.sqrt(v_plus * dt) * w
    return np.exp(logs), v


def hodges_lehmann_soft(x, *, beta: float = 4.0):
    """A list of pairs of means, and their soft middle."""
    means = []
    n = len(x)
    for i in range(n):
        for j in range(i, n):
            means.append(0.5 * (x[i] + x[j]))
    m = np.array(means)
    w = np.exp(-beta * np.abs(m - m.mean()))
    return np.sum(w * m) / np.sum(w)


def metropolis_chain(theta0, noise, log_u):
    """Proposals that are taken or not."""
    theta = theta0
    accepted = 0
    samples = np.zeros(len(noise))
    for t in range(len(noise)):
        proposal = theta + noise[t]
        log_ratio = -0.5 * proposal**2 + 0.5 * theta**2
        if log_u[t] < log_ratio:
            theta = proposal
            accepted += 1
        samples[t] = theta
    return samples.mean() * accepted / len(noise)


def forward_backward(pi, a, b):
    """Posterior marginals of a hidden chain, scaled at each step."""
    steps, states = b.shape
    alpha = np.zeros((steps, states))
    scale = np.zeros(steps)
    alpha[0] = pi * b[0]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, steps):
        alpha[t] = (alpha[t - 1] @ a) * b[t]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    beta = np.ones((steps, states))
    for t in reversed(range(steps - 1)):
        beta[t] = a @ (b[t + 1] * beta[t + 1]) / scale[t + 1]
    return alpha * beta, np.log(scale).sum()


def pll(signal, *, kp: float = 0.3, ki: float = 0.02, omega: float = 0.5):
    """A phase-locked loop."""
    phase, integral = 0.0, 0.0
    out = np.zeros_like(signal)
    for k, sample in enumerate(signal):
        error = sample * -np.sin(phase)
        integral += ki * error
        phase += omega + kp * error + integral
        out[k] = np.cos(phase)
    return out


def median_filter_soft(x, *, half: int = 1, beta: float = 3.0):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        lo, hi = max(0, i - half), min(n, i + half + 1)
        window = x[lo:hi]
        weights = np.exp(-beta * np.abs(window[:, None] - window[None, :]).sum(axis=1))
        y[i] = (weights * window).sum() / weights.sum()
    return y


def levinson_durbin(r, *, order: int = 3):
    """Coefficients of a linear prediction."""
    a = np.zeros(order + 1)
    a[0] = 1.0
    e = r[0]
    for i in range(1, order + 1):
        acc = r[i]
        for j in range(1, i):
            acc = acc + a[j] * r[i - j]
        k = -acc / e
        new = a.copy()
        for j in range(1, i):
            new[j] = a[j] + k * a[i - j]
        new[i] = k
        a = new
        e = e * (1 - k**2)
    return a, e


def rod_cutting(prices, *, length: int = 6):
    """The best of all cuts, with a table of numbers of pieces."""
    best = np.zeros(length + 1)
    for n in range(1, length + 1):
        top = -1e9
        for cut in range(1, min(n, len(prices)) + 1):
            value = prices[cut - 1] + best[n - cut]
            if value > top:
                top = value
        best[n] = top
    return best[length]


def needleman_wunsch(score, *, gap: float = -0.4):
    n, m = score.shape
    table = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        table[i, 0] = gap * i
    for j in range(1, m + 1):
        table[0, j] = gap * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            table[i, j] = max(
                table[i - 1, j - 1] + score[i - 1, j - 1], table[i - 1, j] + gap, table[i, j - 1] + gap
            )
    return table[-1, -1]


def line_search(x, g, *, shrink: float = 0.5):
    """Armijo: steps are halved until one is good."""

    def f(p):
        return np.sum(p**4) + np.sum(p**2)

    t = 1.0
    start = f(x)
    slope = np.sum(g**2)
    while f(x - t * g) > start - 0.3 * t * slope:
        t *= shrink
    return x - t * g


HEUN = ((0.0, 0.0, 0.0), (1 / 3, 0.0, 0.0), (0.0, 2 / 3, 0.0))


def explicit_runge_kutta(y, h, *, b: tuple[float, ...] = (0.25, 0.0, 0.75), steps: int = 3):
    """A method by its Butcher tableau: each stage begins with the slopes of those before it."""
    for _ in range(steps):
        k = []
        for i in range(len(b)):
            yi = y
            for j in range(i):
                yi = yi + h * HEUN[i][j] * k[j]
            k.append(np.stack([yi[1], -np.sin(yi[0]) - 0.1 * yi[1]]))
        for weight, slope in zip(b, k, strict=True):
            y = y + h * weight * slope
    return y


def adams_bashforth(y, h, *, weights: tuple[float, ...] = (23 / 12, -16 / 12, 5 / 12), steps: int = 5):
    """The last slopes, as many as there are."""
    slopes = []
    for _ in range(steps):
        slopes.append(np.cos(y) - y)
        if len(slopes) < len(weights):
            y = y + h * slopes[-1]
            continue
        for j in range(len(weights)):
            y = y + h * weights[j] * slopes[-1 - j]
    return y


def pair_potential(positions):
    """Each pair once, by the places above the diagonal."""
    i, j = np.triu_indices(positions.shape[0], k=1)
    d = np.sqrt(np.sum((positions[i] - positions[j]) ** 2, axis=-1))
    return np.sum(d**-4 - d**-2)


def runge_kutta_fehlberg(y0, k, *, t_end: float = 1.0, h0: float = 0.25, tol: float = 1e-3):
    """Steps as long as the error allows."""
    t, h, y = 0.0, h0, y0
    while t < t_end:
        h = min(h, t_end - t)
        k1 = -k * y
        k2 = -k * (y + h * k1)
        err = np.max(np.abs(0.5 * h * (k2 - k1)))
        if err < tol:
            y = y + 0.5 * h * (k1 + k2)
            t += h
            h *= 1.5
        else:
            h *= 0.5
    return y


_SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])

SAMPLES = [
    (newton_root, [np.array(2.5)], {}),
    (secant, [np.array(3.1)], {}),
    (fixed_point, [normal(4), normal(4)], {}),
    (golden_section, [np.array(0.73)], {}),
    (sor_until, [_SPD, normal(3)], {}),
    (power_method, [_SPD, positive(3)], {}),
    (euler_maruyama, [np.array(0.1), np.array(0.3), 0.2 * normal(6)], {}),
    (crank_nicolson_thomas, [positive(6), np.array(0.3)], {}),
    (sandpile_energy, [2.0 * positive(3, 4)], {}),
    (ewma_volatility, [0.1 * normal(6), np.array(0.94)], {}),
    (cds_spread, [np.array(0.02), np.array(0.4)], {}),
    (heston_path, [*map(np.array, (0.3, 0.5, 0.4, 0.6)), 0.3 * normal(5), 0.3 * normal(5, seed=1)], {}),
    (hodges_lehmann_soft, [normal(5)], {}),
    (metropolis_chain, [np.array(0.4), normal(6), np.log(positive(6) / 3)], {}),
    (forward_backward, [positive(2), positive(2, 2), positive(4, 2)], {}),
    (pll, [normal(7)], {}),
    (median_filter_soft, [normal(6)], {}),
    (levinson_durbin, [np.array([3.0, 1.0, 0.5, 0.2])], {}),
    (rod_cutting, [positive(4)], {}),
    (needleman_wunsch, [normal(4, 3)], {}),
    (line_search, [normal(3), 4.0 * normal(3)], {}),
    (explicit_runge_kutta, [positive(2), np.array(0.1)], {}),
    (adams_bashforth, [positive(3), np.array(0.1)], {}),
    (pair_potential, [positive(4, 3)], {}),
    (runge_kutta_fehlberg, [positive(3), np.array(0.8)], {}),
]
