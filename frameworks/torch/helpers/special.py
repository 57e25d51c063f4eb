"""Functions entry by entry that PyTorch lacks, or has under other conditions."""

from __future__ import annotations

import math
from typing import Any

import torch

from .numbers import scalar


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition is not zero, `y` elsewhere; of two numbers, in NumPy's dtype.

    >>> where(torch.tensor([True, False]), 1.0, 0.0).dtype
    torch.float64
    """
    if not isinstance(condition, torch.Tensor):
        condition = torch.as_tensor(condition, device=(x if isinstance(x, torch.Tensor) else y).device)
    if condition.dtype != torch.bool:
        condition = condition != 0
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        dtype = torch.float64 if isinstance(x, float) or isinstance(y, float) else torch.int64
        x = torch.as_tensor(x, dtype=dtype, device=condition.device)
    return torch.where(condition, x, y)


def floor_divide(x: Any, y: Any) -> Any:
    """The quotient rounded down, which has no gradient."""
    return (x.detach() if isinstance(x, torch.Tensor) else x) // (
        y.detach() if isinstance(y, torch.Tensor) else y
    )


def clip(x: torch.Tensor, a_min: Any = None, a_max: Any = None) -> torch.Tensor:
    """The entries between two bounds, of which one may be None."""
    if a_min is not None:
        x = torch.maximum(x, scalar(a_min, x))
    return x if a_max is None else torch.minimum(x, scalar(a_max, x))


def cbrt(x: torch.Tensor) -> torch.Tensor:
    """The real cube root."""
    return torch.sign(x) * torch.abs(x) ** (1 / 3)


def exp10(x: torch.Tensor) -> torch.Tensor:
    """Ten to the power of `x`."""
    return torch.pow(10.0, x)


def log_expit(x: torch.Tensor) -> torch.Tensor:
    """The logarithm of the logistic function."""
    return torch.nn.functional.logsigmoid(x)


def softplus(x: torch.Tensor) -> torch.Tensor:
    """log(1 + exp(x))."""
    return torch.logaddexp(x, torch.zeros_like(x))


def gamma(x: torch.Tensor) -> torch.Tensor:
    """The gamma function: that of what is below zero by reflection."""
    low = x < 0.5
    of = torch.where(low, 1 - x, x)
    found = torch.exp(torch.lgamma(of))
    return torch.where(low, math.pi / (torch.sin(math.pi * torch.where(low, x, 0.5)) * found), found)


def rgamma(x: torch.Tensor) -> torch.Tensor:
    """The reciprocal of the gamma function."""
    low = x < 0.5
    of = torch.where(low, 1 - x, x)
    found = torch.exp(-torch.lgamma(of))
    return torch.where(low, torch.sin(math.pi * torch.where(low, x, 0.5)) / (math.pi * found), found)


def loggamma(x: torch.Tensor) -> torch.Tensor:
    """The logarithm of the gamma function; not a number where that is negative."""
    negative = (x < 0) & (torch.remainder(torch.floor(x), 2) != 0)
    return torch.where(negative, torch.nan, torch.lgamma(x))


def beta(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The beta function."""
    return gamma(a) * gamma(b) * rgamma(a + b)


def betaln(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The logarithm of the absolute value of the beta function."""
    return torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)


def cosm1(x: torch.Tensor) -> torch.Tensor:
    """cos(x) - 1, without cancellation."""
    half = torch.sin(x / 2)
    return -2 * half * half


def rel_entr(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x log(x / y): zero where x is, infinite where the quotient has no logarithm."""
    inside = (x > 0) & (y > 0)
    found = torch.where(inside, x, 1) * torch.log(torch.where(inside, x, 1) / torch.where(inside, y, 1))
    return torch.where(inside, found, torch.where((x == 0) & (y >= 0), 0.0, torch.inf))


def kl_div(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x log(x / y) - x + y."""
    return rel_entr(x, y) - x + y


def erfcinv(x: torch.Tensor) -> torch.Tensor:
    """The inverse of the complementary error function."""
    return -torch.special.ndtri(x / 2) / math.sqrt(2)


def sinc_derivative(x: torch.Tensor, n: int) -> torch.Tensor:
    """The n-th derivative of sin(pi x) / (pi x): near zero by its series, elsewhere by a recurrence."""
    t = math.pi * x
    near = torch.abs(t) < n + 1
    away = torch.where(near, 1, t)
    found = torch.sin(away) / away
    for k in range(1, n + 1):
        found = (torch.sin(away + k * (math.pi / 2)) - k * found) / away
    small = torch.where(near, t, 0)
    series = torch.zeros_like(t)
    for k in range((n + 1) // 2, n + 20):
        series = series + (-1) ** k / ((2 * k + 1) * math.factorial(2 * k - n)) * small ** (2 * k - n)
    return math.pi**n * torch.where(near, series, found)
