"""Options, bonds, rates and portfolios."""

import numpy as np
from scipy.special import erf
from scipy.stats import norm

from .samples import normal, positive


def normal_cdf(x):
    return 0.5 * (1 + erf(x / np.sqrt(2)))


def black_scholes(spot, strike, rate, vol, maturity, *, call: bool = True):
    """Price of a European option."""
    d1 = (np.log(spot / strike) + (rate + 0.5 * vol**2) * maturity) / (vol * np.sqrt(maturity))
    d2 = d1 - vol * np.sqrt(maturity)
    discount = np.exp(-rate * maturity)
    if call:
        return spot * normal_cdf(d1) - strike * discount * normal_cdf(d2)
    return strike * discount * normal_cdf(-d2) - spot * normal_cdf(-d1)


def black_scholes_scipy_stats(spot, strike, vol):
    """With scipy.stats, as many do."""
    d1 = np.log(spot / strike) / vol + 0.5 * vol
    return spot * norm.cdf(d1) - strike * norm.cdf(d1 - vol)


def implied_volatility(price, spot, strike, *, maturity: float = 1.0, iterations: int = 6):
    """Newton's method from a fixed start."""
    vol = 0.3
    for _ in range(iterations):
        d1 = (np.log(spot / strike) + 0.5 * vol**2 * maturity) / (vol * np.sqrt(maturity))
        d2 = d1 - vol * np.sqrt(maturity)
        value = spot * normal_cdf(d1) - strike * normal_cdf(d2)
        vega = spot * np.exp(-0.5 * d1**2) / np.sqrt(2 * np.pi) * np.sqrt(maturity)
        vol = vol - (value - price) / vega
    return vol


def binomial_tree(spot, strike, rate, vol, *, steps: int = 4, maturity: float = 1.0):
    """Cox, Ross and Rubinstein: a vector that shrinks."""
    dt = maturity / steps
    up = np.exp(vol * np.sqrt(dt))
    down = 1 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    prices = spot * up ** (np.arange(steps, -1, -1)) * down ** (np.arange(0, steps + 1))
    values = np.maximum(prices - strike, 0)
    for _ in range(steps):
        values = np.exp(-rate * dt) * (p * values[:-1] + (1 - p) * values[1:])
    return values[0]


def american_put_tree(spot, strike, rate, vol, *, steps: int = 3):
    """A table filled from the leaves to the root."""
    dt = 1.0 / steps
    up = np.exp(vol * np.sqrt(dt))
    down = 1.0 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    discount = np.exp(-rate * dt)
    table = np.zeros((steps + 1, steps + 1))
    for j in range(steps + 1):
        table[steps, j] = np.maximum(strike - spot * up**j * down ** (steps - j), 0.0)
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            hold = discount * (p * table[i + 1, j + 1] + (1 - p) * table[i + 1, j])
            exercise = strike - spot * up**j * down ** (i - j)
            table[i, j] = np.maximum(hold, exercise)
    return table[0, 0]


def monte_carlo_call(spot, strike, vol, normals, *, rate: float = 0.02, maturity: float = 1.0):
    terminal = spot * np.exp((rate - 0.5 * vol**2) * maturity + vol * np.sqrt(maturity) * normals)
    payoff = np.maximum(terminal - strike, 0.0)
    return np.exp(-rate * maturity) * payoff.mean()


def asian_option(spot, vol, normals, *, strike: float = 1.0, dt: float = 0.25):
    """The average along each path decides."""
    n_steps = normals.shape[1]
    s = spot * np.ones(normals.shape[0])
    total = np.zeros_like(s)
    for t in range(n_steps):
        s = s * np.exp(-0.5 * vol**2 * dt + vol * np.sqrt(dt) * normals[:, t])
        total += s
    average = total / n_steps
    return np.mean(np.where(average > strike, average - strike, 0.0))


def barrier_option(spot, vol, normals, *, barrier: float = 1.8, strike: float = 0.9, dt: float = 0.25):
    """Paths above the barrier are worth nothing."""
    increments = -0.5 * vol**2 * dt + vol * np.sqrt(dt) * normals
    paths = spot * np.exp(np.cumsum(increments, axis=1))
    alive = np.all(paths < barrier, axis=1)
    payoff = np.maximum(paths[:, -1] - strike, 0) * alive
    return payoff.mean()


def bond_price(face, coupon, yields, *, periods: int = 4):
    price = 0.0
    for t in range(1, periods + 1):
        price += face * coupon / (1 + yields) ** t
    return price + face / (1 + yields) ** periods


def bond_duration(cashflows, rate):
    """Price, Macaulay duration and convexity."""
    t = np.arange(1, len(cashflows) + 1)
    pv = cashflows * np.exp(-rate * t)
    price = np.sum(pv)
    duration = np.sum(t * pv) / price
    convexity = np.sum(t**2 * pv) / price
    return price, duration, convexity


def vasicek_path(r0, kappa, theta, sigma, shocks, *, dt: float = 0.1):
    """The short rate and the bond price along one path."""
    rates = [r0]
    r = r0
    for z in shocks:
        r = r + kappa * (theta - r) * dt + sigma * np.sqrt(dt) * z
        rates.append(r)
    rates = np.array(rates)
    return rates, np.exp(-np.sum(rates[:-1]) * dt)


def vasicek_bond(r, kappa, theta, sigma, *, maturity: float = 2.0):
    b = (1 - np.exp(-kappa * maturity)) / kappa
    a = (theta - sigma**2 / (2 * kappa**2)) * (b - maturity) - sigma**2 * b**2 / (4 * kappa)
    return np.exp(a - b * r)


