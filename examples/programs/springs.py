"""A differentiable simulation: the springs of a hanging chain, found from how it swings.

    python examples/programs/springs.py [--engine reference] [--plot springs.png]

Eight masses hang between two nails on nine springs of unknown stiffness. The way of one mass, with noise,
is all that is observed; the simulation is differentiated through its 300 steps by forward mode, and the
method of Levenberg and Marquardt finds the nine numbers. Prints the largest relative error among them. B.
Leimkuhler and S. Reich, "Simulating Hamiltonian Dynamics" (2004), for the leapfrog steps.
"""

import argparse
import time

import numpy as np

import pullback as pb

MASSES, STEPS, STEP, OBSERVED, NOISE = 8, 300, 0.01, 4, 1e-3
GRAVITY = np.array([0.0, -9.81])
LENGTH = 0.25
LEFT, RIGHT = np.array([[0.0, 0.0]]), np.array([[2.0, 0.0]])


def simulate(logs):
    """The places (STEPS, MASSES, 2) for springs whose stiffnesses have these logarithms."""
    stiffness = np.exp(logs)[:, None]
    places = LEFT + np.linspace(0, 1, MASSES + 2)[1:-1, None] * (RIGHT - LEFT)
    speeds = np.zeros((MASSES, 2))
    found = []
    for _ in range(STEPS):
        chain = np.concatenate([LEFT, places, RIGHT])
        gaps = chain[1:] - chain[:-1]
        lengths = np.sqrt(np.sum(gaps**2, axis=1, keepdims=True))
        pulls = stiffness * (lengths - LENGTH) * gaps / lengths
        speeds = speeds + STEP * (pulls[1:] - pulls[:-1] + 0.1 * GRAVITY - 0.05 * speeds) / 0.1
        places = places + STEP * speeds
        found.append(places)
    return np.stack(found)


def misfit(logs, seen):
    """The distances of the observed mass from where it was seen, for every second step."""
    return np.reshape((simulate(logs)[::2, OBSERVED] - seen) / NOISE, (-1,))


def levenberg_marquardt(logs, seen, steps=25, damping=1.0):
    """The logarithms at the least sum of squares, and the sums on the way."""
    jacobian = pb.func.jacfwd(misfit)
    residual = misfit(logs, seen)
    sums = [float(residual @ residual)]
    for _ in range(steps):
        slopes = jacobian(logs, seen)
        square = slopes.T @ slopes
        while damping < 1e12:
            step = np.linalg.solve(square + damping * np.diag(np.diag(square)), slopes.T @ residual)
            other = misfit(logs - step, seen)
            if other @ other < sums[-1]:
                break
            damping *= 4
        else:
            break
        logs, residual, damping = logs - step, other, damping / 8
        sums.append(float(residual @ residual))
        if sums[-2] - sums[-1] < 1e-6 * sums[-1]:
            break
    return logs, sums


def draw(path, truth, found, seen, sums):
    """The way of the observed mass, the stiffnesses, and the sums of squares."""
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(12, 3.5), layout="constrained")).subplots(1, 3)
    axes[0].plot(*seen.T, ".", markersize=3, label="seen")
    axes[0].plot(*simulate(found)[:, OBSERVED].T, linewidth=0.8, label="simulated")
    axes[0].set(title="The observed mass")
    axes[0].legend()
    axes[1].plot(np.exp(truth), "o", label="truth")
    axes[1].plot(np.exp(found), "x", label="found")
    axes[1].set(xlabel="spring", title="Stiffness")
    axes[1].legend()
    axes[2].semilogy(sums, "o-")
    axes[2].set(xlabel="step", title="Sum of squares")
    figure.savefig(path, dpi=100)


def main(arguments=None):
    """Simulate, find and draw; the largest relative error of a stiffness."""
    parser = argparse.ArgumentParser(description="Find the springs of a chain from how it swings.")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--plot", default="springs.png", help="where the picture goes; '' draws none")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    truth = np.log(rng.uniform(20.0, 60.0, MASSES + 1))
    seen = simulate(truth)[::2, OBSERVED]
    seen = seen + NOISE * rng.standard_normal(seen.shape)
    begun = time.perf_counter()
    with pb.use_engine(given.engine):
        found, sums = levenberg_marquardt(np.full(MASSES + 1, np.log(35.0)), seen)
    seconds = time.perf_counter() - begun
    error = float(np.max(np.abs(np.exp(found - truth) - 1)))
    print(
        f"largest error {100 * error:.2f} % of nine springs, {len(sums) - 1} steps in {seconds:.1f} s "
        f"({given.engine})"
    )
    if given.plot:
        draw(given.plot, truth, found, seen, sums)
        print(f"wrote {given.plot}")
    return error


if __name__ == "__main__":
    main()
