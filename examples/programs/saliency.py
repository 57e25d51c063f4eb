"""Saliency maps: the pixels by which a network knows a digit.

    python examples/programs/saliency.py [--engine reference] [--epochs 10] [--plot saliency.png]

The network of `digits.py` is trained, and its scores are differentiated by the images: gradients times
pixels, averaged over 20 noisy copies. To judge the maps, the eight most salient of 64 pixels are made grey
in each of 360 images that it was not trained on; and, to compare, eight others of the same brightness at
random. Prints the accuracies. K. Simonyan and others, "Deep Inside Convolutional Networks" (2014); D.
Smilkov and others, "SmoothGrad" (2017).
"""

import argparse
import time

import digits
import numpy as np

import pullback as pb

HIDDEN_PIXELS = 8


def margin(images, params, chosen):
    """How far the scores of the chosen digits are above the mean of all, summed over images."""
    scores = digits.scores(params, images)
    return np.sum(scores[np.arange(len(chosen)), chosen] - np.mean(scores, axis=1))


def saliency(params, images, chosen, rng, copies=20, noise=0.1):
    """The gradient of the margin by each pixel, times the pixel: a mean over noisy copies."""
    derivative = pb.func.grad(margin)
    total = np.zeros_like(images)
    for _ in range(copies):
        noisy = images + noise * rng.standard_normal(images.shape, np.float32)
        total += derivative(noisy, params, chosen)
    return np.abs(total / copies * (images - 0.5))


def greyed(images, order):
    """The images with the first pixels of an order made grey."""
    flat = images.reshape(len(images), -1).copy()
    np.put_along_axis(flat, order[:, :HIDDEN_PIXELS], 0.5, axis=1)
    return flat.reshape(images.shape)


def at_random(images, order, rng):
    """Other orders, whose first pixels are as bright as those of the order, one by one."""
    flat = images.reshape(len(images), -1)
    wanted = np.take_along_axis(flat, order[:, :HIDDEN_PIXELS], axis=1)
    found = np.empty_like(order[:, :HIDDEN_PIXELS])
    for k in range(len(flat)):
        free = rng.permutation(np.setdiff1d(np.arange(flat.shape[1]), order[k, :HIDDEN_PIXELS]))
        for i, value in enumerate(wanted[k]):
            nearest = np.argmin(np.abs(flat[k, free] - value))
            found[k, i], free = free[nearest], np.delete(free, nearest)
    return found


def draw(path, images, maps):
    """Images above their maps."""
    from matplotlib.figure import Figure

    cells = (figure := Figure(figsize=(10, 2.8), layout="constrained")).subplots(2, 10)
    for k in range(10):
        cells[0, k].imshow(images[k, 0], cmap="gray")
        cells[1, k].imshow(maps[k, 0], cmap="inferno")
    for cell in cells.flat:
        cell.axis("off")
    figure.suptitle("Digits, and the pixels by which the network knows them", fontsize=10)
    figure.savefig(path, dpi=100)


def main(arguments=None):
    """Train, map, judge and draw; the accuracies on whole images, without salient pixels, without others."""
    parser = argparse.ArgumentParser(description="Map the pixels by which a network knows a digit.")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--plot", default="saliency.png", help="where the picture goes; '' draws none")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    (images, labels), (held, held_labels) = digits.load(rng)
    begun = time.perf_counter()
    with pb.use_engine(given.engine):
        params, _ = digits.train(digits.initial(rng), images, labels, rng, given.epochs)
        whole, _, guesses = digits.accuracy(params, held, held_labels)
        maps = saliency(params, held, guesses, rng)
        order = np.argsort(-maps.reshape(len(maps), -1), axis=1)
        without = digits.accuracy(params, greyed(held, order), held_labels)[0]
        others = digits.accuracy(params, greyed(held, at_random(held, order, rng)), held_labels)[0]
    seconds = time.perf_counter() - begun
    print(
        f"accuracy {whole:.3f}, without the salient pixels {without:.3f}, without others {others:.3f}, "
        f"in {seconds:.1f} s ({given.engine})"
    )
    if given.plot:
        draw(given.plot, held, maps)
        print(f"wrote {given.plot}")
    return whole, without, others


if __name__ == "__main__":
    main()
