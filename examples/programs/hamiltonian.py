"""Bayesian logistic regression by Hamiltonian Monte Carlo, on scikit-learn's tumours.

    python examples/programs/hamiltonian.py [--engine reference] [--draws 600] [--plot hamiltonian.png]

The posterior of 31 coefficients is followed along its gradient. Prints how often a proposal was taken, and
how well the mean over the draws predicts 169 tumours that it did not see: the part that is right, and the
mean logarithm of the probability of what they are. R. M. Neal, "MCMC using Hamiltonian dynamics" (2011).
"""

import argparse
import time

import numpy as np

import pullback as pb

HELD_OUT = 169


def load(rng):
    """Scaled measures with a constant, and whether a tumour is benign: for learning and for judging."""
    from sklearn.datasets import load_breast_cancer

    measures, benign = load_breast_cancer(return_X_y=True)
    order = rng.permutation(len(benign))
    seen, held = order[HELD_OUT:], order[:HELD_OUT]
    scaled = (measures - measures[seen].mean(axis=0)) / measures[seen].std(axis=0)
    x = np.concatenate([np.ones((len(benign), 1)), scaled], axis=1)
    return (x[seen], benign[seen]), (x[held], benign[held])


def energy(w, x, y):
    """The negative logarithm of the posterior: of the likelihood, and of a normal prior of deviation 1."""
    scores = x @ w
    return np.sum(np.logaddexp(0.0, scores) - y * scores) + 0.5 * np.sum(w**2)


def sample(start, x, y, rng, draws, step=0.06, leaps=15):
    """Draws from the posterior, and the part of the proposals that were taken."""
    derivative = pb.func.value_and_grad(energy)
    w = start
    value, slope = derivative(w, x, y)
    found, taken = [], 0
    for _ in range(draws):
        momentum = rng.standard_normal(len(w))
        total = value + 0.5 * momentum @ momentum
        place, at, force = w, value, slope
        for _ in range(leaps):
            momentum = momentum - 0.5 * step * force
            place = place + step * momentum
            at, force = derivative(place, x, y)
            momentum = momentum - 0.5 * step * force
        if np.log(rng.random()) < total - at - 0.5 * momentum @ momentum:
            w, value, slope, taken = place, at, force, taken + 1
        found.append(w)
    return np.array(found), taken / draws


def judge(draws, x, y):
    """The part that is right, and the mean logarithm of the probability of what is."""
    probable = np.mean(1 / (1 + np.exp(-x @ draws.T)), axis=1)
    return float(np.mean((probable > 0.5) == y)), float(np.mean(np.log(np.where(y, probable, 1 - probable))))


def draw(path, draws, energies):
    """The coefficients with their deviations, and the energy along the chain."""
    from matplotlib.figure import Figure

    left, right = (figure := Figure(figsize=(9, 3.5), layout="constrained")).subplots(1, 2)
    places = np.arange(draws.shape[1])
    left.errorbar(places, draws.mean(axis=0), 2 * draws.std(axis=0), fmt="o", markersize=3)
    left.axhline(0.0, color="grey", linewidth=0.8)
    left.set(xlabel="coefficient", title="Posterior, two deviations")
    right.plot(energies, linewidth=0.8)
    right.set(xlabel="draw", title="Energy")
    figure.savefig(path, dpi=100)


def main(arguments=None):
    """Draw samples, judge and draw them; the part taken, the part right, and the mean logarithm."""
    parser = argparse.ArgumentParser(description="Sample the posterior of a logistic regression.")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--draws", type=int, default=600)
    parser.add_argument("--plot", default="hamiltonian.png", help="where the picture goes; '' draws none")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    (x, y), held = load(rng)
    begun = time.perf_counter()
    with pb.use_engine(given.engine):
        draws, taken = sample(np.zeros(x.shape[1]), x, y, rng, given.draws)
    seconds = time.perf_counter() - begun
    kept = draws[len(draws) // 4 :]
    right, logarithm = judge(kept, *held)
    print(
        f"{taken:.2f} taken, {right:.4f} right, mean logarithm {logarithm:.3f}, {given.draws} draws in "
        f"{seconds:.1f} s ({given.engine})"
    )
    if given.plot:
        draw(given.plot, kept, [energy(w, x, y) for w in draws])
        print(f"wrote {given.plot}")
    return taken, right, logarithm


if __name__ == "__main__":
    main()
