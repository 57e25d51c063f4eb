import pytest

from ...emitting import cpp, function

LONG = "space.computes_long();"


def of_rows(term):
    """C++ of a sum of terms along rows, less their mean."""
    centered = "centered = x - np.mean(x, axis=-1, keepdims=True)"
    return cpp(function(centered, f"r = np.sum({term}, axis=-1)"), ranks={"x": 2})


@pytest.mark.parametrize("term", ["np.exp(centered)", "np.tanh(centered) * x"])
def test_a_loop_over_rows_that_takes_long_says_so(term):
    text = of_rows(term)
    assert text.count(LONG) == 1
    assert text.index(LONG) > text.index("space.reduce_once<pb::Sum<T>>(mean")


@pytest.mark.parametrize("term", ["centered * centered", "centered"])
def test_a_loop_that_waits_for_memory_does_not(term):
    assert LONG not in of_rows(term)


def test_a_loop_that_stores_rows_keeps_the_memory_busy():
    text = cpp(function("r = np.exp(x - np.max(x, axis=-1, keepdims=True))"), ranks={"x": 2})
    assert "each_row" in text
    assert LONG not in text


def test_two_gradients_of_one_operand_are_summed_in_one_pass():
    closure = "lambda grad: (grad * b, grad * t + grad * b)"
    text = cpp(f"def f(a, b):\n    t = a + b\n    return t * b, {closure}\n", order=2)
    assert "context.output" in text
    assert "scratch" not in text


def test_gradients_of_other_shapes_are_summed_apart():
    closure = "lambda g, h: (g * b, g * a + h * c, h * b)"
    text = cpp(f"def f(a, b, c):\n    return (a * b, c * b), {closure}\n", order=2)
    assert "scratch<T>(b_view.shape)" in text
