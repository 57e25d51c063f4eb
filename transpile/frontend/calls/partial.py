"""``functools.partial(f, a, k=b)``: a function of the arguments that are left, by their places."""

from __future__ import annotations

import ast

from ..state.values import Frame, Function, Value
from ..syntax.fence import refuse
from ..syntax.nodes import located
from .arguments import Arguments

# Names that no author can write.
_FUNCTION, _MORE = "<function>", "<more>"


def read_partial(frame: Frame, given: Arguments) -> Function:
    """``lambda *more: f(a, *more, k=b)``, of the values that are given now."""
    if not given.positional:
        raise refuse("PB404", "`partial` lacks its function", frame.span(given.node), value="partial")
    function, *values = given.positional
    bound = {f"<argument {k}>": value for k, value in enumerate(values)}
    named = {f"<keyword {key}>": value for key, value in given.keywords.items()}
    arguments: list[ast.expr] = [ast.Name(name, ast.Load()) for name in bound]
    arguments.append(ast.Starred(ast.Name(_MORE, ast.Load()), ast.Load()))
    keywords = [
        ast.keyword(key, ast.Name(name, ast.Load())) for key, name in zip(given.keywords, named, strict=True)
    ]
    call = ast.Call(ast.Name(_FUNCTION, ast.Load()), arguments, keywords)
    made = ast.Lambda(ast.arguments([], [], ast.arg(_MORE), [], [], None, []), call)
    held: dict[str, Value] = {_FUNCTION: function} | bound | named
    return Function(located(made, given.node), frame, tuple(held.items()), frame.build.tick(), frame.branch)
