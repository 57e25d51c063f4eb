"""A pullback is linear in its cotangents."""

import pytest

from ..frontend.reading import findings


def found(gradient, options=""):
    text = f"@pb.formula{options}\ndef f(x, y):\n    return (x * y, x + y), lambda g, h: ({gradient}, None)\n"
    return [code for code, *_ in findings(text, "PB202", "PB203")]


@pytest.mark.parametrize(
    "gradient",
    [
        "g",
        "g * y",
        "y * g / x",
        "-g",
        "g + h",
        "g * y + h",
        "g - h * x",
        "g @ x.T",
        "np.where(x > 0, g, 0)",
        "np.where(x > 0, g, 0.0) * y",
        "np.zeros_like(x)",
        "None",
        "0",
        "g[..., None].sum(-1)",
        "np.mean(g) * x",
        "np.broadcast_to(g, x.shape)",
        "g if x.ndim else h",
        "None if g is None else g * 2",
        "g * 0",
        "np.where(x > 0, g, np.zeros_like(x))",
        "np.concatenate([g, h])",
        "g.astype(x.dtype)",
        "np.zeros(x.shape) + g",
        "np.concatenate([[0.0, 0], g[1:]]) * x",
        "np.concatenate([g, np.array([[0.0], [0]])[0], np.full(2, 0.0), np.full_like(x, 0)])",
        "pb.stop_gradient(g) * x",
        "np.interp(g, x, y)",
        "g * g.shape[0]",
        "np.einsum('ij,j->i', g, y)",
        "np.einsum('ij,jk,k->i', x, g, y)",
        "np.einsum('ii', g) * x",
        "np.einsum('i,i->i', np.zeros_like(x), x)",
    ],
)
def test_linear(gradient):
    assert found(gradient) == []


@pytest.mark.parametrize(
    "gradient",
    [
        "x",
        "np.ones_like(x)",
        "100 * x",
        "1.0",
        "g + 1",
        "g * y + x",
        "g if x.ndim else x",
        "np.where(x > 0, g, 1)",
    ],
)
def test_what_depends_on_no_incoming_gradient(gradient):
    assert found(gradient) == ["PB202"]


@pytest.mark.parametrize(
    "gradient",
    [
        "g * g",
        "g ** 2",
        "np.exp(g)",
        "np.clip(g, -1, 1)",
        "np.sign(g)",
        "x / g",
        "np.where(g > 0, g, 0)",
        "g * h",
        "np.einsum('i,i->i', g, g)",
        "np.einsum('i,i->i', g * g, x)",
    ],
)
def test_what_is_not_linear(gradient):
    assert found(gradient) == ["PB203"]


@pytest.mark.parametrize("gradient", ["np.clip(g, -1, 1)", "x", "g + 1"])
def test_a_surrogate_may(gradient):
    assert found(gradient, "(surrogate=True)") == []


def test_the_place_is_the_gradients_expression():
    text = (
        "@pb.formula\ndef f(x):\n    def back(g):\n"
        "        t = x * 100\n        return t\n    return x, back\n"
    )
    assert findings(text, "PB202") == [("PB202", 4, 13, "x")]


def test_a_loop_may_have_no_iterations():
    text = (
        "@pb.formula\ndef f(x, *, n=0):\n    def back(g):\n        t = g * g\n"
        "        for _ in range(n):\n            t = g * x\n        return t\n    return x * 1, back\n"
    )
    assert [code for code, *_ in findings(text, "PB203")] == ["PB203"]
