"""A neural differential equation that learns how a spiral turns.

    python examples/programs/neural_ode.py [--engine reference] [--steps 300] [--plot neural_ode.png]

A network gives the velocity at each point; `pb.implicit.odeint` follows it, and its adjoint equation gives
the gradient. It learns from short pieces of one path, and is judged on the whole path, which it follows
from the beginning alone: how far the path's points are from the network's path, on average, on a spiral of
radius 2. R. T. Q. Chen and others, "Neural Ordinary Differential Equations" (2018).
"""

import argparse
import time

import numpy as np
from adam import Adam

import pullback as pb

TURN = np.array([[-0.1, 2.0], [-2.0, -0.1]])
TIMES = np.linspace(0.0, 6.0, 121)
PIECE = 10


def path():
    """The spiral of the cubic equation z' = z**3 A."""
    return pb.implicit.odeint(lambda z, t: (z**3) @ TURN, np.array([2.0, 0.0]), TIMES)


def initial(rng, hidden=32):
    """Weights of a network with one hidden layer."""
    return {
        "in": rng.standard_normal((2, hidden)) / np.sqrt(2),
        "shift": np.zeros(hidden),
        "out": 0.1 * rng.standard_normal((hidden, 2)) / np.sqrt(hidden),
    }


def velocity(z, t, params):
    """The network, of the cubes of the place as in the paper, for one point or a batch of flat points."""
    points = np.reshape(z, (-1, 2))
    hidden = np.tanh((points**3) @ params["in"] + params["shift"])
    return np.reshape(hidden @ params["out"], z.shape)


def loss(params, begin, pieces):
    """The mean absolute distance from pieces of the path, (batch, PIECE, 2), from where they begin."""
    times = TIMES[:PIECE]
    found = pb.implicit.odeint(velocity, begin, times, (params,), rtol=1e-5, atol=1e-7)
    return np.mean(np.abs(np.reshape(found, (PIECE, -1, 2)) - np.swapaxes(pieces, 0, 1)))


def train(params, known, rng, steps, batch=16, rate=1e-2):
    """Parameters after so many steps of Adam, and the loss of each."""
    derivative = pb.func.value_and_grad(loss)
    optimizer, losses = Adam(params, rate), []
    for step in range(steps):
        begins = rng.integers(0, len(known) - PIECE, batch)
        pieces = np.stack([known[k : k + PIECE] for k in begins])
        value, gradients = derivative(params, np.reshape(pieces[:, 0], (-1,)), pieces)
        losses.append(float(value))
        params = optimizer.step(params, gradients, share=1 - step / steps)
    return params, losses


def draw(file, known, found, losses):
    """Both paths, and the losses."""
    from matplotlib.figure import Figure

    left, right = (figure := Figure(figsize=(9, 4), layout="constrained")).subplots(1, 2)
    left.plot(*known.T, ".", label="path")
    left.plot(*found.T, label="network")
    left.set(aspect="equal", title="From the beginning alone")
    left.legend()
    right.semilogy(losses)
    right.set(xlabel="step", title="Loss of pieces")
    figure.savefig(file, dpi=100)


def main(arguments=None):
    """Train, judge and draw; the distance from the path."""
    parser = argparse.ArgumentParser(description="Learn a differential equation from a path.")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--plot", default="neural_ode.png", help="where the picture goes; '' draws none")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    begun = time.perf_counter()
    with pb.use_engine(given.engine):
        known = path()
        params, losses = train(initial(rng), known, rng, given.steps)
        dense = np.linspace(TIMES[0], TIMES[-1], 1201)
        found = pb.implicit.odeint(velocity, known[0], dense, (params,))
    seconds = time.perf_counter() - begun
    apart = np.linalg.norm(known[:, None] - found, axis=-1)
    distance = float(np.mean(np.min(apart, axis=1)))
    print(f"distance {distance:.3f} from the path, {given.steps} steps in {seconds:.1f} s ({given.engine})")
    if given.plot:
        draw(given.plot, known, found, losses)
        print(f"wrote {given.plot}")
    return distance


if __name__ == "__main__":
    main()
