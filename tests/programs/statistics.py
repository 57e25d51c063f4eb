"""Likelihoods, filters and estimators."""

import numpy as np
from scipy.special import gammaln, logsumexp

from .samples import integers, normal, positive

LOG_2PI = np.log(2 * np.pi)


def logistic_log_likelihood(weights, features, labels):
    """Labels are zeros and ones, as whole numbers."""
    z = features @ weights
    return np.sum(labels * z - np.log1p(np.exp(z)))


def logistic_stable(weights, features, labels):
    """With np.logaddexp, and booleans as labels."""
    z = np.dot(features, weights)
    signed = np.where(labels, z, -z)
    return -np.mean(np.logaddexp(0.0, -signed))


def poisson_log_likelihood(beta, x, counts, *, offset: float = 0.0):
    eta = x @ beta + offset
    return np.sum(counts * eta - np.exp(eta) - gammaln(counts + 1))


def negative_binomial(counts, mu, alpha):
    """The usual form of a regression with overdispersion."""
    r = 1 / alpha
    p = r / (r + mu)
    log_prob = gammaln(counts + r) - gammaln(r) - gammaln(counts + 1) + r * np.log(p) + counts * np.log(1 - p)
    return log_prob.sum()


def gaussian_mixture(x, logits, means, log_scales):
    """Log likelihood of a one-dimensional mixture."""
    log_weights = logits - logsumexp(logits)
    z = (x[:, None] - means) / np.exp(log_scales)
    log_density = -0.5 * z**2 - log_scales - 0.5 * LOG_2PI
    return np.sum(logsumexp(log_weights + log_density, axis=1))


def mixture_by_loops(x, weights, means, scales):
    """The same, as one writes it first."""
    total = 0.0
    w = weights / np.sum(weights)
    for i in range(len(x)):
        p = 0.0
        for k in range(len(means)):
            z = (x[i] - means[k]) / scales[k]
            p += w[k] * np.exp(-0.5 * z * z) / (scales[k] * np.sqrt(2 * np.pi))
        total += np.log(p)
    return total


def kernel_density(points, data, bandwidth):
    z = (points.reshape(-1, 1) - data.reshape(1, -1)) / bandwidth
    kernel = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return kernel.mean(axis=1) / bandwidth


def epanechnikov_density(points, data, *, bandwidth: float = 0.8):
    """A kernel of compact support, by a boolean mask."""
    u = (points[:, np.newaxis] - data) / bandwidth
    k = 0.75 * (1 - u**2) * (np.abs(u) <= 1)
    return np.sum(k, axis=1) / (data.size * bandwidth)


def ar1_likelihood(x, phi, log_sigma):
    sigma2 = np.exp(2 * log_sigma)
    residuals = x[1:] - phi * x[:-1]
    first = x[0] ** 2 * (1 - phi**2)
    n = x.shape[0]
    return -0.5 * (
        n * np.log(2 * np.pi * sigma2) - np.log(1 - phi**2) + (first + np.sum(residuals**2)) / sigma2
    )


def garch_likelihood(returns, omega, alpha, beta):
    """The variance is filled in step by step."""
    n = len(returns)
    sigma2 = np.zeros(n)
    sigma2[0] = np.var(returns)
    for t in range(1, n):
        sigma2[t] = omega + alpha * returns[t - 1] ** 2 + beta * sigma2[t - 1]
    return -0.5 * np.sum(np.log(2 * np.pi) + np.log(sigma2) + returns**2 / sigma2)


def kalman_filter(observations, a, c, q, r):
    """A scalar state; the filtered means and the log likelihood."""
    mean, var = 0.0, 1.0
    means = []
    log_likelihood = 0.0
    for y in observations:
        mean, var = a * mean, a * var * a + q
        innovation = y - c * mean
        s = c * var * c + r
        gain = var * c / s
        mean = mean + gain * innovation
        var = (1 - gain * c) * var
        log_likelihood += -0.5 * (np.log(2 * np.pi * s) + innovation**2 / s)
        means.append(mean)
    return np.array(means), log_likelihood


