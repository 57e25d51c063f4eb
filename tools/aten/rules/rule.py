"""The shape of a rewriting rule."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..scope import Scope

# Rewrites a node of C++ that stands in the place of an operand.
Read = Callable[[Any], ast.expr]
# Gives the Python of a node, or None where the rule is not about it.
Rule = Callable[[Any, Scope, Read], "ast.expr | None"]
