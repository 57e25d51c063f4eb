"""The functions that make up each operator of a file: the formula, and its rule for forward mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..notes import Notes, read
from .errors import NotExported


@dataclass(frozen=True)
class Operator:
    """A formula of an operator of ATen.

    function  its definition
    schema    the schema that its docstring begins with
    notes     what stands below the schema
    plain     the results that it says have no gradient
    tangent   its rule for forward mode, or None
    helpers   the functions of FunctionsManual.cpp that its file imports
    """

    function: ast.FunctionDef
    schema: str
    notes: Notes
    plain: tuple[int, ...]
    tangent: ast.FunctionDef | None
    helpers: frozenset[str]


def operators(module: ast.Module) -> Iterator[Operator | NotExported]:
    """The operators of a file, in its order, and an error where a formula is of none."""
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    helpers = frozenset(_helpers(module))
    for function in functions.values():
        decorator = next((each for each in function.decorator_list if _is_formula(each)), None)
        if decorator is None:
            continue
        try:
            yield _operator(function, decorator, functions, helpers)
        except NotExported as error:
            yield error


def _operator(
    function: ast.FunctionDef,
    decorator: ast.expr,
    functions: dict[str, ast.FunctionDef],
    helpers: frozenset[str],
) -> Operator:
    schema, notes = read(ast.get_docstring(function, clean=False) or "")
    if "(" not in schema or "->" not in schema:
        raise NotExported(
            f"`{function.name}` does not say which operator of ATen it is of",
            function,
            'begin its docstring with the schema: """sin(Tensor self) -> Tensor"""',
        )
    plain: tuple[int, ...] = ()
    tangent = None
    call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
    if call.args:
        hint = "write @pb.formula: the docstring says which operator it is of"
        raise NotExported("an entry of the table is of no other function", call.args[0], hint)
    for keyword in call.keywords:
        if keyword.arg == "nondifferentiable":
            plain = _positions(keyword.value)
        elif keyword.arg == "jvp" and isinstance(keyword.value, ast.Name) and keyword.value.id in functions:
            tangent = functions[keyword.value.id]
        else:
            raise NotExported(
                f"an entry of the table has nothing for `{keyword.arg}` as it stands here",
                keyword.value,
                "write nondifferentiable=(1,), and jvp=NAME of a function in this file",
            )
    return Operator(function, schema, notes, plain, tangent, helpers)


def _positions(node: ast.expr) -> tuple[int, ...]:
    elements = node.elts if isinstance(node, ast.Tuple) else [node]
    found = [each.value for each in elements if isinstance(each, ast.Constant)]
    if len(found) != len(elements) or not all(isinstance(each, int) for each in found):
        raise NotExported("the positions of results are numbers", node, "write nondifferentiable=(1,)")
    return tuple(int(str(each)) for each in found)


def _is_formula(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else node
    spelled = ast.unparse(function)
    return spelled == "formula" or spelled.endswith(".formula")


def _helpers(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and node.module == "pullback.formulas.aten":
            yield from (alias.name for alias in node.names if alias.asname is None)
