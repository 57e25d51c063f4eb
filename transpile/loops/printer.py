"""Programs of kernels as text, a line for each statement, for `pullback dump` and for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .expressions import (
    Ask,
    Braces,
    Call,
    Choice,
    Constant,
    Convert,
    DataType,
    Element,
    Entry,
    Expression,
    Infix,
    ListOf,
    Member,
    Method,
    Name,
    New,
    Number,
    Prefix,
    SizeOf,
    Text,
    ViewOf,
)
from .statements import (
    Alike,
    Assign,
    Collect,
    Do,
    FlatCall,
    FlatLoop,
    For,
    Guard,
    If,
    InSpace,
    KernelProgram,
    Launch,
    Let,
    NewList,
    Passes,
    Reduce,
    Require,
    Return,
    RunPasses,
    Scope,
    Space,
    Statement,
    Store,
    Variable,
)

_Line = Statement | InSpace


def kernel_text(program: KernelProgram) -> str:
    """A program as text.

    >>> from .expressions import ask
    >>> print(kernel_text(KernelProgram("f", "", "T", 0, 1, (Let("n", ask("shape", 0)),))))
    kernel f(T) -> 1:
      n = ask shape(0)
    """
    takes = [*program.codes, *["number"] * program.attributes]
    lines = [f"kernel {program.name}({', '.join(takes)}) -> {program.outputs}:", *_block(program.body)]
    if program.flat is not None:
        lines += ["  flat:", *_indented(_flat(program.flat))]
    if program.likely is not None:
        lines += ["  likely:", *_indented(_block(program.likely))]
    return "\n".join(lines)


def type_text(kind: DataType) -> str:
    """A type as text.

    >>> type_text(ListOf(ViewOf("T")))
    'list of view of T'
    """
    match kind:
        case ViewOf():
            return f"view of {kind.element}"
        case ListOf():
            return f"list of {type_text(kind.element)}"
        case _:
            return kind


def expression_text(expression: Expression) -> str:
    """An expression as text: operators in parentheses where they are operands.

    >>> expression_text(Infix("-", Name("a"), Infix("*", Entry("x"), Number(2, "T"))))
    'a - (x[i] * 2)'
    """
    match expression:
        case Name():
            return expression.name
        case Number():
            return str(expression.value)
        case Text():
            return repr(expression.value)
        case Constant():
            return expression.name
        case Entry():
            return f"{expression.row}[{expression.index}]"
        case SizeOf():
            return f"bytes of {expression.type}"
        case Prefix():
            return f"{expression.operator}{_operand(expression.operand)}"
        case Infix():
            return f"{_operand(expression.left)} {expression.operator} {_operand(expression.right)}"
        case Choice():
            then, otherwise = _operand(expression.then), _operand(expression.otherwise)
            return f"{then} if {_operand(expression.condition)} else {otherwise}"
        case Convert():
            return f"{expression.type}({expression_text(expression.value)})"
        case New():
            return f"{type_text(expression.type)}({_listed(expression.args)})"
        case Braces():
            return f"[{_listed(expression.items)}]"
        case Call():
            return f"{expression.function}({_listed(_without_context(expression.args))})"
        case Ask():
            of = "" if expression.of is None else f": {type_text(expression.of)}"
            return f"ask {expression.method}({_listed(expression.args)}){of}"
        case Member():
            return f"{_operand(expression.owner)}.{expression.field}"
        case Method():
            args = _listed(_without_context(expression.args))
            return f"{_operand(expression.owner)}.{expression.method}({args})"
        case Element():
            return f"{_operand(expression.owner)}[{expression_text(expression.index)}]"


def _operand(expression: Expression) -> str:
    text = expression_text(expression)
    return f"({text})" if isinstance(expression, Infix | Choice | Ask | Prefix) else text


def _without_context(args: Sequence[Expression]) -> Sequence[Expression]:
    """The arguments without the context, which says nothing to a reader."""
    return [arg for arg in args if arg != Name("context")]


def _listed(expressions: Iterable[Expression]) -> str:
    return ", ".join(map(expression_text, expressions))


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _block(statements: Iterable[_Line]) -> list[str]:
    return _indented(line for statement in statements for line in _lines(statement))


def _lines(statement: _Line) -> Iterator[str]:
    """The lines of a statement, and of those in it further in."""
    yield _line(statement)
    match statement:
        case If():
            yield from _block(statement.then)
            if statement.otherwise is not None:
                yield "else:"
                yield from _block(statement.otherwise)
        case Launch():
            yield from _block(statement.body)
            if statement.otherwise:
                yield "else:"
                yield from _block(statement.otherwise)
        case For() | Scope() | Alike():
            yield from _block(statement.body)
        case Space():
            yield from _indented(_space(statement))


def _line(statement: _Line) -> str:
    match statement:
        case Let() | Variable():
            head = "var " if isinstance(statement, Variable) else ""
            kind = "" if statement.type is None else f": {type_text(statement.type)}"
            value = "" if statement.value is None else f" = {expression_text(statement.value)}"
            return f"{head}{statement.name}{kind}{value}"
        case NewList():
            kind = type_text(statement.type)
            return f"{statement.name}: {kind} of length {expression_text(statement.count)}"
        case Assign():
            return f"set {expression_text(statement.target)} = {expression_text(statement.value)}"
        case Require():
            condition = expression_text(statement.condition)
            return f"require {condition} or {statement.kind}: {statement.why}"
        case Do():
            return f"do {expression_text(statement.call)}"
        case Guard():
            return f"if {expression_text(statement.condition)}: {_line(statement.then)}"
        case Return():
            return f"return {statement.way}".rstrip()
        case If():
            return f"if {' and '.join(map(_operand, statement.conditions))}:"
        case For():
            order = " reversed" if statement.reverse else ""
            more = "" if statement.condition is None else f" while {expression_text(statement.condition)}"
            return f"for {statement.name} below {expression_text(statement.count)}{order}{more}:"
        case Scope():
            return "scope:"
        case Alike():
            return f"if {_listed(statement.shapes)} are alike:"
        case Passes():
            passes = f"{statement.count} pass{'es' if statement.count > 1 else ''}"
            return f"{statement.name}: {passes}, {statement.operands} rows"
        case RunPasses():
            return f"run {statement.name}{' in units' if statement.units else ''}"
        case Space():
            covers = f" covering {_listed(statement.covers)}" if statement.covers else ""
            return f"pass of {statement.passes} over {expression_text(statement.shape)}{covers}:"
        case Launch():
            columns = ", ".join(sink.name for sink in statement.columns)
            head = f"launch {statement.name} for {statement.over} of {expression_text(statement.shape)}"
            return f"{head}, in columns {columns}:" if columns else f"{head}:"
        case Store():
            return f"store {statement.row} = {expression_text(statement.value)}"
        case Collect():
            return f"collect {statement.sink.name} = {expression_text(statement.value)}"


def _space(space: Space) -> Iterator[str]:
    """The rows of a pass, and what it does for an element."""
    for read in space.reads:
        once = " once" if read.once else ""
        yield f"read{once} {read.name}: {read.type} of {expression_text(read.view)}"
    for sink in space.sinks:
        how = "write"
        if isinstance(sink, Reduce):
            how = f"{'mean' if sink.mean else sink.op}{' once' if sink.once else ''}"
        source = f" of {sink.source}" if isinstance(sink, Reduce) and sink.source is not None else ""
        yield f"{how} {sink.name}: {sink.type} to {expression_text(sink.view)}{source}"
    if isinstance(space.body, FlatCall):
        yield "call flat"
    elif space.body:
        yield f"for each {space.index}{' of a row' if space.by_rows else ''}:"
        yield from _block(space.body)


def _flat(loop: FlatLoop) -> Iterator[str]:
    """A loop alone: its arrays with their positions among the kernel's, and what it does for an element."""
    for kind, arrays in (("input", loop.inputs), ("output", loop.outputs)):
        for name, position in arrays:
            yield f"  {kind} {position} {name}"
    yield f"  for each {loop.index}:"
    yield from _indented(_block(loop.body))
