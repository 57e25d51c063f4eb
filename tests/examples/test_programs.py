"""The programs among the examples: what they learn, on both engines."""

import importlib
import time
from pathlib import Path

import numpy as np
import pytest

import pullback as pb

FOLDER = Path(__file__).parents[2] / "examples" / "programs"


@pytest.fixture
def program(monkeypatch):
    """A program by its name, imported as from its folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def slope(function, x, direction, step=1e-6):
    return float(function(x + step * direction) - function(x - step * direction)) / (2 * step)


def bars(rng, count):
    """Ten kinds of bars in the place of scikit-learn's images."""
    labels = np.arange(count) % 10
    images = 0.1 * rng.random((count, 1, 8, 8), np.float32)
    for image, label in zip(images, labels, strict=True):
        (image[0] if label < 5 else image[0].T)[label % 5 + 1] += 1
    return images, labels


def test_the_network_of_digits_learns_bars(engine, program):
    digits = program("digits")
    rng = np.random.default_rng(0)
    images, labels = bars(rng, 160)
    params, losses = digits.train(digits.initial(rng), images, labels, rng, epochs=12, batch=40)
    assert np.mean(losses[-4:]) < 0.5 * losses[0]
    assert digits.accuracy(params, images, labels)[0] > 0.9


def test_a_saliency_map_is_a_gradient(engine, program):
    saliency = program("saliency")
    rng = np.random.default_rng(0)
    images, labels = bars(rng, 2)
    params = saliency.digits.initial(rng)
    found = saliency.saliency(params, images, labels, rng, copies=1, noise=0.0)
    slopes = pb.func.grad(saliency.margin)(images, params, labels)
    np.testing.assert_allclose(found, np.abs(slopes * (images - 0.5)), rtol=1e-5, atol=1e-7)
    order = np.argsort(-found.reshape(2, -1), axis=1)
    assert (saliency.greyed(images, order) == 0.5).sum() == 2 * saliency.HIDDEN_PIXELS
    others = saliency.at_random(images, order, rng)
    assert not any(set(a) & set(b) for a, b in zip(others, order[:, : saliency.HIDDEN_PIXELS], strict=True))


def test_an_autoencoder_learns_bars(engine, program):
    autoencoder = program("autoencoder")
    rng = np.random.default_rng(0)
    images = np.clip(bars(rng, 128)[0].reshape(128, 64), 0, 1)
    params, losses = autoencoder.train(autoencoder.initial(rng), images, rng, epochs=12)
    assert losses[-1] < 0.7 * losses[0]
    assert autoencoder.bound(params, images, rng) > autoencoder.independent(images, images) - 5


def test_newtons_method_ends_where_the_gradient_vanishes(engine, program):
    process = program("gaussian_process")
    x, y = process.data(np.random.default_rng(0))
    _, norms = process.newton(np.zeros(3), x[::3], y[::3])
    assert norms[-1] < 1e-9
    assert len(norms) < 20


def test_a_path_tells_a_network_its_derivative(engine, program):
    ode = program("neural_ode")
    rng = np.random.default_rng(0)
    params, known = ode.initial(rng, hidden=4), ode.path()
    pieces = np.stack([known[k : k + ode.PIECE] for k in (0, 30)])
    slopes = pb.func.grad(ode.loss)(params, np.reshape(pieces[:, 0], (-1,)), pieces)
    direction = rng.standard_normal(params["out"].shape)

    def along(out):
        return ode.loss({**params, "out": out}, np.reshape(pieces[:, 0], (-1,)), pieces)

    expected = slope(along, params["out"], direction, step=1e-3)
    assert np.sum(slopes["out"] * direction) == pytest.approx(expected, rel=1e-2)


def test_draws_have_the_deviation_of_the_posterior(engine, program):
    """Without data that is the prior's, 1."""
    hamiltonian = program("hamiltonian")
    rng = np.random.default_rng(0)
    draws, taken = hamiltonian.sample(np.zeros(40), np.zeros((1, 40)), np.ones(1), rng, 20, step=0.1)
    assert taken > 0.7
    assert 0.8 < np.std(draws[5:]) < 1.2


def test_an_inner_step_is_learned_through(engine, program):
    meta = program("meta_learning")
    rng = np.random.default_rng(0)
    params = meta.initial(rng, hidden=8)
    new = meta.tasks(rng, 3)
    slopes = pb.func.grad(meta.meta_loss)(params, *new)
    direction = rng.standard_normal(params["w1"].shape)
    expected = slope(lambda w1: meta.meta_loss({**params, "w1": w1}, *new), params["w1"], direction)
    assert np.sum(slopes["w1"] * direction) == pytest.approx(expected, rel=1e-5)


def test_springs_are_found(engine, program, monkeypatch):
    springs = program("springs")
    monkeypatch.setattr(springs, "STEPS", 24)
    truth = np.log(np.linspace(30.0, 40.0, springs.MASSES + 1))
    seen = springs.simulate(truth)[::2, springs.OBSERVED]
    _, sums = springs.levenberg_marquardt(truth + 0.1, seen, steps=3)
    assert sums[-1] < 0.01 * sums[0]


# The arguments of each program, and what of its numbers shows that it learned.
LEARNED = {
    "digits": lambda found: found > 0.97,
    "autoencoder": lambda found: found[0] > found[1] + 1.5,
    "gaussian_process": lambda found: abs(found[0] - 0.2) < 0.03 and found[1] < 0.1 and found[2] < 1e-8,
    "neural_ode": lambda found: found < 0.1,
    "hamiltonian": lambda found: found[0] > 0.8 and found[1] > 0.95 and found[2] > -0.12,
    "meta_learning": lambda found: found[1] < 0.4 * found[0] and found[1] < 0.4 * found[2],
    "saliency": lambda found: found[1] < found[2] - 0.2 and found[0] > 0.95,
    "springs": lambda found: found < 0.02,
}


def test_every_program_is_here():
    assert {path.stem for path in FOLDER.glob("*.py")} == {*LEARNED, "adam"}


@pytest.mark.slow
@pytest.mark.parametrize("which", ["native", "reference"])
@pytest.mark.parametrize("name", LEARNED)
def test_a_program_learns_and_draws_in_two_minutes(program, name, which, tmp_path):
    pytest.importorskip("sklearn", reason="the data are scikit-learn's")
    pytest.importorskip("matplotlib", reason="the pictures are matplotlib's")
    picture, begun = tmp_path / "picture.png", time.process_time()
    assert LEARNED[name](program(name).main(["--engine", which, "--plot", str(picture)]))
    assert time.process_time() - begun < 120
    assert picture.stat().st_size > 1000