def portfolio_variance(weights, returns):
    cov = np.cov(returns, rowvar=False)
    w = weights / np.sum(weights)
    return w @ cov @ w


def portfolio_variance_loops(weights, returns):
    """The covariance by hand."""
    n, k = returns.shape
    means = np.mean(returns, axis=0)
    cov = np.zeros((k, k))
    for i in range(k):
        for j in range(k):
            cov[i, j] = np.sum((returns[:, i] - means[i]) * (returns[:, j] - means[j])) / (n - 1)
    variance = 0
    for i in range(k):
        for j in range(k):
            variance += weights[i] * weights[j] * cov[i, j]
    return np.sqrt(variance)


def minimum_variance_weights(cov):
    ones = np.ones(cov.shape[0])
    w = np.linalg.solve(cov, ones)
    return w / w.sum()


def net_present_value(cashflows, rate):
    """As written for spreadsheets: enumerate over the flows."""
    return sum(flow / (1 + rate) ** t for t, flow in enumerate(cashflows))


def internal_rate_of_return(cashflows, *, guess: float = 0.1, iterations: int = 8):
    """Newton's method on the net present value."""
    rate = guess
    for _ in range(iterations):
        value = 0.0
        slope = 0.0
        for t in range(len(cashflows)):
            value = value + cashflows[t] / (1 + rate) ** t
            slope = slope - t * cashflows[t] / (1 + rate) ** (t + 1)
        rate = rate - value / slope
    return rate


def annuity(principal, rate, *, months: int = 12):
    """The monthly payment, and what is left after a year of paying more."""
    monthly = rate / 12
    payment = principal * monthly / (1 - (1 + monthly) ** -months)
    balance = principal
    for _ in range(months):
        balance = balance * (1 + monthly) - 1.1 * payment
    return payment, balance


def value_at_risk_smooth(weights, scenarios, *, level: float = 0.9, sharpness: float = 20.0):
    """Expected shortfall with softplus instead of a maximum."""
    losses = -(scenarios @ weights)
    threshold = np.mean(losses)
    excess = np.log1p(np.exp(sharpness * (losses - threshold))) / sharpness
    return threshold + np.mean(excess) / (1 - level)


def max_drawdown(returns):
    """The running maximum is carried along."""
    wealth = 1.0
    peak = 1.0
    worst = 0.0
    for r in returns:
        wealth = wealth * (1 + r)
        peak = np.maximum(peak, wealth)
        worst = np.maximum(worst, 1 - wealth / peak)
    return worst


def discount_curve(swap_rates):
    """Bootstrapped from par swap rates, one year after the other."""
    n = len(swap_rates)
    discounts = np.zeros(n)
    for i in range(n):
        annuity_so_far = 0.0
        if i > 0:
            annuity_so_far = np.sum(discounts[:i])
        discounts[i] = (1 - swap_rates[i] * annuity_so_far) / (1 + swap_rates[i])
    return discounts


OPTION = (np.array([0.9, 1.0, 1.2]), np.array(1.0), np.array(0.03), np.array(0.25), np.array(1.5))
TREE = (np.array(1.0), np.array(0.97), np.array(0.03), np.array(0.3))

SAMPLES = [
    (black_scholes, OPTION, {}),
    (black_scholes, OPTION, {"call": False}),
    (black_scholes_scipy_stats, (np.array([0.9, 1.1]), np.array(1.0), np.array(0.2)), {}),
    (implied_volatility, (np.array([0.15, 0.12]), np.array(1.0), np.array([0.95, 1.0])), {}),
    (binomial_tree, TREE, {}),
    (american_put_tree, TREE, {}),
    (monte_carlo_call, (np.array(1.0), np.array(0.9), np.array(0.3), normal(6)), {}),
    (asian_option, (np.array(1.1), np.array(0.3), normal(4, 3)), {}),
    (barrier_option, (np.array(1.1), np.array(0.3), normal(4, 3)), {}),
    (bond_price, (np.array(100.0), np.array(0.05), np.array([0.03, 0.04])), {}),
    (bond_price, (np.array(100.0), np.array(0.05), np.array([0.03, 0.04])), {"periods": 0}),
    (bond_duration, (np.array([5.0, 5.0, 105.0]), np.array(0.04)), {}),
    (vasicek_path, (np.array(0.03), np.array(0.5), np.array(0.04), np.array(0.02), normal(4)), {}),
    (vasicek_bond, (np.array([0.02, 0.03]), np.array(0.5), np.array(0.04), np.array(0.02)), {}),
    (portfolio_variance, (positive(3), normal(6, 3)), {}),
    (portfolio_variance_loops, (positive(3), normal(5, 3)), {}),
    (minimum_variance_weights, (np.array([[2.0, 0.3], [0.3, 1.0]]),), {}),
    (net_present_value, (np.array([-10.0, 3.0, 4.0, 6.0]), np.array(0.05)), {}),
    (internal_rate_of_return, (np.array([-10.0, 3.0, 4.0, 6.0]),), {}),
    (annuity, (np.array(100.0), np.array(0.06)), {"months": 5}),
    (value_at_risk_smooth, (positive(3), 0.1 * normal(5, 3)), {}),
    (max_drawdown, (np.array([0.1, -0.2, 0.05, -0.1, 0.3]),), {}),
    (discount_curve, (np.array([0.02, 0.025, 0.03, 0.031]),), {}),
]
