"""Gradients of losses, and of their gradients."""

from __future__ import annotations

from typing import Any

from pullback import aten

MEAN = 1  # of a loss: reduced to the mean
SMALL = 1e-12  # PyTorch's bound for the denominator of the binary cross entropy


def _shared(value: Any, self: Any, reduction: int) -> Any:
    """A gradient per entry, of which a mean has a part of each."""
    return value / aten.numel(self) if reduction == MEAN else value


def apply_loss_reduction(loss: Any, reduction: int) -> Any:
    """The loss of each entry, their mean, or their sum."""
    if reduction == MEAN:
        return aten.mean(loss)
    return aten.sum(loss) if reduction else loss


def binary_cross_entropy_target_backward(
    grad: Any, self: Any, target: Any, weight: Any, reduction: int
) -> Any:
    """-w (t log p + (1 - t) log(1 - p)) has the slope w (log(1 - p) - log p) by t."""
    slope = aten.log1p(-self) - aten.log(self)
    slope = slope if weight is None else slope * weight
    return _shared(grad * slope, target, reduction)


def binary_cross_entropy_double_backward(
    grad_output: Any, grad: Any, self: Any, target: Any, weight: Any, reduction: int
) -> Any:
    """The gradient g (p - t) / (p (1 - p)) by p: g (t / p**2 + (1 - t) / (1 - p)**2)."""
    one = (1.0 - self) * (1.0 - self) + SMALL
    curve = target / (self * self + SMALL) + (1.0 - target) / one
    curve = curve if weight is None else curve * weight
    return _shared(grad * grad_output * curve, self, reduction)


def binary_cross_entropy_double_backward_grad_output(
    grad: Any, self: Any, target: Any, weight: Any, reduction: int
) -> Any:
    """The gradient g (p - t) / (p (1 - p)) by g."""
    slope = (self - target) / aten.clamp_min(self * (1.0 - self), SMALL)
    slope = slope if weight is None else slope * weight
    return _shared(grad * slope, self, reduction)


def binary_cross_entropy_double_backward_target(
    grad: Any, grad_output: Any, self: Any, target: Any, weight: Any, reduction: int
) -> Any:
    """The gradient g (p - t) / (p (1 - p)) by t."""
    slope = -grad_output / aten.clamp_min(self * (1.0 - self), SMALL)
    slope = slope if weight is None else slope * weight
    return _shared(grad * slope, target, reduction)


def binary_cross_entropy_with_logits_backward(
    grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int
) -> Any:
    """With p = s(x): -w (q t log p + (1 - t) log(1 - p)) has the slope w ((q t + 1 - t) p - q t)."""
    s = aten.sigmoid(self)
    positive = target if pos_weight is None else pos_weight * target
    slope = (positive + 1.0 - target) * s - positive
    slope = slope if weight is None else slope * weight
    return _shared(grad * slope, self, reduction)


def binary_cross_entropy_with_logits_target_backward(
    grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int
) -> Any:
    """By t: w (log(1 - p) - q log p), p = s(x)."""
    slope = aten.log_sigmoid(-self) - aten.log_sigmoid(self) * (1.0 if pos_weight is None else pos_weight)
    slope = slope if weight is None else slope * weight
    return _shared(grad * slope, target, reduction)


def mse_loss_double_backward(grad: Any, self: Any, reduction: int) -> Any:
    """(x - t)**2 has the second derivative 2."""
    return _shared(2.0 * grad, self, reduction)


def smooth_l1_loss_double_backward(grad: Any, self: Any, target: Any, reduction: int, beta: float) -> Any:
    """d**2/(2 b) where |d| < b has the second derivative 1/b, and |d| - b/2 has none."""
    if beta == 0:
        return aten.zeros_like(grad)
    inside = aten.abs(self - target) < beta
    return _shared(grad * inside / beta, self, reduction)


def huber_loss_double_backward(grad: Any, self: Any, target: Any, reduction: int, delta: float) -> Any:
    """d**2/2 where |d| < b has the second derivative 1, and b (|d| - b/2) has none."""
    inside = aten.abs(self - target) < delta
    return _shared(grad * inside, self, reduction)


def huber_loss_double_backward_grad_output(
    grad: Any, grad_output: Any, self: Any, target: Any, reduction: int, delta: float
) -> Any:
    """The gradient of the loss is linear in that of its value: d inside of b, b sgn(d) outside."""
    slope = aten.clamp(self - target, -delta, delta)
    made = _shared(grad * slope, self, reduction)
    return aten.sum(made) if reduction else made


def soft_margin_loss_double_backward(grad: Any, self: Any, target: Any, reduction: int) -> Any:
    """log(1 + e**(-t x)) has the second derivative t**2 s (1 - s), s = 1/(1 + e**(t x))."""
    s = aten.sigmoid(-target * self)
    return _shared(grad * target * target * s * (1.0 - s), self, reduction)


def soft_margin_loss_double_backward_grad_output(
    grad: Any, grad_output: Any, self: Any, target: Any, reduction: int
) -> Any:
    """The slope -t s, s = 1/(1 + e**(t x)), is what the gradient is times of."""
    made = _shared(-grad * target * aten.sigmoid(-target * self), self, reduction)
    return aten.sum(made) if reduction else made
