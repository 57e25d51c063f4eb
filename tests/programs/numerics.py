"""Quadrature, roots, linear systems, polynomials and curves."""

import numpy as np

from .samples import normal, positive


def simpson(y, *, dx: float = 0.1):
    """Simpson's weights are written into an array of ones."""
    n = y.shape[0]
    w = np.ones(n)
    w[1:-1:2] = 4
    w[2:-1:2] = 2
    return dx / 3 * np.sum(w * y)


def trapezoid(y, x):
    return np.sum((y[1:] + y[:-1]) * np.diff(x)) / 2


def cumulative_trapezoid(y, *, dx: float = 0.5):
    result = np.zeros_like(y)
    for i in range(1, len(y)):
        result[i] = result[i - 1] + 0.5 * dx * (y[i] + y[i - 1])
    return result


def quadrature_of_function(a, b, *, n: int = 6):
    """Simpson's rule of an integrand given as a helper."""

    def f(t):
        return np.exp(-(t**2)) * np.cos(3 * t)

    h = (b - a) / n
    total = f(a) + f(b)
    for k in range(1, n):
        total += (4 if k % 2 else 2) * f(a + k * h)
    return total * h / 3


def newton_cubic(c, *, iterations: int = 6):
    """The root of x**3 + x - c."""
    x = c
    for _ in range(iterations):
        x = x - (x**3 + x - c) / (3 * x**2 + 1)
    return x


def newton_until(c, *, tol: float = 1e-10, maximum: int = 20):
    """The usual loop that ends when the step is small."""
    x = np.ones_like(c)
    for _ in range(maximum):
        step = (x**3 - c) / (3 * x**2)
        x = x - step
        if np.max(np.abs(step)) < tol:
            break
    return x


def babylonian(a, *, tol: float = 1e-12):
    """A square root by a while loop."""
    x = a
    while np.abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


def bisection(c, *, iterations: int = 12):
    """The polished root: bisection finds the place, one Newton step the derivative."""
    low = np.zeros_like(c)
    high = np.full_like(c, 3.0)
    for _ in range(iterations):
        middle = 0.5 * (low + high)
        above = middle**2 > c
        high = np.where(above, middle, high)
        low = np.where(above, low, middle)
    x = 0.5 * (low + high)
    return x - (x**2 - c) / (2 * x)


def power_iteration(a, v, *, steps: int = 4):
    """The Rayleigh quotient after some steps."""
    for _ in range(steps):
        v = a @ v
        v = v / np.linalg.norm(v)
    return v @ a @ v


def jacobi(a, b, *, iterations: int = 4):
    """The off-diagonal part times the last iterate."""
    d = np.diag(a)
    r = a - np.diag(d)
    x = np.zeros_like(b)
    for _ in range(iterations):
        x = (b - r @ x) / d
    return x


def gauss_seidel(a, b, *, sweeps: int = 3):
    """In place, row by row."""
    n = len(b)
    x = np.zeros(n)
    for _ in range(sweeps):
        for i in range(n):
            s = 0.0
            for j in range(n):
                if j != i:
                    s += a[i, j] * x[j]
            x[i] = (b[i] - s) / a[i, i]
    return x


def successive_over_relaxation(a, b, omega, *, sweeps: int = 2):
    """Products of row slices."""
    n = b.shape[0]
    x = np.zeros_like(b)
    for _ in range(sweeps):
        for i in range(n):
            sigma = a[i, :i] @ x[:i] + a[i, i + 1 :] @ x[i + 1 :]
            x[i] = (1 - omega) * x[i] + omega * (b[i] - sigma) / a[i, i]
    return x


def cholesky(a):
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = np.sum(low[i, :j] * low[j, :j])
            if i == j:
                low[i, i] = np.sqrt(a[i, i] - s)
            else:
                low[i, j] = (a[i, j] - s) / low[j, j]
    return low


def lu_in_place(a):
    """Doolittle without pivots: both factors in one matrix."""
    lu = a.copy()
    n = lu.shape[0]
    for k in range(n - 1):
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return lu


def lu_determinant(a):
    """Elimination, then the product of the pivots."""
    u = np.array(a)
    n = len(u)
    det = 1.0
    for k in range(n):
        det *= u[k, k]
        for i in range(k + 1, n):
            factor = u[i, k] / u[k, k]
            u[i] = u[i] - factor * u[k]
    return det


def forward_substitution(low, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]
    return x


def gram_schmidt(a):
    """Columns are made orthonormal, one after the other."""
    q = np.zeros_like(a)
    for j in range(a.shape[1]):
        v = a[:, j]
        for k in range(j):
            v = v - np.dot(q[:, k], v) * q[:, k]
        q[:, j] = v / np.sqrt(np.sum(v**2))
    return q


def conjugate_gradient(a, b, *, iterations: int = 2):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    for _ in range(iterations):
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        rs_new = r @ r
        p = r + (rs_new / rs) * p
        rs = rs_new
    return x


def horner(coefficients, x):
    result = np.zeros_like(x)
    for c in coefficients:
        result = result * x + c
    return result


def horner_reversed(coefficients, x):
    """From the highest power, which stands last."""
    result = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        result = coefficients[k] + x * result
    return result


def polynomial_powers(coefficients, x):
    y = 0
    for power, c in enumerate(coefficients):
        y = y + c * x**power
    return y


