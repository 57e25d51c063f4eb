"""Systems that are stepped through time: equations on grids, chains, filters, and tables of lives."""

import numpy as np

from .samples import normal, positive


def reaction_diffusion(u, v, *, feed: float = 0.04, kill: float = 0.06, dt: float = 0.5, steps: int = 3):
    """Two chemicals on a torus."""
    for _ in range(steps):
        lap_u = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u
        lap_v = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4 * v
        uvv = u * v**2
        u = u + dt * (0.16 * lap_u - uvv + feed * (1 - u))
        v = v + dt * (0.08 * lap_v + uvv - (feed + kill) * v)
    return u, v


def shallow_water(height, speed, *, dt: float = 0.05, steps: int = 4, gravity: float = 9.81):
    """Lax-Friedrichs, between reflecting walls."""
    h, q = height.copy(), height * speed
    for _ in range(steps):
        f_h = q
        f_q = q**2 / h + 0.5 * gravity * h**2
        new_h, new_q = np.empty_like(h), np.empty_like(q)
        new_h[1:-1] = 0.5 * (h[2:] + h[:-2]) - 0.5 * dt * (f_h[2:] - f_h[:-2])
        new_q[1:-1] = 0.5 * (q[2:] + q[:-2]) - 0.5 * dt * (f_q[2:] - f_q[:-2])
        new_h[0], new_h[-1] = new_h[1], new_h[-2]
        new_q[0], new_q[-1] = -new_q[1], -new_q[-2]
        h, q = new_h, new_q
    return h, q / h


def poisson_red_black(source, *, sweeps: int = 3):
    """Gauss-Seidel on a chessboard: all red cells, then all black ones."""
    n, m = source.shape
    u = np.zeros((n + 2, m + 2))
    for _ in range(sweeps):
        for colour in (0, 1):
            for i in range(1, n + 1):
                for j in range(1 + (i + colour) % 2, m + 1, 2):
                    around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                    u[i, j] = 0.25 * (around - source[i - 1, j - 1])
    return u[1:-1, 1:-1]


def adi_step(u, *, r: float = 0.4):
    """Alternating directions: rows are solved first, then columns, by the Thomas algorithm."""

    def solve(d):
        n = d.shape[0]
        c = np.zeros(n)
        x = np.zeros_like(d)
        c[0] = -r / (1 + 2 * r)
        x[0] = d[0] / (1 + 2 * r)
        for i in range(1, n):
            pivot = 1 + 2 * r + r * c[i - 1]
            c[i] = -r / pivot
            x[i] = (d[i] + r * x[i - 1]) / pivot
        for i in range(n - 2, -1, -1):
            x[i] -= c[i] * x[i + 1]
        return x

    half = solve(u)
    return solve(half.T).T


def adams_bashforth(y0, rates, *, dt: float = 0.1, steps: int = 5):
    """Two steps back, started by Euler; predator and prey."""
    a, b, c, d = rates

    def f(y):
        prey, predator = y
        return np.array([a * prey - b * prey * predator, -c * predator + d * prey * predator])

    y = y0
    before = f(y)
    y = y + dt * before
    trajectory = [y0, y]
    for _ in range(steps - 1):
        now = f(y)
        y = y + dt * (1.5 * now - 0.5 * before)
        before = now
        trajectory.append(y)
    return np.array(trajectory)


def van_der_pol_implicit(state, mu, *, dt: float = 0.05, steps: int = 3):
    """Backward Euler, each step by Newton's method with a matrix of two by two."""
    x, v = state[0], state[1]
    for _ in range(steps):
        nx, nv = x, v
        for _ in range(4):
            r1 = nx - x - dt * nv
            r2 = nv - v - dt * (mu * (1 - nx**2) * nv - nx)
            j21 = -dt * (-2 * mu * nx * nv - 1)
            j22 = 1 - dt * mu * (1 - nx**2)
            det = j22 + dt * j21
            nx = nx - (j22 * r1 + dt * r2) / det
            nv = nv - (r2 - j21 * r1) / det
        x, v = nx, nv
    return np.stack([x, v])


def three_bodies(positions, velocities, masses, *, dt: float = 0.01, steps: int = 3):
    """Velocity Verlet; accelerations from all pairs, softened."""

    def acceleration(p):
        a = np.zeros_like(p)
        for i in range(len(masses)):
            for j in range(i + 1, len(masses)):
                d = p[j] - p[i]
                pull = d / (np.dot(d, d) + 0.01) ** 1.5
                a[i] += masses[j] * pull
                a[j] -= masses[i] * pull
        return a

    p, v = positions.copy(), velocities.copy()
    a = acceleration(p)
    for _ in range(steps):
        p += v * dt + 0.5 * a * dt**2
        new = acceleration(p)
        v += 0.5 * (a + new) * dt
        a = new
    kinetic = 0.5 * np.sum(masses * np.sum(v**2, axis=1))
    return p, kinetic


