"""A Gaussian process whose length, height and noise are found by Newton's method.

    python examples/programs/gaussian_process.py [--engine reference] [--plot gaussian_process.png]

The evidence of 60 noisy points is a function of three logarithms. Its gradient and its Hessian are
derivatives of a Cholesky factor; Newton's method needs some ten of each. Prints the noise that it found,
which was 0.2, and the error of the mean on points between. C. E. Rasmussen and C. K. I. Williams, "Gaussian
Processes for Machine Learning" (2006), chapter 5.
"""

import argparse
import time

import numpy as np

import pullback as pb

NOISE = 0.2


def truth(x):
    """The function that is to be found again."""
    return np.sin(3 * x) + 0.5 * x


def data(rng):
    """Places and noisy values."""
    x = np.sort(rng.uniform(-2.0, 2.0, 60))
    return x, truth(x) + NOISE * rng.standard_normal(60)


def kernel(logs, a, b):
    """Covariances of the squared exponential."""
    return np.exp(2 * logs[1] - 0.5 * (a[:, None] - b[None, :]) ** 2 * np.exp(-2 * logs[0]))


def surprise(logs, x, y):
    """The negative logarithm of the evidence."""
    factor = np.linalg.cholesky(kernel(logs, x, x) + np.exp(2 * logs[2]) * np.eye(len(x)))
    white = np.linalg.solve(factor, y)
    return 0.5 * np.sum(white**2) + np.sum(np.log(np.diagonal(factor))) + 0.5 * len(x) * np.log(2 * np.pi)


def newton(logs, x, y, steps=30):
    """The logarithms of length, height and noise at the least surprise, and the norms of gradients."""
    gradient, hessian = pb.func.grad(surprise), pb.func.hessian(surprise)
    norms = []
    for _ in range(steps):
        slope = gradient(logs, x, y)
        norms.append(float(np.linalg.norm(slope)))
        if norms[-1] < 1e-9:
            break
        values, vectors = np.linalg.eigh(hessian(logs, x, y))
        # Downhill along directions of negative curvature too, and no further than half a unit.
        step = -vectors @ (vectors.T @ slope / np.maximum(np.abs(values), 1e-3))
        step *= min(1.0, 0.5 / np.linalg.norm(step))
        while surprise(logs + step, x, y) > surprise(logs, x, y) and np.linalg.norm(step) > 1e-9:
            step /= 2
        logs = logs + step
    return logs, norms


def predict(logs, x, y, at):
    """The mean and the deviation of the function at other places."""
    covariance = kernel(logs, x, x) + np.exp(2 * logs[2]) * np.eye(len(x))
    across = kernel(logs, x, at)
    solved = np.linalg.solve(covariance, across)
    return y @ solved, np.sqrt(np.maximum(np.exp(2 * logs[1]) - np.sum(across * solved, axis=0), 0))


def draw(path, x, y, at, mean, deviation, norms):
    """Data, mean and two deviations; and how fast the gradient vanished."""
    from matplotlib.figure import Figure

    left, right = (figure := Figure(figsize=(9, 3.5), layout="constrained")).subplots(1, 2)
    left.fill_between(at, mean - 2 * deviation, mean + 2 * deviation, alpha=0.3)
    left.plot(at, mean, label="mean")
    left.plot(at, truth(at), "--", label="truth")
    left.plot(x, y, ".", color="black", markersize=4)
    left.set(title="Posterior")
    left.legend()
    right.semilogy(norms, "o-")
    right.set(xlabel="step of Newton's method", title="Norm of the gradient")
    figure.savefig(path, dpi=100)


def main(arguments=None):
    """Fit, judge and draw; the noise, the error of the mean, and the norm of the last gradient."""
    parser = argparse.ArgumentParser(description="Fit a Gaussian process by Newton's method.")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument(
        "--plot", default="gaussian_process.png", help="where the picture goes; '' draws none"
    )
    given = parser.parse_args(arguments)
    x, y = data(np.random.default_rng(0))
    begun = time.perf_counter()
    with pb.use_engine(given.engine):
        logs, norms = newton(np.zeros(3), x, y)
    seconds = time.perf_counter() - begun
    at = np.linspace(-2.0, 2.0, 200)
    mean, deviation = predict(logs, x, y, at)
    noise, error = float(np.exp(logs[2])), float(np.sqrt(np.mean((mean - truth(at)) ** 2)))
    print(
        f"noise {noise:.3f} of {NOISE}, error of the mean {error:.3f}, gradient {norms[-1]:.1e} after "
        f"{len(norms)} steps in {seconds:.1f} s ({given.engine})"
    )
    if given.plot:
        draw(given.plot, x, y, at, mean, deviation, norms)
        print(f"wrote {given.plot}")
    return noise, error, norms[-1]


if __name__ == "__main__":
    main()
