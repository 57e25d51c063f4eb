"""The reader of each kind of expression and statement. What has none is outside of the language."""

from __future__ import annotations

import ast

from .calls.calls import read_call
from .calls.written_arrays import read_filled, read_row, read_table
from .control.comprehensions import read_comprehension
from .control.conditionals import read_if
from .control.counted_first import Condition, read_condition
from .control.counting import read_while
from .control.raising import read_raise
from .control.statements import (
    read_annotated,
    read_assign,
    read_augmented,
    read_def,
    read_delete,
    read_expression,
    read_import,
    read_pass,
    read_quiet,
    read_return,
)
from .control.written_out import (
    End,
    Iterations,
    read_break,
    read_continue,
    read_end,
    read_for,
    read_iterations,
)
from .expressions.arithmetic import read_binary, read_unary
from .expressions.comparisons import read_boolean, read_compare, read_conditional
from .expressions.dictionaries import read_dictionary, read_dictionary_of
from .expressions.formatted import read_formatted
from .expressions.simple import read_attribute, read_constant, read_items, read_lambda, read_name
from .expressions.subscripts import read_subscript
from .state.values import Readers
from .syntax.desugar import Quiet
from .syntax.lists import Row
from .syntax.tables import Filled, Table

READERS = Readers(
    expressions={
        ast.Constant: read_constant,
        ast.Name: read_name,
        ast.Tuple: read_items,
        ast.List: read_items,
        ast.Dict: read_dictionary,
        ast.DictComp: read_dictionary_of,
        ast.BinOp: read_binary,
        ast.UnaryOp: read_unary,
        ast.Compare: read_compare,
        ast.BoolOp: read_boolean,
        ast.IfExp: read_conditional,
        ast.Attribute: read_attribute,
        ast.Call: read_call,
        ast.Subscript: read_subscript,
        ast.Lambda: read_lambda,
        ast.JoinedStr: read_formatted,
        ast.ListComp: read_comprehension,
        ast.GeneratorExp: read_comprehension,
        Condition: read_condition,
        Table: read_table,
        Filled: read_filled,
        Row: read_row,
    },
    statements={
        ast.Assign: read_assign,
        ast.AnnAssign: read_annotated,
        ast.AugAssign: read_augmented,
        ast.Expr: read_expression,
        ast.FunctionDef: read_def,
        ast.Return: read_return,
        ast.Raise: read_raise,
        ast.Pass: read_pass,
        ast.Delete: read_delete,
        Quiet: read_quiet,
        ast.Import: read_import,
        ast.ImportFrom: read_import,
        ast.If: read_if,
        ast.For: read_for,
        ast.While: read_while,
        Iterations: read_iterations,
        End: read_end,
        ast.Break: read_break,
        ast.Continue: read_continue,
    },
)
