"""Tangents of convolutions, which are linear in the input, in the weight and in the bias."""

from __future__ import annotations

from typing import Any

from pullback import aten


def convolution_jvp(x: Any, x_t: Any, weight: Any, weight_t: Any, bias: Any, bias_t: Any, *how: Any) -> Any:
    """The convolution of x_t with the weight and of x with weight_t, and bias_t."""
    return aten.convolution(x_t, weight, bias_t, *how) + aten.convolution(x, weight_t, None, *how)


def _convolution_jvp(x: Any, x_t: Any, weight: Any, weight_t: Any, bias: Any, bias_t: Any, *how: Any) -> Any:
    """As of `convolution`, with the switches of a backend."""
    return aten._convolution(x_t, weight, bias_t, *how) + aten._convolution(x, weight_t, None, *how)


def convolution_backward_jvp_grad_bias(grad_output_t: Any, grad_bias: Any) -> Any:
    """The bias is added to every entry of a channel: the tangent of its gradient is their sum."""
    if grad_bias is None:
        return None
    return aten.sum(grad_output_t, tuple(axis for axis in range(grad_output_t.ndim) if axis != 1))
