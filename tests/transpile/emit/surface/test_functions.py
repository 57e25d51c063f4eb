"""Derivatives as C++ over operators: the text of a few, and what is refused."""

from __future__ import annotations

import pytest

from pullback.transpile.emit.surface.expressions import Unwritten
from pullback.transpile.emit.surface.functions import backward_function, forward_function
from pullback.transpile.library import standard_library

MULTIPLY = """\
Tensors multiply_backward(const Saved& saved) {
    const Tensor x = saved.input(0);
    const Tensor y = saved.input(1);
    const Tensor grad = saved.gradient(0);
    Tensors gradients(2);
    if (saved.needs(0)) {
        // arithmetic.py:40  return grad * y, grad * x
        gradients[0] = sum_to(grad * y, saved.like(0));
    }
    if (saved.needs(1)) {
        gradients[1] = sum_to(grad * x, saved.like(1));
    }
    return gradients;
}"""

SOFTMAX = """\
Tensors softmax_forward(const Saved& saved) {
    const Tensor x = saved.input(0);
    const Attribute& axis = saved.attribute("axis");
    // nn.py:86  weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    const Tensor weights = exp(x - max(x, axis, true));
    // nn.py:87  r = weights / np.sum(weights, axis=axis, keepdims=True)
    return {weights / sum(weights, axis, true)};
}"""

# What the forward's shapes say is computed again: nothing but values of tensors is kept.
MATMUL = """\
    const Tensor columns = x2_ndim_equal ? expand_dims(grad, -1) : grad;
"""


def promoted(name: str):
    return standard_library().promoted(name)


def test_only_what_a_gradient_needs_is_computed_for_it():
    made = backward_function(promoted("multiply"))
    assert made.text == MULTIPLY
    assert (made.inputs, made.outputs) == ((0, 1), ())
    assert made.calls == {"multiply", "sum_to"}


def test_a_forward_over_operators():
    assert forward_function(promoted("softmax")).text == SOFTMAX


def test_only_values_that_are_read_are_kept():
    made = backward_function(promoted("softmax"))
    assert (made.inputs, made.outputs) == ((), (0,))
    assert backward_function(promoted("mean")).inputs == ()


def test_conditions_on_shapes():
    text = backward_function(promoted("matmul")).text
    assert MATMUL in text
    assert "const auto x2_ndim_equal = ndim_of(saved.like(1)) == 1;" in text


def test_a_branch_of_several_statements():
    text = backward_function(promoted("eigh")).text
    assert "if (!!grad_v) {" in text
    assert "} else {" in text


def test_slices():
    text = backward_function(promoted("cumprod")).text
    assert "Slice{.stop = -1}})" in text


def test_a_derivative_that_calls_python_is_refused():
    with pytest.raises(Unwritten, match=r"pullback\.order_of_norm"):
        backward_function(promoted("norm"))
