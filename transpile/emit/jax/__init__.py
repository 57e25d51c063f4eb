"""Modules that need only JAX, from formulas."""

from __future__ import annotations

from .module import module_text as module_text
