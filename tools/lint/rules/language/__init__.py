"""Rules about the language of formulas, a file each. `LANGUAGE_RULES` holds them by code."""

from __future__ import annotations

from ..rule import Rule
from . import (
    call_arguments,
    decorator_option,
    impossible_shape,
    no_closure,
    no_equal,
    not_compiled,
    opaque_call,
    unknown_name,
    unreadable,
    unsupported_expression,
    unsupported_parameter,
    unsupported_statement,
)

_MODULES = (
    call_arguments,
    decorator_option,
    impossible_shape,
    no_closure,
    no_equal,
    not_compiled,
    opaque_call,
    unknown_name,
    unreadable,
    unsupported_expression,
    unsupported_parameter,
    unsupported_statement,
)

LANGUAGE_RULES: dict[str, Rule] = {module.RULE.code: module.RULE for module in _MODULES}
