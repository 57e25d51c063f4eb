"""The operators of `workloads` by hand in Numba: a parallel loop over rows, gradients in the same loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange
from workloads import Workload

SCALE, CUBIC = math.sqrt(2 / math.pi), 0.044715
F = np.float32


@njit(parallel=True)
def simple(a: Any, b: Any) -> Any:
    r = np.empty_like(a)
    for k in prange(a.size):
        r[k] = (a[k] + b[k]) * b[k]
    return r


@njit(parallel=True)
def simple_grad(a: Any, b: Any, g: Any) -> Any:
    r, da, db = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    for k in prange(a.size):
        t = a[k] + b[k]
        r[k] = t * b[k]
        da[k] = g[k] * b[k]
        db[k] = g[k] * t + da[k]
    return r, da, db


@njit(parallel=True)
def gelu_tanh(x: Any) -> Any:
    y = np.empty_like(x)
    for k in prange(x.size):
        v = x[k]
        y[k] = F(0.5) * v * (F(1) + math.tanh(F(SCALE) * (v + F(CUBIC) * v * v * v)))
    return y


@njit(parallel=True)
def gelu_tanh_grad(x: Any, g: Any) -> Any:
    y, dx = np.empty_like(x), np.empty_like(x)
    for k in prange(x.size):
        v = x[k]
        t = math.tanh(F(SCALE) * (v + F(CUBIC) * v * v * v))
        y[k] = F(0.5) * v * (F(1) + t)
        slope = F(SCALE) * (F(1) + F(3 * CUBIC) * v * v)
        dx[k] = g[k] * F(0.5) * (F(1) + t + v * (F(1) - t * t) * slope)
    return y, dx


@njit(inline="always")
def _sigmoid(x: Any) -> Any:
    return F(0.5) + F(0.5) * math.tanh(F(0.5) * x)


@njit(parallel=True)
def lstm_cell(zi: Any, zf: Any, zg: Any, zo: Any, c: Any) -> Any:
    h, n = np.empty_like(c), np.empty_like(c)
    for r in prange(c.shape[0]):
        for k in range(c.shape[1]):
            n[r, k] = _sigmoid(zf[r, k]) * c[r, k] + _sigmoid(zi[r, k]) * math.tanh(zg[r, k])
            h[r, k] = _sigmoid(zo[r, k]) * math.tanh(n[r, k])
    return h, n


@njit(parallel=True)
def lstm_cell_grad(zi: Any, zf: Any, zg: Any, zo: Any, c: Any, gh: Any, gc: Any) -> Any:
    h, n = np.empty_like(c), np.empty_like(c)
    di, df, dg, do, dc = (
        np.empty_like(c), np.empty_like(c), np.empty_like(c), np.empty_like(c), np.empty_like(c),
    )  # fmt: skip
    for r in prange(c.shape[0]):
        for k in range(c.shape[1]):
            i, f, o = _sigmoid(zi[r, k]), _sigmoid(zf[r, k]), _sigmoid(zo[r, k])
            g = math.tanh(zg[r, k])
            n[r, k] = f * c[r, k] + i * g
            u = math.tanh(n[r, k])
            h[r, k] = o * u
            to_c = gc[r, k] + gh[r, k] * o * (F(1) - u * u)
            di[r, k] = to_c * g * i * (F(1) - i)
            df[r, k] = to_c * c[r, k] * f * (F(1) - f)
            dg[r, k] = to_c * i * (F(1) - g * g)
            do[r, k] = gh[r, k] * u * o * (F(1) - o)
            dc[r, k] = to_c * f
    return h, n, di, df, dg, do, dc


@njit(inline="always")
def _moments(row: Any) -> Any:
    total = F(0)
    for v in row:
        total += v
    mean = total / F(row.size)
    square = F(0)
    for v in row:
        square += (v - mean) * (v - mean)
    return mean, F(1) / F(math.sqrt(square / F(row.size) + F(1e-5)))


@njit(parallel=True)
def layer_norm(x: Any, w: Any, b: Any) -> Any:
    y = np.empty_like(x)
    for r in prange(x.shape[0]):
        mean, s = _moments(x[r])
        for k in range(x.shape[1]):
            y[r, k] = (x[r, k] - mean) * s * w[k] + b[k]
    return y


@njit(parallel=True)
def layer_norm_grad(x: Any, w: Any, b: Any, g: Any) -> Any:
    y, dx = np.empty_like(x), np.empty_like(x)
    parts = 16
    dw, db = np.zeros((parts, x.shape[1]), x.dtype), np.zeros((parts, x.shape[1]), x.dtype)
    for p in prange(parts):
        for r in range(p * x.shape[0] // parts, (p + 1) * x.shape[0] // parts):
            mean, s = _moments(x[r])
            along, total = F(0), F(0)
            for k in range(x.shape[1]):
                n = (x[r, k] - mean) * s
                y[r, k] = n * w[k] + b[k]
                along += g[r, k] * w[k] * n
                total += g[r, k] * w[k]
                dw[p, k] += g[r, k] * n
                db[p, k] += g[r, k]
            along, total = along / F(x.shape[1]), total / F(x.shape[1])
            for k in range(x.shape[1]):
                dx[r, k] = s * (g[r, k] * w[k] - total - (x[r, k] - mean) * s * along)
    return y, dx, dw.sum(0), db.sum(0)


@njit(parallel=True)
def cross_entropy(x: Any, p: Any) -> Any:
    loss = np.empty(x.shape[0], x.dtype)
    for r in prange(x.shape[0]):
        top, total, mass = x[r, 0], F(0), F(0)
        for v in x[r]:
            top = max(top, v)
        for v in x[r]:
            total += math.exp(v - top)
        log_total = F(math.log(total)) + top
        for k in range(x.shape[1]):
            mass += p[r, k] * (log_total - x[r, k])
        loss[r] = mass
    return loss


@njit(parallel=True)
def cross_entropy_grad(x: Any, p: Any, g: Any) -> Any:
    loss, dx, dp = np.empty(x.shape[0], x.dtype), np.empty_like(x), np.empty_like(x)
    for r in prange(x.shape[0]):
        top, total, mass, weight = x[r, 0], F(0), F(0), F(0)
        for v in x[r]:
            top = max(top, v)
        for k in range(x.shape[1]):
            dx[r, k] = math.exp(x[r, k] - top)
            total += dx[r, k]
            weight += p[r, k]
        log_total = F(math.log(total)) + top
        for k in range(x.shape[1]):
            negative = log_total - x[r, k]
            mass += p[r, k] * negative
            dx[r, k] = g[r] * (weight * dx[r, k] / total - p[r, k])
            dp[r, k] = g[r] * negative
        loss[r] = mass
    return loss, dx, dp


@njit(inline="always")
def _squared(p: Any, q: Any, length: Any) -> Any:
    total = F(0)
    for d in range(p.size):
        step = (p[d] - q[d]) / length
        total += step * step
    return total


@njit(parallel=True)
def gp_covariance(x1: Any, x2: Any, length: Any, variance: Any) -> Any:
    scale, height = length[()], variance[()]
    k = np.empty((x1.shape[0], x2.shape[0]), x1.dtype)
    for i in prange(x1.shape[0]):
        for j in range(x2.shape[0]):
            k[i, j] = height * math.exp(F(-0.5) * _squared(x1[i], x2[j], scale))
    return k


@njit(parallel=True)
def gp_covariance_grad(x1: Any, x2: Any, length: Any, variance: Any, g: Any) -> Any:
    scale, height = length[()], variance[()]
    n, m, size = x1.shape[0], x2.shape[0], x1.shape[1]
    k, d1 = np.empty((n, m), x1.dtype), np.zeros_like(x1)
    parts = 16
    d2 = np.zeros((parts, m, size), x1.dtype)
    by_length, by_variance = np.zeros(parts, x1.dtype), np.zeros(parts, x1.dtype)
    for p in prange(parts):
        for i in range(p * n // parts, (p + 1) * n // parts):
            for j in range(m):
                squared = _squared(x1[i], x2[j], scale)
                correlation = F(math.exp(F(-0.5) * squared))
                k[i, j] = height * correlation
                weighted = g[i, j] * k[i, j]
                by_variance[p] += g[i, j] * correlation
                by_length[p] += weighted * squared
                for d in range(size):
                    pull = weighted * (x1[i, d] - x2[j, d]) / (scale * scale)
                    d1[i, d] -= pull
                    d2[p, j, d] += pull
    return k, d1, d2.sum(0), by_length.sum() / scale, by_variance.sum()


def contenders(workload: Workload) -> dict[str, Callable[[], object]]:
    """A call per mode; none with second gradients, and none for what is not written here."""
    if workload.name not in globals():
        return {}
    forward, both = globals()[workload.name], globals()[f"{workload.name}_grad"]
    inputs, cotangents = workload.inputs, workload.cotangents
    return {"forward": lambda: forward(*inputs), "together": lambda: both(*inputs, *cotangents)}
