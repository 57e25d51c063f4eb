"""Expressions of C++ as text, with their types in the tables and how tightly they bind."""

from __future__ import annotations

from dataclasses import dataclass

from pullback.transpile.emit.aten.values import LEVELS, LOOSE, PRIMARY, UNARY


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression: its text, its type, and how tightly it binds."""

    text: str
    type: str
    level: int = PRIMARY

    def within(self, level: int) -> str:
        """The text beside operators that bind as tightly as this level."""
        return self.text if self.level <= level else f"({self.text})"


def joined(symbol: str, first: Expr, second: Expr, type: str) -> Expr:
    """Two operands with an operator between them.

    >>> total = joined("+", Expr("a", "Tensor"), Expr("b", "Tensor"), "Tensor")
    >>> joined("*", total, Expr("c", "Tensor"), "Tensor").text
    '(a + b) * c'
    """
    level = LEVELS[symbol]
    left, right = (UNARY, UNARY) if level in LOOSE else (level, level - 1)
    return Expr(f"{first.within(left)} {symbol} {second.within(right)}", type, level)
