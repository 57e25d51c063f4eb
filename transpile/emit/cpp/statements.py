"""Statements as C++."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...ir import Source
from ...loops.expressions import Expression, Infix, Name, Number
from ...loops.statements import (
    Alike,
    Assign,
    Do,
    For,
    Guard,
    If,
    Launch,
    Let,
    NewList,
    Passes,
    Require,
    Return,
    RunPasses,
    Scope,
    Space,
    Statement,
    Variable,
)
from .comments import Comments
from .expressions import callee, operand_text, quoted, text_of, type_text, words_of
from .launches import launch_lines
from .lines import assignment, indented, wrap
from .spaces import space_lines


def block_lines(
    statements: Iterable[Statement], source: Source, depth: int, spaced: bool = True
) -> list[str]:
    """The lines of a block at this depth; passes are set apart where it is `spaced`."""
    comments = Comments(source)
    lines: list[str] = []
    for statement in statements:
        lines += comments.of(getattr(statement, "span", None))
        if spaced and lines and isinstance(statement, Passes | RunPasses):
            lines.append("")
        lines += _lines(statement, source, depth)
    return lines


def _lines(statement: Statement, source: Source, depth: int) -> list[str]:
    match statement:
        case Let():
            return _declaration(_let(statement), statement.value, depth)
        case Variable(value=None):
            braced = "{}" if statement.type in ("T", "float", "double", "int64_t", "bool") else ""
            return [f"{type_text(statement.type)} {statement.name}{braced};"]
        case Variable():
            assert statement.value is not None
            return _declaration(f"{type_text(statement.type)} {statement.name}", statement.value, depth)
        case NewList():
            head = f"const {type_text(statement.type)} {statement.name}("
            return wrap("", head, [text_of(statement.count)], ");", depth)
        case Assign():
            return _declaration(text_of(statement.target), statement.value, depth)
        case Require():
            arguments = [text_of(statement.condition), f"PB_{statement.kind}", quoted(statement.why)]
            return wrap("", "context.require(", arguments, ");", depth)
        case Do():
            head, args = callee(statement.call)
            return wrap("", f"{head}(", list(map(text_of, args)), ");", depth)
        case Return():
            return [f"return {statement.way}<T>(context);" if statement.way else "return;"]
        case Guard():
            then = _lines(statement.then, source, depth)
            return [f"if ({text_of(statement.condition)}) {then[0]}", *then[1:]]
        case If():
            return _if(statement, source, depth)
        case For():
            return [_header(statement), *indented(block_lines(statement.body, source, depth + 1)), "}"]
        case Scope():
            return ["{", *indented(block_lines(statement.body, source, depth + 1)), "}"]
        case Alike():
            asked = wrap("", "if (pb::alike(", list(map(text_of, statement.shapes)), ")) {", depth)
            return [*asked, *indented(block_lines(statement.body, source, depth + 1, spaced=False)), "}"]
        case Passes():
            return [f"pb::Passes<{statement.count}, {statement.operands}> {statement.name}(context);"]
        case RunPasses():
            return [f"{statement.name}.{'run_units' if statement.units else 'run'}();"]
        case Launch():
            otherwise = block_lines(statement.otherwise, source, depth + 2)
            return ["{", *indented(launch_lines(statement, otherwise, depth + 1)), "}"]
        case Space():
            return space_lines(statement, Comments(source), depth)


def _let(statement: Let) -> str:
    kind = "auto" if statement.type is None else type_text(statement.type)
    return f"const {kind}{'&' * statement.reference} {statement.name}{'[]' * statement.array}"


def _declaration(name: str, value: Expression, depth: int) -> list[str]:
    """A name and its value: broken between the arguments of a call, or between words."""
    head, args = callee(value)
    if head:
        return wrap(name, f"{head}(", list(map(text_of, args)), ");", depth)
    return assignment(name, words_of(value), depth)


def _if(statement: If, source: Source, depth: int) -> list[str]:
    first, *more = _conditions(statement.conditions)
    lines = [first, *more, *indented(block_lines(statement.then, source, depth + 1))]
    if statement.otherwise is not None:
        lines += ["} else {", *indented(block_lines(statement.otherwise, source, depth + 1))]
    return [*lines, "}"]


def _conditions(conditions: Sequence[Expression]) -> list[str]:
    """The head of an `if`, a line for each condition."""
    if len(conditions) == 1:
        return [f"if ({text_of(conditions[0])}) {{"]
    *before, last = (operand_text(one, "&&") for one in conditions)
    texts = [*(f"{text} &&" for text in before), f"{last}) {{"]
    return [f"if ({texts[0]}", *(f"    {text}" for text in texts[1:])]


def _header(statement: For) -> str:
    name, zero, one = Name(statement.name), Number(0, "int64_t"), Number(1, "int64_t")
    first: Expression = zero
    more, step = Infix("<", name, statement.count), "++"
    if statement.reverse:
        first, more, step = Infix("-", statement.count, one), Infix(">=", name, zero), "--"
    if statement.condition is not None:
        more = Infix("&&", more, statement.condition)
    return f"for (int64_t {name.name} = {text_of(first)}; {text_of(more)}; {step}{name.name}) {{"
