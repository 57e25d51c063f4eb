"""A variational autoencoder of scikit-learn's digits, with two latent variables.

    python examples/programs/autoencoder.py [--engine reference] [--epochs 60] [--plot autoencoder.png]

Prints the bound on the logarithm of the probability of an image, in nats, on 360 images that it was not
trained on, beside that of pixels which are independent of each other; and draws where the digits lie, and
images along the two variables. D. P. Kingma and M. Welling, "Auto-Encoding Variational Bayes" (2014).
"""

import argparse
import time

import numpy as np
from adam import Adam

import pullback as pb

nn = pb.nn
HELD_OUT, LATENT, HIDDEN = 360, 2, 128


def load(rng):
    """Images (N, 64) between 0 and 1 and their digits, for training and for judging."""
    from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    order = rng.permutation(len(pixels))
    images = (pixels / 16).astype(np.float32)
    seen, held = order[HELD_OUT:], order[:HELD_OUT]
    return images[seen], images[held], digits[held]


def initial(rng):
    """Weights of four layers."""
    sizes = {"encode": (64, HIDDEN), "latent": (HIDDEN, 2 * LATENT), "decode": (LATENT, HIDDEN)}
    sizes["pixels"] = (HIDDEN, 64)
    weights = {}
    for name, (inputs, outputs) in sizes.items():
        weights[name] = (rng.standard_normal((outputs, inputs)) / np.sqrt(inputs)).astype(np.float32)
        weights[f"{name}_bias"] = np.zeros(outputs, np.float32)
    return weights


def encode(params, images):
    """The mean and the logarithm of the variance of each image's latent variables."""
    hidden = np.tanh(nn.linear(images, params["encode"], params["encode_bias"]))
    both = nn.linear(hidden, params["latent"], params["latent_bias"])
    return both[:, :LATENT], both[:, LATENT:]


def decode(params, latent):
    """The logarithms of the odds of each pixel."""
    hidden = np.tanh(nn.linear(latent, params["decode"], params["decode_bias"]))
    return nn.linear(hidden, params["pixels"], params["pixels_bias"])


def loss(params, images, noise):
    """The negative bound for a sample of the latent variables, a mean over images."""
    mean, variance = encode(params, images)
    scores = decode(params, mean + np.exp(variance / 2) * noise)
    pixels = nn.binary_cross_entropy_with_logits(scores, images, reduction="sum")
    divergence = 0.5 * np.sum(np.exp(variance) + mean**2 - 1 - variance)
    return (pixels + divergence) / len(images)


def train(params, images, rng, epochs, batch=64, rate=4e-3):
    """Parameters after so many epochs of Adam, and the loss of each step."""
    derivative = pb.func.value_and_grad(loss)
    optimizer, losses = Adam(params, rate), []
    for epoch in range(epochs):
        order = rng.permutation(len(images))
        for chosen in np.array_split(order, len(images) // batch):
            noise = rng.standard_normal((len(chosen), LATENT)).astype(np.float32)
            value, gradients = derivative(params, images[chosen], noise)
            losses.append(float(value))
            params = optimizer.step(params, gradients, share=1 - epoch / epochs)
    return params, losses


def bound(params, images, rng, samples=20):
    """The bound on the mean logarithm of the probability, over samples of the latent variables."""
    draws = (rng.standard_normal((len(images), LATENT)).astype(np.float32) for _ in range(samples))
    return -float(np.mean([loss(params, images, noise) for noise in draws]))


def independent(seen, held):
    """The same for pixels that are independent, each as bright as on average."""
    bright = np.clip(seen.mean(axis=0), 0.01, 0.99)
    return float(np.mean(np.sum(held * np.log(bright) + (1 - held) * np.log(1 - bright), axis=1)))


def draw(path, params, images, digits, losses):
    """The losses, where the digits lie, and images along the two latent variables."""
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(12, 4), layout="constrained")).subplots(1, 3)
    axes[0].plot(losses, linewidth=0.8)
    axes[0].set(xlabel="step", title="Negative bound, in nats")
    places = encode(params, images)[0]
    points = axes[1].scatter(*places.T, c=digits, cmap="tab10", s=8)
    axes[1].set(title="Digits by latent variables")
    figure.colorbar(points, ax=axes[1])
    along = np.linspace(-2, 2, 12, dtype=np.float32)
    grid = np.stack(np.meshgrid(along, along[::-1]), axis=-1).reshape(-1, 2)
    shown = 1 / (1 + np.exp(-decode(params, grid)))
    tiled = shown.reshape(12, 12, 8, 8).swapaxes(1, 2).reshape(96, 96)
    axes[2].imshow(tiled, cmap="gray", extent=(-2, 2, -2, 2))
    axes[2].set(title="Images along them")
    figure.savefig(path, dpi=100)


def main(arguments=None):
    """Train, judge and draw; the bound, and that of independent pixels."""
    parser = argparse.ArgumentParser(description="Train a variational autoencoder on scikit-learn's digits.")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--plot", default="autoencoder.png", help="where the picture goes; '' draws none")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    images, held, digits = load(rng)
    begun = time.perf_counter()
    with pb.use_engine(given.engine):
        params, losses = train(initial(rng), images, rng, given.epochs)
        found = bound(params, held, rng)
    seconds = time.perf_counter() - begun
    baseline = independent(images, held)
    print(
        f"{found:.2f} nats, independent pixels {baseline:.2f}, on {HELD_OUT} images, {len(losses)} steps in "
        f"{seconds:.1f} s ({given.engine})"
    )
    if given.plot:
        draw(given.plot, params, held, digits, losses)
        print(f"wrote {given.plot}")
    return found, baseline


if __name__ == "__main__":
    main()
