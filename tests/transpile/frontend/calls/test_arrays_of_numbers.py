"""Arrays of numbers that are written out or attributes: the same everywhere, on the device of the tensors."""

import numpy as np
import pytest

import pullback as pb
from tests.transpile.frontend.on_every_target import (
    assert_compiled,
    assert_derived,
    assert_in_jax,
    assert_in_pytorch,
)

X = np.array([0.25, -1.5, 0.5])


def of_attributes(
    x,
    *,
    n: int = 3,
    scale: float = 0.75,
    weights: tuple[float, ...] = (1.0, -2.0, 0.5),
    places: tuple[int, ...] = (1, 2),
    table: tuple[tuple[float, ...], ...] = ((1.0, 0.5, 2.0), (0.0, -1.0, 3.0)),
):
    w = np.array(weights)
    powers = np.array([scale**k for k in range(n)])
    return (
        np.convolve(x, w / np.sum(np.abs(w))) * np.mean(weights) * np.linalg.norm(weights),
        np.array(table) @ x + np.array([[n, scale], [scale, 2.0]]) @ x[np.array(places)],
        x * weights + np.dot(x, weights) + np.outer(weights, x) + np.einsum("i,j->ij", x, weights),
        np.convolve(powers, x) * np.array(scale) + np.array([n], dtype=np.float64),
        x / np.prod(places, dtype=float) + np.average(x, weights=weights) + np.sum([w * 2 for w in weights]),
        np.array(weights, dtype=np.float32) * x + np.stack([x, weights])[1] + np.size(weights),
        np.convolve(x, weights[1:]) * np.median(weights)
        + np.convolve(weights[::-1], x)[1:] * np.diff(weights)[0],
        np.array([k * k for k in range(n)], dtype=float) * scale,
        np.array([x[0], n, 2.0], dtype=np.float64) * np.array(x, copy=True, order="C"),
    )


def beside_a_table(x, *, weights: tuple[float, ...] = (1.0, -2.0, 0.5)):
    return x * weights + np.array([1.0, 2.0, 3.0]) * np.array([2.0 * w for w in weights])


GIVEN = [{}, {"n": 2, "scale": -1.5, "weights": (2.0, 0.5, 3.0), "places": (1, 1)}]


@pytest.mark.parametrize("given", GIVEN, ids=["defaults", "others"])
def test_it_is_what_numpy_computes(given):
    assert_derived(of_attributes, X, given)


@pytest.mark.compiler
def test_it_is_compiled():
    assert_compiled(of_attributes, X, GIVEN)


@pytest.mark.torch
def test_it_is_computed_in_pytorch():
    assert_in_pytorch(of_attributes, X, GIVEN)


@pytest.mark.jax
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")  # of float64, which JAX has when asked for
def test_it_is_computed_in_jax():
    assert_in_jax(of_attributes, X, GIVEN)


@pytest.mark.torch
def test_it_is_on_the_device_of_the_tensors():
    torch = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode

    import pullback.torch

    beside = pullback.torch.function(pb.derive_pullback(beside_a_table))
    with FakeTensorMode():  # knows devices, and needs none
        assert beside(torch.empty(3, dtype=torch.float64, device="cuda")).device.type == "cuda"


def test_text_shows_the_array():
    def filtered(x):
        return np.convolve(x, np.array([1.0, 2.0, 1.0]))

    assert "np.array([1.0, 2.0, 1.0])" in pb.derive_pullback(filtered).source()
