"""Source text to a syntax tree with the file's own line and column numbers."""

from __future__ import annotations

import ast
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...codes import diagnostic
from ...diagnostics import Diagnostic
from ...ir import Source, Span
from .desugar import desugar
from .fence import Refusal, refuse
from .lists import write_lists
from .tables import write_tables

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# Deeper nesting than any person writes. It keeps the readers' own recursion far from Python's limit.
MAX_DEPTH = 120


@dataclass(frozen=True)
class Text:
    """A parsed source. `shift` is what to add to a node's line to have the file's line."""

    source: Source
    tree: ast.Module
    lines: tuple[str, ...]
    shift: int
    scopes: dict[tuple[str, int], tuple[symtable.Function, ...]] = field(repr=False)

    def span(self, node: ast.AST) -> Span:
        """The place of a node in the file, columns in characters from 1."""
        line = getattr(node, "lineno", 1)
        end = getattr(node, "end_lineno", None) or line
        start_column = self._column(line, getattr(node, "col_offset", 0))
        end_column = self._column(end, getattr(node, "end_col_offset", None) or 0)
        return Span(self.source.path, line + self.shift, start_column, end + self.shift, end_column)

    def _column(self, line: int, offset: int) -> int:
        """Characters, where `ast` counts bytes of UTF-8."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if text.isascii():
            return min(offset, len(text)) + 1
        return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")) + 1

    def check_depth(self, node: ast.AST) -> None:
        """Refuse nesting that no reader would follow (PB402)."""
        deep = too_deep(node)
        if deep is not None:
            raise refuse(
                "PB402",
                f"nested more than {MAX_DEPTH} levels deep",
                self.span(deep),
                hint="split it over several assignments",
            )

    def locals_of(self, node: FunctionNode) -> frozenset[str]:
        """Names that Python's own compiler makes local to a function, parameters included."""
        table = self._table(node)
        return frozenset(table.get_locals()) if table is not None else frozenset()

    def free_of(self, node: FunctionNode) -> frozenset[str]:
        """Names that Python's own compiler makes free in a function: its closure cells."""
        table = self._table(node)
        return frozenset(table.get_frees()) if table is not None else frozenset()

    def _table(self, node: FunctionNode) -> symtable.Function | None:
        name = "lambda" if isinstance(node, ast.Lambda) else node.name
        line = node.lineno
        if not isinstance(node, ast.Lambda) and node.decorator_list:
            line = min(line, node.decorator_list[0].lineno)
        for at in (node.lineno, line):
            for table in self.scopes.get((name, at), ()):
                if set(table.get_parameters()) == _parameter_names(node):
                    return table
        return None


def _parameter_names(node: FunctionNode) -> set[str]:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {arg.arg for arg in every if arg is not None}


def parse(source: Source) -> Text:
    """Parse a whole module, or one function taken from inside a class or a function.

    Indented text from inside a file keeps its columns: it is parsed under an ``if`` that is not in the file.
    Raises `Refusal` (PB400) for text that isn't Python.

    >>> text = parse(Source("f.py", "    def f(x):\\n        return x\\n", first_line=7))
    >>> str(text.span(find_function(text.tree, "f")))
    'f.py:7:5'
    """
    written = source.text
    first = next(
        (line for line in written.splitlines() if line.strip() and not line.lstrip().startswith("#")), ""
    )
    indented = source.first_line > 1 and first[:1] in (" ", "\t")
    code = "if True:\n" + written if indented else written
    shift = source.first_line - 1 - int(indented)
    lines = tuple(_split(code))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
            write_lists(tree)
            desugar(tree)
            write_tables(tree)
            table = symtable.symtable(code, "<formula>", "exec")
    except SyntaxError as error:
        raise Refusal(syntax_error(error, source, shift)) from None
    except (ValueError, UnicodeError) as error:
        raise refuse("PB400", f"cannot be read as Python: {error}", _start(source)) from None
    except (RecursionError, MemoryError):
        raise refuse(
            "PB400", "nested too deeply to be read", _start(source), hint="split it over several assignments"
        ) from None
    return Text(source, tree, lines, shift, _scopes(table))


def _split(code: str) -> list[str]:
    """Lines as Python's tokenizer counts them: form feeds and other separators don't end a line."""
    return code.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _start(source: Source) -> Span:
    return Span(source.path, source.first_line, 1, source.first_line, 1)


def syntax_error(error: SyntaxError, source: Source, shift: int = 0) -> Diagnostic:
    """The finding of text that Python's parser refuses; `shift` lines stand above what it was given."""
    line = max((error.lineno or 1) + shift, source.first_line)
    column = max(error.offset or 1, 1)
    same_line = error.end_lineno == error.lineno
    end = max(error.end_offset or 0, column + 1) if same_line else column + 1
    span = Span(source.path, line, column, line, end)
    return diagnostic("PB400", f"syntax error: {error.msg}", span)


def _scopes(table: symtable.SymbolTable) -> dict[tuple[str, int], tuple[symtable.Function, ...]]:
    found: dict[tuple[str, int], tuple[symtable.Function, ...]] = {}
    queue = [table]
    while queue:
        item = queue.pop()
        if isinstance(item, symtable.Function):
            key = (item.get_name(), item.get_lineno())
            found[key] = (*found.get(key, ()), item)
        queue.extend(item.get_children())
    return found


def inner_statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements of a statement's or module's own blocks, and what holds such in turn."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        block = getattr(node, name, ())
        if isinstance(block, list):
            yield from block


def statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all statements in it, outer ones first: functions and returns stand in no expression."""
    level = [node]
    while level:
        yield from level
        level = [inner for outer in level for inner in inner_statements(outer)]


def too_deep(node: ast.AST) -> ast.AST | None:
    """A node that stands more than `MAX_DEPTH` levels deep in this one, or None. Doesn't recurse."""
    level: list[ast.AST] = [node]
    for _ in range(MAX_DEPTH):
        level = [child for item in level for child in ast.iter_child_nodes(item)]
        if not level:
            return None
    return next((item for item in level if hasattr(item, "lineno")), node)


def find_function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """The first function of this name, outermost first."""
    level: list[ast.AST] = [tree]
    while level:
        for node in level:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return None
