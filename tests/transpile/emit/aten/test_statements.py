"""Blocks of equations as statements of C++ over ATen."""

from .test_expressions import printed


def test_a_loop_ends_with_a_condition_that_is_no_expression():
    text = printed(
        "def doubled(x):\n    y = x\n    while y.sum() < 50.0:\n        y = y * 2\n    return y\n",
    )
    assert "for (int64_t iteration = iterations_1 - 1; iteration >= 0; --iteration) {" in text
    assert "grad_x = grad_y;" in text
