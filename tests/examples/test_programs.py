"""The programs among the examples: what they learn, on both engines."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "programs"


def program(name):
    spec = importlib.util.spec_from_file_location(f"program_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_network_of_digits_learns_bars(engine):
    """Ten kinds of bars in the place of scikit-learn's images."""
    digits = program("digits")
    rng = np.random.default_rng(0)
    labels = np.arange(160) % 10
    images = 0.1 * rng.random((160, 1, 8, 8), np.float32)
    for image, label in zip(images, labels, strict=True):
        (image[0] if label < 5 else image[0].T)[label % 5 + 1] += 1
    params, losses = digits.train(digits.initial(rng), images, labels, rng, epochs=12, batch=40)
    assert np.mean(losses[-4:]) < 0.5 * losses[0]
    assert digits.accuracy(params, images, labels)[0] > 0.9


@pytest.mark.slow
def test_digits_are_recognized(tmp_path):
    pytest.importorskip("sklearn", reason="the images are scikit-learn's")
    pytest.importorskip("matplotlib", reason="the picture is matplotlib's")
    picture = tmp_path / "digits.png"
    assert program("digits").main(["--plot", str(picture)]) > 0.97
    assert picture.stat().st_size > 1000
