"""Results of many megabytes, which kernels store past the caches, are those of the reference engine."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

pytestmark = pytest.mark.compiler

# Elements of float64 above the 16 MiB from which results are stored so; no whole number of stretches.
SIZE = (1 << 21) + 1237


@pb.formula
def scaled(x, y, scale):
    """A result and a hidden one, of operands that may be numbers, rows or columns."""
    e = np.exp(x * scale)
    r = e * y + x

    def scaled_pullback(grad):
        grad_x = grad * y * e * scale + grad
        return grad_x, grad * e, grad * y * e * x

    return r, scaled_pullback


@pb.formula
def centered(x, weight):
    """A loop over rows that stores some, and collects weights' gradients beside."""
    r = (x - np.mean(x, axis=-1, keepdims=True)) * weight

    def centered_pullback(grad):
        back = grad * weight
        grad_weight = grad * (x - np.mean(x, axis=-1, keepdims=True))
        return back - np.mean(back, axis=-1, keepdims=True), grad_weight

    return r, centered_pullback


STREAMED = {"scaled": pb.compile(scaled, order=1), "centered": pb.compile(centered, order=1)}
PLAIN = {"scaled": scaled, "centered": centered}


def outcome(function, arrays, wanted):
    """The result, and the gradients of the inputs whose numbers are in `wanted`."""
    inputs = [pb.tensor(array, requires_grad=k in wanted) for k, array in enumerate(arrays)]
    r = function(*inputs)
    value = r.detach().numpy()
    return [value, *(g.numpy() for g in pb.grad(r, [inputs[k] for k in wanted], pb.tensor(np.cos(value))))]


def agrees(name, arrays):
    for wanted in ([0], [1], list(range(len(arrays)))):
        expected = outcome(PLAIN[name], arrays, wanted)
        for one, other in zip(outcome(STREAMED[name], arrays, wanted), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def threads(request):
    before = pb.get_num_threads()
    pb.set_num_threads(request.param)
    yield
    pb.set_num_threads(before)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("scale", ["number", "alike"])
def test_operands_that_lie_as_the_result_does(scale):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, SIZE))
    agrees("scaled", [x, y, np.array(0.7) if scale == "number" else rng.standard_normal(SIZE)])


@pytest.mark.parametrize("view", sampled(["row", "column", "transposed", "every other"], 2))
def test_operands_that_lie_otherwise(view):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((1500, 1511))
    y = {
        "row": lambda: rng.standard_normal(1511),
        "column": lambda: rng.standard_normal((1500, 1)),
        "transposed": lambda: rng.standard_normal((1511, 1500)).T,
        "every other": lambda: rng.standard_normal((1500, 3022))[:, ::2],
    }[view]()
    agrees("scaled", [x, y, np.array(0.7)])


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("shape", sampled([(9001, 256), (2100, 1000), (700, 3001), (2, SIZE // 2 + 5)], 2))
def test_loops_over_rows(shape):
    rng = np.random.default_rng(2)
    agrees("centered", [rng.standard_normal(shape), rng.standard_normal(shape[-1])])


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("rows", [2100, 9001], ids=["in the caches", "past them"])
def test_parts_may_be_done_in_any_order(rows):
    rng = np.random.default_rng(3)
    arrays = [rng.standard_normal((rows, 256)), rng.standard_normal(256)]
    first, *others = (
        [part.tobytes() for part in outcome(STREAMED["centered"], arrays, [0, 1])] for _ in range(4)
    )
    assert all(other == first for other in others)
