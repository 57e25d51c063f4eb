"""The error of what cannot be imported."""

from __future__ import annotations


class NotImported(Exception):
    """An expression or an entry that no rule rewrites; its message says which and why."""
