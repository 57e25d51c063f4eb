"""The backward that runs: which gradients are needed of it, whether it is recorded itself."""

from __future__ import annotations

import ast

from pullback.transpile.emit.aten.values import PRIMARY

from ..errors import NotExported
from ..scope import Scope, called
from ..types import BOOL, OTHER
from ..values import Expr
from .rule import Rule, Write


def of_backward(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`records_gradients()` is `GradMode::is_enabled()`, `retains_graph()` is `retain_variables`."""
    name = called(node)
    if name == "records_gradients":
        return Expr("GradMode::is_enabled()", BOOL)
    return Expr("retain_variables", BOOL) if name == "retains_graph" else None


def requires(node: ast.Subscript, scope: Scope, write: Write) -> Expr | None:
    """`needs_gradient(bias)[0]` is `bias.requires_grad()`."""
    if called(node.value) != "needs_gradient" or ast.unparse(node.slice) != "0":
        return None
    assert isinstance(node.value, ast.Call)
    if len(node.value.args) != 1:
        return None
    return Expr(f"{write(node.value.args[0]).within(PRIMARY)}.requires_grad()", BOOL)


def needed(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`needs_gradient(self, other)`, of the inputs that the formula is for, is `grad_input_mask`."""
    if called(node) != "needs_gradient":
        return None
    if [ast.unparse(argument) for argument in node.args] != list(scope.inputs):
        shown = ", ".join(scope.inputs)
        raise NotExported(
            "`grad_input_mask` is of the inputs that the formula is for",
            node,
            f"write needs_gradient({shown})",
        )
    return Expr("grad_input_mask", OTHER)


def needed_one(node: ast.Subscript, scope: Scope, write: Write) -> Expr | None:
    """`needs_gradient(self, other)[1]` is `grad_input_mask[1]`."""
    if called(node.value) != "needs_gradient":
        return None
    return Expr(f"{write(node.value).text}[{write(node.slice).text}]", BOOL)


def saved_if(node: ast.IfExp, scope: Scope, write: Write) -> Expr | None:
    """`x if test else None` is `wrap_opt_if(x, test)` where the test is of what is needed."""
    if not isinstance(node.orelse, ast.Constant) or node.orelse.value is not None:
        return None
    if not any(
        called(each) == "needs_gradient" for each in ast.walk(node.test) if isinstance(each, ast.expr)
    ):
        return None
    return Expr(f"wrap_opt_if({write(node.body).text}, {write(node.test).text})", "Tensor?")


RULES: dict[str, tuple[Rule, ...]] = {
    "Call": (of_backward, needed),
    "Subscript": (requires, needed_one),
    "IfExp": (saved_if,),
}
