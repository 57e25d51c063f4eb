"""Equations as an expression of `derivatives.yaml`, which has no statements and no functions of its own."""

from __future__ import annotations

from collections.abc import Callable

from ...diagnostics import FormulaError
from ...ir import Eqn
from .code import Code
from .expressions import AtenExpressions
from .values import LIKE, NUMBERS, TENSOR, Expr, call, method

_NO_LIKE = Expr(Code(""), LIKE)  # of a number, which has no sizes


class NotInline(Exception):
    """Something that no expression of the table says: it stands in a function."""


class InlineExpressions(AtenExpressions):
    """Expressions of inputs, results and gradients alone; only sums and broadcasts read sizes."""

    def call(self, eqn: Eqn) -> Expr:
        """The right-hand side of an equation. Raises NotInline where it is no expression of the table."""
        own = _OWN.get(eqn.op)
        if eqn.op in _SIZES:
            raise NotInline
        if own is not None:
            return own(self, eqn)
        try:
            return super().call(eqn)
        except FormulaError:
            raise NotInline from None

    def _like_of(self, eqn: Eqn) -> Expr:
        """The operand, of which only the sizes are read."""
        value = self.of(eqn.args[0])
        if value.type in NUMBERS:
            return _NO_LIKE
        if value.type != TENSOR or not value.is_name:
            raise NotInline
        return method(value, "sym_sizes", type=LIKE)

    def _reduced(self, eqn: Eqn) -> Expr:
        like, value = eqn.kwarg("like"), self.of(eqn.args[0])
        assert like is not None
        sizes = self.of(like)
        if value.type != TENSOR or sizes == _NO_LIKE:
            raise NotInline
        if eqn.op == "sum_to":
            return call("at::sum_to", value, sizes)
        if eqn.op in ("expect_like", "gradient_like"):
            return value
        return method(value, "expand_symint", sizes)


_SIZES = frozenset(
    {"shape", "ndim", "size", "len", "dtype", "item", "is_none", "list", "raise", "format", "in_place"}
)
_OWN: dict[str, Callable[[InlineExpressions, Eqn], Expr]] = {
    "like": InlineExpressions._like_of,
    "sum_to": InlineExpressions._reduced,
    "broadcast_like": InlineExpressions._reduced,
    "expect_like": InlineExpressions._reduced,
    "gradient_like": InlineExpressions._reduced,
}
