"""Functions entry by entry that PyTorch lacks, or has under other conditions."""

from __future__ import annotations

import math
from typing import Any

import torch

from .numbers import scalar


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition is not zero, `y` elsewhere; of numbers, in NumPy's dtype.

    >>> where(torch.tensor([True, False]), 1.0, 0.0).dtype
    torch.float64
    """
    if not isinstance(condition, torch.Tensor):
        beside = [value.device for value in (x, y) if isinstance(value, torch.Tensor)]
        condition = torch.as_tensor(condition, device=beside[0] if beside else None)
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


def sine_of_turns(x: torch.Tensor) -> torch.Tensor:
    """sin(pi x), exactly 0 where `x` is whole."""
    whole = torch.round(x)
    odd = torch.remainder(whole, 2) != 0
    found = torch.sin(math.pi * (x - whole))
    return torch.where(odd, -found, found)


def gamma(x: torch.Tensor) -> torch.Tensor:
    """The gamma function: that of what is below 1/2 by reflection, DLMF 5.5.3; no number at -1, -2, ...

    >>> gamma(torch.tensor([4.0, -1.0, 0.0]))
    tensor([6., nan, inf])
    """
    low = x < 0.5
    of = torch.where(low, 1 - x, x)
    found = torch.exp(torch.lgamma(of))
    reflected = math.pi / (sine_of_turns(torch.where(low, x, 0.25)) * found)
    at_poles = torch.where(x == 0, 1 / x, torch.nan)
    return torch.where((x <= 0) & is_whole(x), at_poles, torch.where(low, reflected, found))


def rgamma(x: torch.Tensor) -> torch.Tensor:
    """The reciprocal of the gamma function: nought at 0, -1, -2, ..."""
    low = x < 0.5
    of = torch.where(low, 1 - x, x)
    found = torch.exp(-torch.lgamma(of))
    sine = sine_of_turns(torch.where(low, x, 0.25))
    reflected = torch.where(sine == 0, 0, sine / (math.pi * found))
    return torch.where(low, reflected, found)


def loggamma(x: torch.Tensor) -> torch.Tensor:
    """The logarithm of the gamma function; not a number below zero, where that is complex."""
    return torch.where(x < 0, torch.nan, torch.lgamma(x))


def is_whole(x: torch.Tensor) -> torch.Tensor:
    """True for whole numbers."""
    return x == torch.floor(x)


def beta(a: Any, b: Any) -> torch.Tensor:
    """The beta function, by its logarithm and the signs of three gamma functions.

    >>> beta(torch.tensor([300.0, -2.0]).double(), 300.0)
    tensor([4.9343e-182,         inf], dtype=torch.float64)
    """
    a, b, odd = without_poles(scalar(a, b), scalar(b, a))
    for x in (a, b, a + b):
        odd = odd ^ ((x < 0) & ~is_whole(x) & (torch.remainder(torch.floor(x), 2) != 0))
    found = torch.exp(betaln(a, b))
    return torch.where(odd & torch.isfinite(found), -found, found)


def without_poles(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of whole numbers B(a, b) = (-1)^b B(1 - a - b, b), without poles for a <= 0; and whether to negate."""
    whole = is_whole(a) & is_whole(b) & (1 - a - b > 0)
    one, other = (a <= 0) & whole, (a > 0) & (b <= 0) & whole
    odd = (torch.where(other, torch.remainder(a, 2), torch.remainder(b, 2)) != 0) & (one | other)
    return torch.where(one, 1 - a - b, a), torch.where(other, 1 - a - b, b), odd


def betaln(a: Any, b: Any) -> torch.Tensor:
    """The logarithm of the absolute value of the beta function.

    >>> betaln(torch.tensor(1e5), 0.5)
    tensor(-5.1841)
    """
    a, b, _ = without_poles(scalar(a, b), scalar(b, a))
    low, high = torch.minimum(a, b), torch.maximum(a, b)
    large = (low > 0) & (high >= 10) & torch.isfinite(high)
    x, y = torch.where(large, low, 1), torch.where(large, high, 10)
    # log G(y) - log G(x + y) by Stirling's series, without what cancels.
    rest = x * (1 - torch.log(x + y)) - (y - 0.5) * torch.log1p(x / y) + stirling(y) - stirling(x + y)
    direct = torch.lgamma(high) - torch.lgamma(a + b)
    return torch.lgamma(low) + torch.where(large, rest, direct)


def stirling(x: torch.Tensor) -> torch.Tensor:
    """log G(x) - (x - 1/2) log x + x - log(2 pi) / 2 of an x of at least 10, DLMF 5.11.1."""
    y = 1 / (x * x)
    series = 1 / 1260 + y * (-1 / 1680 + y * (1 / 1188 - y * (691 / 360360)))
    return (1 / 12 + y * (-1 / 360 + y * series)) / x


def cosm1(x: torch.Tensor) -> torch.Tensor:
    """cos(x) - 1, without cancellation."""
    half = torch.sin(x / 2)
    return -2 * half * half


def rel_entr(x: Any, y: Any) -> torch.Tensor:
    """x log(x / y): zero where x is, infinite where the quotient has no logarithm, NaN where one is."""
    x, y = scalar(x, y), scalar(y, x)
    inside = (x > 0) & (y > 0)
    found = torch.where(inside, x, 1) * torch.log(torch.where(inside, x, 1) / torch.where(inside, y, 1))
    outside = torch.where((x == 0) & (y >= 0), 0.0, torch.inf)
    return torch.where(torch.isnan(x) | torch.isnan(y), torch.nan, torch.where(inside, found, outside))


def kl_div(x: Any, y: Any) -> torch.Tensor:
    """x log(x / y) - x + y."""
    x, y = scalar(x, y), scalar(y, x)
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