def kalman_matrix(z, transition, observation, q, r):
    """A state of several dimensions."""
    n = transition.shape[0]
    x = np.zeros(n)
    p = np.eye(n)
    for t in range(z.shape[0]):
        x = transition @ x
        p = transition @ p @ transition.T + q
        s = observation @ p @ observation.T + r
        k = p @ observation.T @ np.linalg.inv(s)
        x = x + k @ (z[t] - observation @ x)
        p = (np.eye(n) - k @ observation) @ p
    return x, p


def hmm_forward(log_start, log_transition, log_emission):
    """The forward algorithm in logarithms."""
    alpha = log_start + log_emission[0]
    for t in range(1, log_emission.shape[0]):
        alpha = logsumexp(alpha[:, None] + log_transition, axis=0) + log_emission[t]
    return logsumexp(alpha)


def hmm_forward_table(start, transition, emission, observations):
    """With a table, normalised at each time, and whole numbers as observations."""
    steps = len(observations)
    states = len(start)
    alpha = np.zeros((steps, states))
    scale = np.zeros(steps)
    alpha[0, :] = start * emission[:, observations[0]]
    scale[0] = np.sum(alpha[0])
    alpha[0] /= scale[0]
    for t in range(1, steps):
        for j in range(states):
            alpha[t, j] = np.dot(alpha[t - 1], transition[:, j]) * emission[j, observations[t]]
        scale[t] = np.sum(alpha[t])
        alpha[t] /= scale[t]
    return np.sum(np.log(scale))


def ridge_regression(x, y, *, penalty: float = 0.1):
    """The closed form."""
    n_features = x.shape[1]
    return np.linalg.solve(x.T @ x + penalty * np.eye(n_features), x.T @ y)


def ridge_loss(w, b, x, y, *, penalty: float = 0.1, mean: bool = True):
    residual = x @ w + b - y
    if mean:
        data = np.mean(residual**2)
    else:
        data = np.sum(residual**2)
    return data + penalty * np.sum(w**2)


def bootstrap_means(data, indices):
    """Resamples with given positions, and the variance of their means."""
    means = np.array([data[rows].mean() for rows in indices])
    return np.var(means, ddof=1)


def bootstrap_ratio(x, y, indices):
    resampled_x = x[indices]
    resampled_y = y[indices]
    ratios = resampled_x.mean(axis=1) / resampled_y.mean(axis=1)
    return ratios.mean(), ratios.std()


def mahalanobis(x, mean, cov):
    delta = x - mean
    return np.sqrt(np.einsum("ni,ij,nj->n", delta, np.linalg.inv(cov), delta))


def gaussian_log_density(x, mean, factor):
    """By the Cholesky factor."""
    cov = factor @ factor.T + np.eye(len(mean))
    chol = np.linalg.cholesky(cov)
    z = np.linalg.solve(chol, x - mean)
    return -0.5 * z @ z - np.sum(np.log(np.diag(chol))) - 0.5 * len(mean) * LOG_2PI


def weighted_moments(x, weights):
    """Mean, variance and skewness."""
    w = weights / weights.sum()
    mean = np.sum(w * x)
    variance = np.sum(w * (x - mean) ** 2)
    skewness = np.sum(w * (x - mean) ** 3) / variance**1.5
    return mean, variance, skewness


def pearson(x, y):
    xm = x - x.mean()
    ym = y - y.mean()
    return np.sum(xm * ym) / np.sqrt(np.sum(xm**2) * np.sum(ym**2))


def huber(residuals, *, delta: float = 1.0):
    a = np.abs(residuals)
    return np.where(a <= delta, 0.5 * residuals**2, delta * (a - 0.5 * delta)).sum()


def running_moments(x):
    """Welford's algorithm."""
    mean = 0.0
    m2 = 0.0
    count = 0
    for value in x:
        count += 1
        delta = value - mean
        mean += delta / count
        m2 += delta * (value - mean)
    if count < 2:
        return mean, m2
    return mean, m2 / (count - 1)


