"""Programs as written for `autograd.numpy` and `jax.numpy`; the namespace is their first argument."""

SHAPES = {
    "mlp": ((5, 4), (4,), (1, 5), (1,)),
    "gaussian_process": ((), (), ()),
    "black_scholes": ((), (), (), ()),
    "oscillator": ((2,), ()),
    "hidden_markov": ((3, 3), (3, 4)),
}


def mlp(np, special, w1, b1, w2, b2):
    """The mean squared error of a net with one hidden layer."""
    x = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
    hidden = np.tanh(np.dot(x, w1.T) + np.concatenate((b1, np.ones(1))))
    out = np.dot(hidden, w2.T) + b2
    return np.mean((out[:, 0] - np.array([0.5, -0.25, 1.0])) ** 2) + 0.01 * np.sum(np.abs(w1))


def gaussian_process(np, special, length, scale, noise):
    """The log likelihood of observations under a squared exponential kernel."""
    x = np.linspace(0.0, 3.0, 6)
    y = np.sin(2 * x)
    distance = (x[:, None] - x[None, :]) ** 2
    k = np.exp(scale) * np.exp(-0.5 * distance / np.exp(length) ** 2) + (1e-3 + np.exp(noise)) * np.eye(6)
    _, logdet = np.linalg.slogdet(k)
    return -0.5 * np.dot(y, np.linalg.solve(k, y)) - 0.5 * logdet - 3 * np.log(2 * np.pi)


def black_scholes(np, special, spot, strike, rate, volatility):
    """The price of a European call option in a year."""
    spot, strike = 100 + spot, 95 + strike
    rate, volatility = 0.02 + 0.01 * rate, 0.3 + 0.01 * volatility
    d1 = (np.log(spot / strike) + rate + volatility**2 / 2) / volatility
    return spot * special.ndtr(d1) - strike * np.exp(-rate) * special.ndtr(d1 - volatility)


def oscillator(np, special, start, damping):
    """Where Van der Pol's oscillator is after some steps by the method of Runge and Kutta."""

    def slope(y):
        return np.array([y[1], np.exp(damping) * (1 - y[0] ** 2) * y[1] - y[0]])

    y, h = start, 0.1
    for _ in range(8):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(y * np.array([1.0, -0.5]))


def hidden_markov(np, special, transition, emission):
    """The log likelihood of what was seen, by the forward algorithm."""
    transition = transition - special.logsumexp(transition, axis=1, keepdims=True)
    emission = emission - special.logsumexp(emission, axis=1, keepdims=True)
    state = np.log(np.full(3, 1 / 3)) + emission[:, 2]
    for seen in (0, 3, 3, 1, 2):
        state = special.logsumexp(state[:, None] + transition, axis=0) + emission[:, seen]
    return special.logsumexp(state)
