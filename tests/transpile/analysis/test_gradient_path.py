"""Where a second derivative would lose its way."""

import pytest

from ..frontend.reading import findings


def simple(wrapped, *, before="", options=""):
    return (
        f"@pb.formula{options}\ndef f(a, b):\n    t = a + b\n    r = t * b\n{before}"
        f"    def back(grad):\n        v = {wrapped}\n        return grad * b, grad * v + grad * b\n"
        "    return r, back\n"
    )


@pytest.mark.parametrize(
    ("wrapped", "value"),
    [
        ("pb.tensor(t, requires_grad=True)", "t"),
        ("pb.from_numpy(t)", "t"),
        ("t.detach()", "t"),
        ("np.asarray(t)", "t"),
        ("np.array(t)", "t"),
        ("pb.tensor(b)", "b"),
        ("t.numpy()", "t"),
        ("pb.tensor(t) if b.ndim else t", "t"),
    ],
)
def test_the_line_that_loses_the_path_is_an_error(wrapped, value):
    assert [(line, name) for _, line, _, name in findings(simple(wrapped), "PB102")] == [(6, value)]


def test_a_value_that_the_forward_wraps_afresh():
    text = simple("fresh", before="    fresh = pb.tensor(t)\n")
    assert findings(text, "PB102") == [("PB102", 5, 13, "t")]


@pytest.mark.parametrize(
    "wrapped",
    ["t", "t + 0", "np.asarray(a > 0)", "pb.stop_gradient(t)", "float(a.shape[0])", "np.array([1.0, 2.0])"],
)
def test_what_keeps_the_path_or_needs_none(wrapped):
    assert findings(simple(wrapped), "PB102") == []


def test_first_order_only_says_that_it_is_meant():
    assert findings(simple("pb.tensor(t)", options="(first_order_only=True)"), "PB102") == []
