"""The rules about ``torch.autograd.Function`` classes, a file each. `TORCH_RULES` holds them by code."""

from __future__ import annotations

from . import (
    torch_captured_intermediate,
    torch_conditional_capture,
    torch_gradient_count,
    torch_gradient_mutated,
    torch_independent_gradient,
    torch_inner_autograd,
    torch_inner_autograd_shared,
    torch_input_mutated,
    torch_input_on_context,
    torch_input_returned,
    torch_lost_gradient_path,
    torch_needs_ignored,
    torch_once_differentiable,
    torch_opaque_capture,
    torch_output_on_context,
    torch_saved_mutated,
    torch_saved_twice,
    torch_undefined_gradient,
)
from .torch_rule import TorchRule

_MODULES = (
    torch_captured_intermediate,
    torch_conditional_capture,
    torch_gradient_count,
    torch_gradient_mutated,
    torch_independent_gradient,
    torch_inner_autograd,
    torch_inner_autograd_shared,
    torch_input_mutated,
    torch_input_on_context,
    torch_input_returned,
    torch_lost_gradient_path,
    torch_needs_ignored,
    torch_once_differentiable,
    torch_opaque_capture,
    torch_output_on_context,
    torch_saved_mutated,
    torch_saved_twice,
    torch_undefined_gradient,
)

TORCH_RULES: dict[str, TorchRule] = {
    rule.code: rule for rule in sorted((m.RULE for m in _MODULES), key=lambda rule: rule.code)
}
