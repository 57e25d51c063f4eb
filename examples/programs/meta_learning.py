"""Meta-learning through an inner step: a network that learns a sine from ten points in one step.

    python examples/programs/meta_learning.py [--engine reference] [--steps 800] [--plot meta_learning.png]

Each task is a sine of its own height and phase. The loss is that after a step of gradient descent on ten
points, so its gradient holds second derivatives. Prints the mean squared error on 200 new tasks before and
after that step, and that of a network which was trained on all tasks at once, after the same step. C. Finn,
P. Abbeel and S. Levine, "Model-Agnostic Meta-Learning" (2017).
"""

import argparse
import time

import numpy as np
from adam import Adam

import pullback as pb

POINTS, RATE = 10, 0.05


def initial(rng, hidden=40):
    """Weights of a network with two hidden layers."""
    sizes = [(1, hidden), (hidden, hidden), (hidden, 1)]
    weights = {f"w{k}": rng.standard_normal(size) * np.sqrt(2 / size[0]) for k, size in enumerate(sizes)}
    return weights | {f"b{k}": np.zeros((1, size[1])) for k, size in enumerate(sizes)}


def network(params, x):
    """(tasks, points, 1) to the same; the parameters may have a leading axis of tasks."""
    for k in range(3):
        x = x @ params[f"w{k}"] + params[f"b{k}"]
        x = np.tanh(x) if k < 2 else x
    return x


def tasks(rng, count):
    """Points to learn from and to judge by, of so many sines: x, y, x, y."""
    height, phase = rng.uniform(0.5, 3.0, (count, 1, 1)), rng.uniform(0.0, np.pi, (count, 1, 1))
    x, other = rng.uniform(-3.0, 3.0, (2, count, POINTS, 1))
    return x, height * np.sin(x + phase), other, height * np.sin(other + phase)


def errors(params, x, y):
    """The sum over tasks of mean squared errors."""
    return np.sum(np.mean((network(params, x) - y) ** 2, axis=(1, 2)))


def adapted(params, x, y):
    """The parameters of each task after one step on its points."""
    own = {name: np.broadcast_to(value, (len(x), *value.shape)) for name, value in params.items()}
    slopes = pb.func.grad(errors)(own, x, y)
    return {name: own[name] - RATE * slopes[name] for name in own}


def meta_loss(params, x, y, other, wanted):
    """The mean error after the step, on other points."""
    return errors(adapted(params, x, y), other, wanted) / len(x)


def plain_loss(params, x, y, other, wanted):
    """The mean error without a step."""
    return errors(params, other, wanted) / len(x)


def train(loss, params, rng, steps, batch=25, rate=5e-3):
    """Parameters after so many steps of Adam, and the loss of each."""
    derivative = pb.func.value_and_grad(loss)
    optimizer, losses = Adam(params, rate), []
    for step in range(steps):
        value, gradients = derivative(params, *tasks(rng, batch))
        losses.append(float(value))
        params = optimizer.step(params, gradients, share=1 - step / steps)
    return params, losses


def draw(path, params, plain, losses):
    """A new task: both networks before and after the step; and the losses."""
    from matplotlib.figure import Figure

    left, right = (figure := Figure(figsize=(10, 4), layout="constrained")).subplots(1, 2)
    rng = np.random.default_rng(2)
    x, y, *_ = tasks(rng, 1)
    line = np.linspace(-3, 3, 200).reshape(1, -1, 1)
    left.plot(x.ravel(), y.ravel(), "o", color="black", label="ten points")
    for name, found in (("meta-learned", params), ("trained on all", plain)):
        before = left.plot(line.ravel(), network(found, line).ravel(), ":")[0]
        after = network(adapted(found, x, y), line).ravel()
        left.plot(line.ravel(), after, color=before.get_color(), label=f"{name}, after a step")
    left.legend(fontsize=8)
    right.semilogy(losses, linewidth=0.6)
    right.set(xlabel="step", title="Error after the inner step")
    figure.savefig(path, dpi=100)


def main(arguments=None):
    """Train, judge and draw; the errors before the step, after it, and of the plain network after it."""
    parser = argparse.ArgumentParser(description="Meta-learn sines.")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--plot", default="meta_learning.png", help="where the picture goes; '' draws none")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    begun = time.perf_counter()
    with pb.use_engine(given.engine):
        params, losses = train(meta_loss, initial(rng), rng, given.steps)
        plain, _ = train(plain_loss, initial(rng), rng, given.steps)
        new = tasks(np.random.default_rng(1), 200)
        before, after = float(plain_loss(params, *new)), float(meta_loss(params, *new))
        other = float(meta_loss(plain, *new))
    seconds = time.perf_counter() - begun
    print(
        f"error {before:.2f} before the step, {after:.2f} after it, {other:.2f} without meta-learning, "
        f"{given.steps} steps in {seconds:.1f} s ({given.engine})"
    )
    if given.plot:
        draw(given.plot, params, plain, losses)
        print(f"wrote {given.plot}")
    return before, after, other


if __name__ == "__main__":
    main()