def group_means(x, groups, *, n_groups: int = 3):
    """Sums and counts by np.add.at's simple cousin: a loop."""
    sums = np.zeros(n_groups)
    counts = np.zeros(n_groups)
    for i in range(len(x)):
        sums[groups[i]] += x[i]
        counts[groups[i]] += 1
    return sums / np.maximum(counts, 1)


def metropolis_energy(x, proposals, uniforms, *, temperature: float = 1.0):
    """A chain of accepted and refused proposals."""
    energy = 0.5 * np.sum(x**2)
    for k in range(proposals.shape[0]):
        candidate = x + proposals[k]
        new_energy = 0.5 * np.sum(candidate**2)
        accept = uniforms[k] < np.exp(-(new_energy - energy) / temperature)
        x = np.where(accept, candidate, x)
        energy = np.where(accept, new_energy, energy)
    return x, energy


EMISSION = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
TRANSITION = np.array([[0.8, 0.2], [0.3, 0.7]])

SAMPLES = [
    (logistic_log_likelihood, (normal(3), normal(5, 3), integers(2, 5)), {}),
    (logistic_stable, (normal(3), normal(5, 3), integers(2, 5) == 1), {}),
    (poisson_log_likelihood, (normal(2), normal(4, 2), integers(5, 4)), {}),
    (poisson_log_likelihood, (normal(2), normal(4, 2), integers(5, 4)), {"offset": 0.5}),
    (negative_binomial, (integers(6, 4), positive(4), np.array(0.7)), {}),
    (gaussian_mixture, (normal(4), normal(3), normal(3, seed=1), normal(3, seed=2) * 0.3), {}),
    (mixture_by_loops, (normal(4), positive(2), normal(2), positive(2, seed=1)), {}),
    (kernel_density, (normal(3), normal(4), np.array(0.5)), {}),
    (
        epanechnikov_density,
        (
            normal(3),
            normal(6),
        ),
        {},
    ),
    (ar1_likelihood, (normal(6), np.array(0.4), np.array(-0.2)), {}),
    (garch_likelihood, (normal(6), np.array(0.1), np.array(0.2), np.array(0.6)), {}),
    (kalman_filter, (normal(4), np.array(0.9), np.array(1.1), np.array(0.2), np.array(0.5)), {}),
    (
        kalman_matrix,
        (
            normal(3, 1),
            np.array([[1.0, 0.1], [0.0, 0.9]]),
            np.array([[1.0, 0.2]]),
            0.1 * np.eye(2),
            np.eye(1),
        ),
        {},
    ),
    (hmm_forward, (np.log(positive(3)), np.log(positive(3, 3)), np.log(positive(4, 3))), {}),
    (hmm_forward_table, (np.array([0.6, 0.4]), TRANSITION, EMISSION, np.array([0, 2, 1, 2])), {}),
    (ridge_regression, (normal(5, 3), normal(5)), {}),
    (ridge_loss, (normal(3), np.array(0.2), normal(4, 3), normal(4)), {}),
    (ridge_loss, (normal(3), np.array(0.2), normal(4, 3), normal(4)), {"mean": False, "penalty": 1.0}),
    (bootstrap_means, (normal(5), integers(5, 3, 5)), {}),
    (bootstrap_ratio, (positive(5), positive(5, seed=1), integers(5, 3, 5)), {}),
    (mahalanobis, (normal(4, 2), normal(2), np.array([[2.0, 0.3], [0.3, 1.0]])), {}),
    (gaussian_log_density, (normal(3), normal(3, seed=1), normal(3, 3)), {}),
    (weighted_moments, (normal(5), positive(5)), {}),
    (pearson, (normal(5), normal(5, seed=1)), {}),
    (huber, (np.array([-2.0, -0.5, 0.3, 1.7]),), {}),
    (running_moments, (normal(5),), {}),
    (running_moments, (normal(1),), {}),
    (group_means, (normal(6), integers(3, 6)), {}),
    (metropolis_energy, (normal(3), normal(3, 3, seed=1), np.array([0.3, 0.5, 0.9])), {}),
]
