"""Rules about ``torch.autograd.Function`` classes, a file each. `TORCH_RULES` holds them by code."""

from __future__ import annotations

from . import (
    called_instance,
    captured_intermediate,
    conditional_capture,
    gradient_count,
    gradient_mutated,
    independent_gradient,
    inner_autograd,
    inner_autograd_shared,
    input_mutated,
    input_on_context,
    input_returned,
    lost_gradient_path,
    needs_ignored,
    once_differentiable,
    opaque_capture,
    other_need,
    output_on_context,
    outside_context,
    saved_mutated,
    saved_twice,
    undefined_gradient,
    unset_attribute,
    unused_gradient,
)
from .torch_rule import TorchRule

_MODULES = (
    called_instance,
    captured_intermediate,
    conditional_capture,
    gradient_count,
    gradient_mutated,
    independent_gradient,
    inner_autograd,
    inner_autograd_shared,
    input_mutated,
    input_on_context,
    input_returned,
    lost_gradient_path,
    needs_ignored,
    once_differentiable,
    opaque_capture,
    other_need,
    outside_context,
    output_on_context,
    saved_mutated,
    saved_twice,
    undefined_gradient,
    unset_attribute,
    unused_gradient,
)

TORCH_RULES: dict[str, TorchRule] = {
    rule.code: rule for rule in sorted((m.RULE for m in _MODULES), key=lambda rule: rule.code)
}
