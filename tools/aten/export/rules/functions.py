"""Functions and methods of ATen, functions of FunctionsManual.cpp, and functions of numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from pullback.transpile.emit.aten.values import PRIMARY

from ...rules.functions import OF_NUMBERS, keywords_of
from ..errors import NotExported
from ..scope import Scope, called, operator
from ..types import INTS, NONE, NUMBER, OTHER, PERHAPS, TENSOR, TENSORS, TUPLE, is_symbolic, is_tensor
from ..values import Expr
from .rule import Rule, Write

# Functions of FunctionsManual.cpp that are there for symbolic sizes.
SYMBOLIC = frozenset({"to_args_sizes", "embedding_dense_double_backward"})
# Those that take the sizes of tensors as plain numbers.
CONCRETE = frozenset({"block_diag_backward"})
PROPERTIES = ("mT", "mH")
# Functions of ATen whose result is an undefined tensor where there is none.
UNDEFINED = frozenset({"_nested_get_min_seqlen", "_nested_get_max_seqlen"})


def of_number(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`math.sqrt(2)` is `std::sqrt(2)`: without the namespace it may be the operator's own kernel."""
    function = node.func
    if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != "math":
        return None
    if function.attr not in OF_NUMBERS:
        return None
    return Expr(f"std::{function.attr}({write(node.args[0]).text})", NUMBER)


def matrix_property(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`aten.mT(x)` is `x.mT()`."""
    name = operator(node)
    if name not in PROPERTIES or len(node.args) != 1:
        return None
    return Expr(f"{write(node.args[0]).within(PRIMARY)}.{name}()", TENSOR)


def native(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """`aten.sum(x, dim)` is `x.sum(dim)`, or `at::sum(x, dim)` where ATen has no such method."""
    name = operator(node)
    if name is None:
        return None
    overloads = scope.functions.get(name)
    if overloads is None:
        raise NotExported(f"ATen has no function `{name}`", node.func, "call one that ATen has, or a helper")
    values = list(_arguments(node, scope, write))
    keywords = [keyword.arg for keyword in node.keywords]
    given: list[str | None] = [*(None for _ in range(len(values) - len(keywords))), *keywords]
    labels: list[str | None] = [None] * len(values)
    if keywords_of(overloads, labels) != given:
        labels = list(given)
        if keywords_of(overloads, labels) != given:
            raise NotExported(
                f"C++ has no keywords: `{name}` needs the arguments between",
                node,
                "give every argument before the last one, in the order of the schema",
            )
    fitting = [each for each in overloads if _fits(each, len(values))]
    texts = [
        _argument(value, label, _type_at(fitting, k))
        for k, (value, label) in enumerate(zip(values, labels, strict=True))
    ]
    symbolic = any(
        is_symbolic(_type_at([each], k)) and is_symbolic(value.type)
        for each in fitting
        for k, value in enumerate(values)
    )
    spelled = f"{name}_symint" if symbolic else name
    of_type = PERHAPS if name in UNDEFINED else _result(fitting)
    if name == "zeros_like" and len(values) == 1:
        # The loader looks for this text: the node keeps the shape, and not the tensor.
        return Expr(f"zeros_like({texts[0]})", of_type)
    if values and is_tensor(values[0].type) and any(_is_method(each) for each in fitting):
        return Expr(f"{values[0].within(PRIMARY)}.{spelled}({', '.join(texts[1:])})", of_type)
    return Expr(f"at::{spelled}({', '.join(texts)})", of_type)


def helper(node: ast.Call, scope: Scope, write: Write) -> Expr | None:
    """A function of FunctionsManual.cpp has the same name; a keyword is a comment."""
    name = called(node)
    if name is None:
        return None
    if name not in scope.helpers:
        raise NotExported(
            f"`{name}` is no function of FunctionsManual.cpp",
            node,
            "call a function of ATen, or one that is imported from pullback.formulas.aten",
        )
    values = list(_arguments(node, scope, write))
    behind = len(values) - len(node.keywords)
    labels = [*(None for _ in range(behind)), *(keyword.arg for keyword in node.keywords)]
    texts = [_argument(value, label, "") for value, label in zip(values, labels, strict=True)]
    spelled = f"{name}_symint" if name in SYMBOLIC else name
    return Expr(f"{spelled}({', '.join(texts)})", TENSOR)


def _arguments(node: ast.Call, scope: Scope, write: Write) -> Iterator[Expr]:
    """The arguments; primal and tangent of a list that C++ takes together are one."""
    nodes = [*node.args, *(keyword.value for keyword in node.keywords)]
    skipped = False
    for first, second in zip(nodes, [*nodes[1:], None], strict=True):
        if skipped:
            skipped = False
            continue
        dual = _dual(first, second, scope)
        skipped = dual is not None
        if dual is not None:
            yield Expr(dual, TENSORS)
        elif called(node) in CONCRETE and called(first) == "to_args_sizes" and isinstance(first, ast.Call):
            yield Expr(f"to_args_sizes({write(first.args[0]).text})", OTHER)
        else:
            yield write(first)


def _dual(first: ast.expr, second: ast.expr | None, scope: Scope) -> str | None:
    if not isinstance(first, ast.Name) or not isinstance(second, ast.Name):
        return None
    base = first.id.removesuffix("_p")
    return base if base in scope.duals and (first.id, second.id) == (f"{base}_p", f"{base}_t") else None


def _argument(value: Expr, label: str | None, wanted: str) -> str:
    text = value.text
    if value.type == NONE and wanted.endswith("?"):
        text = "::std::nullopt"
    if value.type == PERHAPS and wanted == "Tensor?":
        text = f"{text}.defined() ? std::optional<Tensor>({text}) : ::std::nullopt"
    if is_symbolic(value.type) and wanted.startswith("int[") and text.endswith(".sym_sizes()"):
        text = f"{text.removesuffix('sym_sizes()')}sizes()"
    return text if label is None else f"/*{label}=*/{text}"


def _fits(function: Any, count: int) -> bool:
    arguments = function.func.arguments
    most = len(arguments.flat_positional) + len(arguments.flat_kwarg_only)
    needed = sum(argument.default is None for argument in arguments.flat_all)
    return not function.func.is_out_fn() and needed <= count <= most


def _type_at(functions: Sequence[Any], place: int) -> str:
    found = {
        str(argument.type)
        for function in functions
        for argument in [*function.func.arguments.flat_positional, *function.func.arguments.flat_kwarg_only][
            place : place + 1
        ]
    }
    return found.pop() if len(found) == 1 else ""


def _is_method(function: Any) -> bool:
    """True where the first argument of a method is its object."""
    from torchgen.model import Variant

    positional = function.func.arguments.flat_positional
    return Variant.method in function.variants and bool(positional) and positional[0].name == "self"


def _result(functions: Sequence[Any]) -> str:
    found = [function.func.returns for function in functions]
    if found and len(found[0]) > 1:
        return TUPLE
    return str(found[0][0].type) if found and len(found[0]) == 1 else INTS


RULES: dict[str, tuple[Rule, ...]] = {"Call": (of_number, matrix_property, native, helper)}
