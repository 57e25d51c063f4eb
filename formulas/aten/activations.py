"""Gradients of activations, and of their gradients."""

from __future__ import annotations

import math
from typing import Any

from pullback import aten


def infinitely_differentiable_logit_backward(grad: Any, self: Any, eps: float | None) -> Any:
    """log(p / (1 - p)) has the slope 1 / (p (1 - p)), and 0 where p is cut off; outside of 0 and 1 none."""
    slope = 1 / (self * (1.0 - self))
    low, high = (0.0, 1.0) if eps is None else (eps, 1.0 - eps)
    inside = (self >= low) & (self <= high)
    return aten.where(inside, grad * slope, math.nan if eps is None else 0.0)


def infinitely_differentiable_silu_backward(grad: Any, self: Any) -> Any:
    """y = x s with s = 1/(1 + e**-x): dy = s (1 + x (1 - s)) dx."""
    s = aten.sigmoid(self)
    return grad * s * (1.0 + self * (1.0 - s))


def infinitely_differentiable_mish_backward(grad: Any, self: Any) -> Any:
    """y = x t with t = tanh(log(1 + e**x)): dy = (t + x (1 - t**2) s) dx, s = 1/(1 + e**-x)."""
    t = aten.tanh(aten.softplus(self))
    return grad * (t + self * (1.0 - t * t) * aten.sigmoid(self))


def log_sigmoid_double_backward(grad: Any, self: Any) -> Any:
    """log s has the slope 1 - s, which has the slope -s (1 - s)."""
    s = aten.sigmoid(self)
    return -grad * s * (1.0 - s)


def softplus_double_backward(grad: Any, self: Any, beta: float, threshold: float) -> Any:
    """log(1 + e**(b x))/b has the slope s(b x), which has the slope b s (1 - s); 0 where it is cut off."""
    s = aten.sigmoid(beta * self)
    return aten.where(self * beta > threshold, 0.0, grad * beta * s * (1.0 - s))


def elu_double_backward(
    grad: Any,
    grad_output: Any,
    alpha: Any,
    scale: Any,
    input_scale: Any,
    is_result: bool,
    self_or_result: Any,
) -> Any:
    """The slope below 0 is a c k e**(k x): by the input it changes k times that, by the result k."""
    below = self_or_result <= 0
    if is_result:
        change = grad * grad_output * input_scale
    else:
        change = grad * grad_output * (alpha * scale * input_scale * input_scale)
        change = change * aten.exp(self_or_result * input_scale)
    return aten.where(below, change, 0.0)


def gelu_double_backward(grad: Any, grad_output: Any, self: Any, approximate: str) -> Any:
    """x P(x) has the second derivative (2 - x**2) p(x), p the normal density; with tanh that of its form."""
    if approximate == "none":
        density = aten.exp(-0.5 * self * self) / math.sqrt(2 * math.pi)
        return grad * grad_output * (2.0 - self * self) * density
    k, c = math.sqrt(2 / math.pi), 0.044715
    t = aten.tanh(k * (self + c * self * self * self))
    first = k * (1.0 + 3 * c * self * self)
    second = 6 * c * k * self
    slope_of_t = (1.0 - t * t) * first
    curve_of_t = (1.0 - t * t) * (second - 2 * t * first * first)
    return grad * grad_output * (slope_of_t + 0.5 * self * curve_of_t)


def glu_double_backward_grad_output(grad: Any, self: Any, dim: int) -> Any:
    """y = a s(b): its gradient (g s, g a s (1 - s)) is linear in g."""
    a, b = aten.chunk(self, 2, dim)
    grad_a, grad_b = aten.chunk(grad, 2, dim)
    s = aten.sigmoid(b)
    return grad_a * s + grad_b * a * s * (1.0 - s)


def glu_double_backward(grad: Any, grad_output: Any, self: Any, dim: int) -> Any:
    """The gradient (g s, g a s (1 - s)) by a and b."""
    a, b = aten.chunk(self, 2, dim)
    grad_a, grad_b = aten.chunk(grad, 2, dim)
    s = aten.sigmoid(b)
    slope = grad_output * s * (1.0 - s)
    return aten.cat((grad_b * slope, grad_a * slope + grad_b * slope * a * (1.0 - 2 * s)), dim)


def softmax_double_backward(grad: Any, grad_output: Any, dim: int, output: Any) -> Any:
    """y (g - sum(g y)), the gradient of a softmax, by its result y."""
    inner = aten.sum(grad_output * output, (dim,), True)
    return grad * (grad_output - inner) - grad_output * aten.sum(grad * output, (dim,), True)
