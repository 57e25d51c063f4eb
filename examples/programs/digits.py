"""A small convolutional network on scikit-learn's digits: trained with `pb.nn`, judged on images not seen.

    python examples/programs/digits.py [--engine reference] [--epochs 25] [--plot digits.png]

It needs scikit-learn for the images and matplotlib for the picture (the dependency group `examples`), prints
the accuracy on 360 images that it was not trained on, and draws the loss, the kernels of the first layer and
the digits that it got wrong. Y. LeCun and others, "Gradient-Based Learning Applied to Document Recognition"
(1998).
"""

import argparse
import time

import numpy as np
from adam import Adam

import pullback as pb

nn = pb.nn
HELD_OUT = 360


def load(rng):
    """Images (N, 1, 8, 8) between 0 and 1 and their digits, for training and for judging."""
    from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    images = pixels.reshape(-1, 1, 8, 8).astype(np.float32) / 16
    order = rng.permutation(len(images))
    seen, held = order[HELD_OUT:], order[:HELD_OUT]
    return (images[seen], digits[seen]), (images[held], digits[held])


def initial(rng):
    """Weights of the size that keeps variances: K. He and others (2015)."""

    def weight(*shape):
        scale = np.sqrt(2 / np.prod(shape[1:]))
        return (scale * rng.standard_normal(shape)).astype(np.float32)

    return {
        "kernel_1": weight(8, 1, 3, 3),
        "bias_1": np.zeros(8, np.float32),
        "kernel_2": weight(32, 8, 3, 3),
        "bias_2": np.zeros(32, np.float32),
        "weight": weight(10, 128),
        "bias": np.zeros(10, np.float32),
    }


def scores(params, images, mask=None):
    """The network: (N, 1, 8, 8) to a score for each digit, (N, 10); the mask is that of dropout."""
    x = nn.relu(nn.conv2d(images, params["kernel_1"], params["bias_1"], padding="same"))
    x = nn.max_pool2d(x, 2)
    x = nn.relu(nn.conv2d(x, params["kernel_2"], params["bias_2"], padding="same"))
    x = np.reshape(nn.max_pool2d(x, 2), (len(images), 128))
    x = nn.dropout(x, 0.25, training=mask is not None, mask=mask)
    return nn.linear(x, params["weight"], params["bias"])


def loss(params, images, digits, mask):
    """Cross-entropy, with a twentieth of the target on all digits."""
    return nn.cross_entropy(scores(params, images, mask), digits, label_smoothing=0.05)


def accuracy(params, images, digits):
    """The part of the images whose highest score is their digit's, and where it is not."""
    guesses = np.argmax(scores(params, images), axis=1)
    return float(np.mean(guesses == digits)), np.flatnonzero(guesses != digits), guesses


def train(params, images, digits, rng, epochs, batch=64, rate=1e-2):
    """Parameters after so many epochs of Adam, and the loss of each step."""
    derivative = pb.func.value_and_grad(loss)
    optimizer = Adam(params, rate)
    losses = []
    for epoch in range(epochs):
        order = rng.permutation(len(images))
        for chosen in np.array_split(order, len(images) // batch):
            mask = rng.random((len(chosen), 128)) >= 0.25
            value, gradients = derivative(params, images[chosen], digits[chosen], mask)
            losses.append(float(value))
            params = optimizer.step(params, gradients, share=1 - epoch / epochs)
    return params, losses


def draw(path, params, losses, images, digits, wrong, guesses):
    """The losses, the kernels of the first layer, and up to eight digits that were not recognized."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=(2, 1.6))
    axes = top.subplots()
    axes.semilogy(losses, linewidth=0.8)
    axes.set(xlabel="step", ylabel="cross-entropy", title="Training")
    cells = bottom.subplots(2, 8)
    shown = [(kernel[0], "") for kernel in params["kernel_1"]]
    shown += [(images[k, 0], f"{digits[k]}, not {guesses[k]}") for k in wrong[:8]]
    for cell in cells.flat:
        cell.axis("off")
    for cell, (image, title) in zip(cells.flat, shown, strict=False):
        cell.imshow(image, cmap="gray")
        cell.set_title(title, fontsize=8)
    bottom.suptitle("Kernels of the first layer; digits that were taken for others", fontsize=10)
    figure.savefig(path, dpi=100)


def main(arguments=None):
    """Train, judge and draw; the accuracy."""
    parser = argparse.ArgumentParser(description="Train a convolutional network on scikit-learn's digits.")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--plot", default="digits.png", help="where the picture goes; '' draws none")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    (images, digits), held = load(rng)
    begun = time.perf_counter()
    with pb.use_engine(given.engine):
        params, losses = train(initial(rng), images, digits, rng, given.epochs)
        found, wrong, guesses = accuracy(params, *held)
    seconds = time.perf_counter() - begun
    print(
        f"accuracy {found:.4f} on {HELD_OUT} images, {len(losses)} steps in {seconds:.1f} s ({given.engine})"
    )
    if given.plot:
        draw(given.plot, params, losses, *held, wrong, guesses)
        print(f"wrote {given.plot}")
    return found


if __name__ == "__main__":
    main()