def markov_stationary(logits, *, tolerance: float = 1e-6):
    """The distribution that a chain keeps, by repeated steps until it moves no more."""
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    pi = np.full(len(p), 1 / len(p))
    for _ in range(60):
        new = pi @ p
        change = np.abs(new - pi).max()
        pi = new
        if change < tolerance:
            break
    return pi


def absorption_times(p, *, absorbing: int = 2):
    """Expected steps until the first, the last or one more state, by a system of the others."""
    n = p.shape[0]
    inside = [k for k in range(n) if k != 0 and k != absorbing and k != n - 1]
    q = p[np.ix_(inside, inside)]
    return np.linalg.solve(np.eye(len(inside)) - q, np.ones(len(inside)))


def kalman_smoother(observations, q, r):
    """A local level: forward filter with its history, then the Rauch-Tung-Striebel pass backwards."""
    n = len(observations)
    mean, variance = np.zeros(n), np.zeros(n)
    predicted = np.zeros(n)
    m, p = observations[0], r
    for t in range(n):
        p_ahead = p + q
        predicted[t] = p_ahead
        gain = p_ahead / (p_ahead + r)
        m = m + gain * (observations[t] - m)
        p = (1 - gain) * p_ahead
        mean[t] = m
        variance[t] = p
    smooth = mean.copy()
    for t in reversed(range(n - 1)):
        g = variance[t] / predicted[t + 1]
        smooth[t] = mean[t] + g * (smooth[t + 1] - mean[t])
    return smooth, variance


def extended_kalman(ranges, x0, p0, *, dt: float = 0.1):
    """A moving target, seen by its distance; the likelihood of what was seen."""
    f = np.array([[1.0, 0.0, dt, 0.0], [0.0, 1.0, 0.0, dt], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    x, p, loglik = x0, p0, 0.0
    for z in ranges:
        x = f @ x
        p = f @ p @ f.T + 0.01 * np.eye(4)
        distance = np.sqrt(x[0] ** 2 + x[1] ** 2)
        h = np.array([x[0] / distance, x[1] / distance, 0.0, 0.0])
        s = h @ p @ h + 0.1
        k = p @ h / s
        innovation = z - distance
        x = x + k * innovation
        p = p - np.outer(k, h @ p)
        loglik -= 0.5 * (np.log(2 * np.pi * s) + innovation**2 / s)
    return x, loglik


def life_table(hazard, *, interest: float = 0.03, ages: int = 6):
    """Survivors, deaths, annuities and the net premium of a whole life insurance."""
    lx = [100.0]
    dx = []
    for age in range(ages):
        q = 1 - np.exp(-hazard[age])
        dx.append(lx[-1] * q)
        lx.append(lx[-1] * (1 - q))
    v = 1 / (1 + interest)
    annuity = sum(lx[t] / lx[0] * v**t for t in range(ages))
    insurance = sum(dx[t] / lx[0] * v ** (t + 1) for t in range(ages))
    return insurance / annuity


def chain_ladder(triangle):
    """Factors of a triangle of claims, and the ultimate of each year."""
    n = len(triangle)
    factors = np.ones(n - 1)
    for j in range(n - 1):
        factors[j] = np.sum(triangle[: n - j - 1, j + 1]) / np.sum(triangle[: n - j - 1, j])
    full = triangle.copy()
    for i in range(1, n):
        for j in range(n - i, n):
            full[i, j] = full[i, j - 1] * factors[j - 1]
    reserves = full[:, -1] - np.array([full[i, n - 1 - i] for i in range(n)])
    return full[:, -1], reserves.sum()


SAMPLES = [
    (reaction_diffusion, (positive(3, 4), 0.3 * positive(3, 4, seed=1)), {}),
    (shallow_water, (positive(6), 0.1 * normal(6)), {}),
    (poisson_red_black, (normal(3, 4),), {}),
    (adi_step, (normal(4, 3),), {}),
    (adams_bashforth, (positive(2), positive(4)), {}),
    (van_der_pol_implicit, (normal(2), np.array(1.5)), {}),
    (three_bodies, (normal(3, 2), normal(3, 2, seed=1), positive(3)), {}),
    (markov_stationary, (normal(3, 3),), {}),
    (absorption_times, (0.15 * positive(5, 5),), {}),
    (kalman_smoother, (normal(6), np.array(0.3), np.array(0.7)), {}),
    (extended_kalman, (positive(4), np.array([1.0, 1.0, 0.5, -0.2]), 0.5 * np.eye(4)), {}),
    (life_table, (0.2 * positive(6),), {}),
    (chain_ladder, (np.cumsum(positive(4, 4), axis=1),), {}),
]