def chebyshev(x, coefficients):
    """The recurrence of Chebyshev's polynomials, summed on the way."""
    t_prev, t = np.ones_like(x), x
    total = coefficients[0] * t_prev + coefficients[1] * t
    for k in range(2, len(coefficients)):
        t_prev, t = t, 2 * x * t - t_prev
        total += coefficients[k] * t
    return total


def legendre(x, *, degree: int = 4):
    """Bonnet's recurrence; early returns for the first two."""
    if degree == 0:
        return np.ones_like(x)
    if degree == 1:
        return x
    before = np.ones_like(x)
    p = x
    for n in range(1, degree):
        before, p = p, ((2 * n + 1) * x * p - n * before) / (n + 1)
    return p


def expm_squaring(a, *, squarings: int = 3, terms: int = 6):
    """A Taylor polynomial of the scaled matrix, squared again."""
    scaled = a / 2**squarings
    result = np.eye(a.shape[0])
    term = np.eye(a.shape[0])
    for k in range(1, terms):
        term = term @ scaled / k
        result = result + term
    for _ in range(squarings):
        result = result @ result
    return result


def thomas(lower, diagonal, upper, rhs):
    """A tridiagonal system: one sweep forward, one back."""
    n = len(rhs)
    c = np.zeros(n)
    d = np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = rhs[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / m
        d[i] = (rhs[i] - lower[i] * d[i - 1]) / m
    x = np.zeros(n)
    x[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def de_boor(control, x, *, knots: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0), k: int = 3):
    """A quadratic B-spline in the span that begins at knots[k]."""
    p = 2
    d = [control[j + k - p] for j in range(p + 1)]
    for r in range(1, p + 1):
        for j in range(p, r - 1, -1):
            alpha = (x - knots[j + k - p]) / (knots[j + 1 + k - r] - knots[j + k - p])
            d[j] = (1 - alpha) * d[j - 1] + alpha * d[j]
    return d[p]


def de_casteljau(control, t):
    """A Bezier curve: the control points are averaged until one is left."""
    points = control
    while len(points) > 1:
        points = (1 - t) * points[:-1] + t * points[1:]
    return points[0]


def richardson(x, *, h: float = 0.1, levels: int = 3):
    """The triangle of extrapolated central differences."""
    table = np.zeros((levels, levels))
    for i in range(levels):
        step = h / 2**i
        table[i, 0] = (np.sin(x + step) * (x + step) - np.sin(x - step) * (x - step)) / (2 * step)
        for j in range(1, i + 1):
            table[i, j] = table[i, j - 1] + (table[i, j - 1] - table[i - 1, j - 1]) / (4**j - 1)
    return table[levels - 1, levels - 1]


def lagrange(nodes, values, x):
    total = 0.0
    n = len(nodes)
    for i in range(n):
        basis = 1.0
        for j in range(n):
            if j == i:
                continue
            basis = basis * (x - nodes[j]) / (nodes[i] - nodes[j])
        total = total + values[i] * basis
    return total


def divided_differences(nodes, values):
    """Newton's coefficients, overwritten from the end."""
    c = values.copy()
    n = len(nodes)
    for k in range(1, n):
        c[k:] = (c[k:] - c[k - 1 : -1]) / (nodes[k:] - nodes[:-k])
    return c


SPD = np.array([[4.0, 0.5, 0.2], [0.5, 3.0, -0.4], [0.2, -0.4, 5.0]])

SAMPLES = [
    (simpson, (normal(7),), {}),
    (trapezoid, (normal(5), np.array([0.0, 0.2, 0.7, 1.0, 1.6])), {}),
    (cumulative_trapezoid, (normal(5),), {}),
    (quadrature_of_function, (np.array(0.1), np.array(1.3)), {}),
    (newton_cubic, (positive(3),), {}),
    (newton_until, (positive(3),), {}),
    (babylonian, (np.array(1.7),), {}),
    (bisection, (positive(3),), {}),
    (power_iteration, (SPD, positive(3)), {}),
    (jacobi, (SPD, normal(3)), {}),
    (gauss_seidel, (SPD, normal(3)), {}),
    (successive_over_relaxation, (SPD, normal(3), np.array(1.1)), {}),
    (cholesky, (SPD,), {}),
    (lu_in_place, (SPD,), {}),
    (lu_determinant, (SPD,), {}),
    (forward_substitution, (np.tril(SPD), normal(3)), {}),
    (gram_schmidt, (SPD[:, :2],), {}),
    (conjugate_gradient, (SPD, normal(3)), {}),
    (horner, (normal(4), normal(3)), {}),
    (horner_reversed, (normal(4), normal(3)), {}),
    (polynomial_powers, (normal(4), normal(3)), {}),
    (chebyshev, (normal(3), normal(4)), {}),
    (legendre, (normal(3),), {}),
    (legendre, (normal(3),), {"degree": 1}),
    (expm_squaring, (0.5 * normal(2, 2),), {}),
    (thomas, (normal(4), positive(4) + 4, normal(4, seed=1), normal(4, seed=2)), {}),
    (de_boor, (normal(5), np.array(1.4)), {}),
    (de_casteljau, (normal(4, 2), np.array(0.4)), {}),
    (richardson, (np.array(0.7),), {}),
    (lagrange, (np.array([0.0, 0.5, 1.2]), normal(3), np.array([0.3, 0.8])), {}),
    (divided_differences, (np.array([0.0, 0.5, 1.2, 2.0]), normal(4)), {}),
]
